package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/internal/sse"
	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// legacyClient is a client of 2024-11-05: a stream, and the address for messages.
type legacyClient struct {
	t        *testing.T
	origin   string
	who      string
	endpoint string
	stream   *sse.Reader
	hangUp   func()
}

// serveLegacy serves the two addresses of 2024-11-05.
func serveLegacy(t *testing.T, s *mcp.Server) *httptest.Server {
	srv := serve(t, s)
	mux := http.NewServeMux()
	mux.Handle("/sse", s.SSE("/messages"))
	mux.Handle("/messages", s.Messages())
	srv.Config.Handler = mux
	return srv
}

func (c *legacyClient) do(ctx context.Context, method, path, body string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.origin+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = http.Header{"Who": {c.who}, "Accept": {"text/event-stream"}, "Content-Type": {"application/json"}}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res
}

// open opens the stream and reads the address for messages.
func (c *legacyClient) open() *legacyClient {
	c.t.Helper()
	ctx, hangUp := context.WithCancel(context.Background())
	c.t.Cleanup(hangUp)
	c.hangUp = hangUp
	res := c.do(ctx, "GET", "/sse", "")
	if res.StatusCode != http.StatusOK || res.Header.Get("X-Accel-Buffering") != "no" {
		c.t.Fatalf("got %d %v", res.StatusCode, res.Header)
	}
	c.stream = sse.NewReader(res.Body)
	e, err := c.stream.Next()
	if err != nil || e.Type != "endpoint" || !strings.HasPrefix(string(e.Data), "/messages?sessionId=") {
		c.t.Fatalf("got %+v, %v, want where to post", e, err)
	}
	c.endpoint = string(e.Data)
	return c
}

func (c *legacyClient) post(body string) int {
	c.t.Helper()
	return c.do(context.Background(), "POST", c.endpoint, body).StatusCode
}

// next returns the next message of the stream.
func (c *legacyClient) next() string {
	c.t.Helper()
	e, err := c.stream.Next()
	if err != nil || e.Type != "message" {
		c.t.Fatalf("got %+v, %v, want a message", e, err)
	}
	return string(e.Data)
}

func TestLegacySSE(t *testing.T) {
	w := newWaiter()
	s := &mcp.Server{Tools: append(mcptest.Tools(), w.tool()), Changing: true}
	srv := serveLegacy(t, s)
	c := (&legacyClient{t: t, origin: srv.URL, who: "ann"}).open()

	say := func(method, params string, want ...string) {
		t.Helper()
		if got := c.post(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`); got != http.StatusAccepted {
			t.Fatalf("%s: got %d, want 202", method, got)
		}
		for _, part := range want {
			if got := c.next(); !strings.Contains(got, part) {
				t.Errorf("%s: got %s, want %s", method, got, part)
			}
		}
	}
	say("initialize", `"protocolVersion":"2024-11-05","capabilities":{"elicitation":{}},"clientInfo":{"name":"old","version":"1"}`, `"protocolVersion":"2024-11-05"`)
	if got := c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); got != http.StatusAccepted {
		t.Errorf("a notification: got %d, want 202", got)
	}
	say("tools/call", `"name":"echo","arguments":{"text":"hello"}`, `"text":"hello"`)
	say("tools/call", `"name":"test_tool_with_progress","_meta":{"progressToken":"p"}`, `"progress":1`, `"progress":2`, `"progress":3`, `"id":1`)
	say("server/none", ``, `-32601`)

	// A question goes out on the stream, and its answer comes as a message.
	say("tools/call", `"name":"test_elicitation","arguments":{"message":"Who?"}`)
	asked := c.next()
	_, id, _ := strings.Cut(asked, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	c.post(`{"jsonrpc":"2.0","id":"` + id + `","result":{"action":"accept","content":{"username":"ann","email":"a@example.com"}}}`)
	if got := c.next(); !strings.Contains(got, "ann") {
		t.Errorf("got %s for %s, want the answer in it", got, asked)
	}

	s.Changed(mcp.ToolsChanged())
	if got := c.next(); !strings.Contains(got, "tools/list_changed") {
		t.Errorf("got %s, want the change", got)
	}

	// The stream is the session: its end ends what runs in it.
	say("tools/call", `"name":"wait"`)
	<-w.begun
	bob := &legacyClient{t: t, origin: srv.URL, who: "bob", endpoint: c.endpoint}
	if got := bob.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); got != http.StatusNotFound {
		t.Errorf("another principal: got %d, want 404", got)
	}
	c.hangUp()
	if err := <-w.ended; err != context.Canceled {
		t.Errorf("got %v, want the call cancelled", err)
	}
}

func TestLegacySSECancelsACall(t *testing.T) {
	w := newWaiter()
	srv := serveLegacy(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}})
	c := (&legacyClient{t: t, origin: srv.URL}).open()
	other := (&legacyClient{t: t, origin: srv.URL}).open()
	c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
	<-w.begun
	other.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	select {
	case err := <-w.ended:
		t.Fatalf("another stream's cancel ended the call: %v", err)
	default:
	}
	c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if err := <-w.ended; err != context.Canceled {
		t.Errorf("got %v, want the call cancelled", err)
	}
}

func TestLegacySSEIsGuarded(t *testing.T) {
	w := newWaiter()
	srv := serveLegacy(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}, Limits: mcp.Limits{StreamsPerUser: 1, MaxCalls: 1, MaxBody: 1000}})
	c := (&legacyClient{t: t, origin: srv.URL}).open()
	call := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}`, id)
	}
	if got := c.post(call(1)); got != http.StatusAccepted {
		t.Fatalf("got %d, want 202", got)
	}
	<-w.begun
	for name, got := range map[string]struct{ status, want int }{
		"a call too many":         {c.post(call(2)), http.StatusTooManyRequests},
		"a stream too many":       {c.do(t.Context(), "GET", "/sse", "").StatusCode, http.StatusTooManyRequests},
		"a POST to the stream":    {c.do(t.Context(), "POST", "/sse", "{}").StatusCode, http.StatusMethodNotAllowed},
		"a GET of the messages":   {c.do(t.Context(), "GET", c.endpoint, "").StatusCode, http.StatusMethodNotAllowed},
		"a session that is none":  {c.do(t.Context(), "POST", "/messages?sessionId=x", "{}").StatusCode, http.StatusNotFound},
		"a message of no session": {c.do(t.Context(), "POST", "/messages", "{}").StatusCode, http.StatusNotFound},
	} {
		if got.status != got.want {
			t.Errorf("%s: got %d, want %d", name, got.status, got.want)
		}
	}
	close(w.release)
	c.next() // the place is given back before the answer's goroutine ends, or just after
	for name, m := range map[string]struct {
		body string
		want int
	}{
		"what is not JSON": {"{", http.StatusBadRequest},
		"a batch":          {"[" + call(1) + "]", http.StatusBadRequest},
		"a large message":  {`{"pad":"` + strings.Repeat("x", 1000) + `"}`, http.StatusRequestEntityTooLarge},
	} {
		got := http.StatusTooManyRequests
		for got == http.StatusTooManyRequests {
			got = c.post(m.body)
		}
		if got != m.want {
			t.Errorf("%s: got %d, want %d", name, got, m.want)
		}
	}
	r, _ := http.NewRequest("GET", srv.URL+"/sse", nil)
	r.Header.Set("Origin", "https://evil.example")
	if res, err := http.DefaultClient.Do(r); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("a page of elsewhere: got %v, %v, want 403", res, err)
	}
}

func TestIdleLegacyStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, Tools: mcptest.Tools(), Limits: mcp.Limits{ListenFor: time.Minute}}
		rec := httptest.NewRecorder()
		begun := time.Now()
		done := make(chan struct{})
		go func() {
			s.SSE("/m").ServeHTTP(rec, httptest.NewRequest("GET", "/sse", nil))
			close(done)
		}()
		time.Sleep(40 * time.Second)
		synctest.Wait()
		_, endpoint, _ := strings.Cut(rec.Body.String(), "data: ")
		endpoint, _, _ = strings.Cut(endpoint, "\n")
		post := httptest.NewRequest("POST", endpoint, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		post.Header.Set("Content-Type", "application/json")
		posted := httptest.NewRecorder()
		s.Messages().ServeHTTP(posted, post)
		if <-done; posted.Code != http.StatusAccepted || time.Since(begun) != 100*time.Second {
			t.Errorf("got %d and an end after %v, want 202 and a minute after the last message", posted.Code, time.Since(begun))
		}
		if got := strings.Count(rec.Body.String(), ": keep-alive"); got != 6 {
			t.Errorf("got %d comments in 100 seconds, want 6", got)
		}
	})
}

// What a client says of itself is kept for as long as its stream lasts.
func TestLegacyStreamKeepsNoMoreOfItsClientThanASession(t *testing.T) {
	can := make(chan bool, 1)
	srv := serveLegacy(t, &mcp.Server{Tools: []mcp.Tool{tool("ask", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		can <- c.CanAsk(mcp.ElicitForm("key", "Who?", json.RawMessage(`{"type":"object","properties":{}}`)))
		return text(""), nil
	})}})
	for padding, want := range map[int]bool{0: true, 2 << 10: false} {
		c := (&legacyClient{t: t, origin: srv.URL}).open()
		c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"elicitation":{},"x":"` + strings.Repeat("x", padding) + `"}}}`)
		c.next()
		c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}`)
		if got := <-can; got != want {
			t.Errorf("with %d bytes more: got %v, want %v", padding, got, want)
		}
	}
}
