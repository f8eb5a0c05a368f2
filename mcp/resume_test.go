package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rialto/internal/raced"
	"rialto/internal/sse"
	"rialto/mcp"
)

// resume asks for what followed an event.
func (c *client) resume(lastEventID string) *http.Response {
	c.t.Helper()
	r := c.request(c.t.Context(), "", "x", "")
	r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0
	r.Header.Set("Last-Event-ID", lastEventID)
	res, err := c.srv.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res
}

// rest reads the events of an answer to its end.
func rest(t *testing.T, res *http.Response) (all []sse.Event) {
	t.Helper()
	for r := sse.NewReader(res.Body); ; {
		e, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

// broken begins a call that waits, reads its stream up to the first progress
// and disconnects. It returns the ids of the first two events.
func broken(t *testing.T, w *waiter, c *client) (primed, progress string) {
	t.Helper()
	ctx, hangUp := context.WithCancel(t.Context())
	res, err := c.srv.Client().Do(c.request(ctx, "7", "tools/call", `"name":"wait","_meta":{"progressToken":1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	r := sse.NewReader(res.Body)
	first, err := r.Next()
	if err != nil || len(first.Data) != 0 || first.ID == "" || r.Retry() != time.Second {
		t.Fatalf("got %+v, %v, retry %v first, want an id, no data and a time to wait", first, err, r.Retry())
	}
	second, err := r.Next()
	if err != nil || !strings.Contains(string(second.Data), "begun") || second.ID == first.ID {
		t.Fatalf("got %+v, %v, want progress with an id of its own", second, err)
	}
	<-w.begun
	hangUp()
	return first.ID, second.ID
}

func TestBrokenStreamIsResumed(t *testing.T) {
	w := newWaiter()
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}})
	ann := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	primed, progress := broken(t, w, ann)

	begun, _, _ := strings.Cut(primed, "-")
	for name, c := range map[string]struct {
		client *client
		last   string
		status int
		says   string
	}{
		"another principal":     {&client{srv: srv, era: eras[0], who: "bob", session: ann.session}, primed, http.StatusNotFound, "session is not known"},
		"no session":            {&client{srv: srv, era: eras[0], who: "ann"}, primed, http.StatusMethodNotAllowed, "POST"},
		"another session":       {(&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize(), primed, http.StatusGone, "send the request again"},
		"a stream never begun":  {ann, "ABCDEFGHIJKLMNOP-1", http.StatusGone, "send the request again"},
		"an event yet to come":  {ann, begun + "-9", http.StatusGone, "send the request again"},
		"an event before all":   {ann, begun + "--1", http.StatusGone, "send the request again"},
		"what is no event's id": {ann, "7", http.StatusGone, `\"7\"`},
	} {
		c.client.t = t
		res := c.client.resume(c.last)
		if body, _ := io.ReadAll(res.Body); res.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s: got %d %s, want %d and %q", name, res.StatusCode, body, c.status, c.says)
		}
	}

	older := ann.resume(primed)
	lines := bufio.NewReader(older.Body)
	if got := await(t, lines, "id: "); got != "id: "+progress+"\n" {
		t.Errorf("got %s, want %s again", got, progress)
	}
	newer := ann.resume(progress)
	if _, err := io.ReadAll(lines); err != nil { // no message goes to two connections
		t.Errorf("the connection that was replaced: %v", err)
	}
	close(w.release)
	got := rest(t, newer)
	if len(got) != 1 || !strings.Contains(string(got[0].Data), `"id":7`) || !strings.Contains(string(got[0].Data), "waited") {
		t.Fatalf("got %s, want the result and nothing else", got)
	}
	if err := <-w.ended; err != nil {
		t.Errorf("the call ended with %v", err)
	}
	if again := rest(t, ann.resume(primed)); len(again) != 2 || again[1].ID != got[0].ID {
		t.Errorf("got %s, want both messages again", again)
	}
	if res := ann.resume(got[0].ID); res.StatusCode != http.StatusGone {
		t.Errorf("after the last message: got %d, want 410: a client would come back forever", res.StatusCode)
	}
	r := ann.request(t.Context(), "", "x", "")
	r.Method, r.Body, r.ContentLength = http.MethodDelete, nil, 0
	if res, err := srv.Client().Do(r); err != nil || res.StatusCode != http.StatusNoContent {
		t.Fatal(res, err)
	}
	if res := ann.resume(primed); res.StatusCode != http.StatusNotFound {
		t.Errorf("after the session's end: got %d, want 404", res.StatusCode)
	}
}

// TestACallWithoutAProgressTokenIsResumed begins calls without a token, and waits for what can be
// resumed: clients saw neither a head nor an id for 15 seconds.
func TestACallWithoutAProgressTokenIsResumed(t *testing.T) {
	w := newWaiter()
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}})
	release := sync.OnceFunc(func() { close(w.release) })
	defer release()
	c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	ctx, hangUp := context.WithTimeout(t.Context(), 5*time.Second)
	defer hangUp()
	res, err := srv.Client().Do(c.request(ctx, "7", "tools/call", `"name":"wait"`))
	if err != nil {
		t.Fatalf("no head: %v", err)
	}
	defer res.Body.Close()
	first, err := sse.NewReader(res.Body).Next()
	if err != nil || first.ID == "" {
		t.Fatalf("got %+v, %v, want an id", first, err)
	}
	hangUp()
	release()
	got := rest(t, c.resume(first.ID))
	if len(got) != 1 || !strings.Contains(string(got[0].Data), "waited") {
		t.Errorf("got %s, want the result", got)
	}
}

// A revision that does not know them takes an event without data for a broken
// message.
func TestOnlyClientsOfItsRevisionGetAnEventWithoutData(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Progress("")
		return text("done"), nil
	})}})
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		c := &client{t: t, srv: srv, era: era{revision, false}}
		res, _ := c.do("0", "initialize", `"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"n","version":"1"}`)
		c.session = res.Header.Get("Mcp-Session-Id")
		_, body := c.do("1", "tools/call", `"name":"work","_meta":{"progressToken":1}`)
		if got, want := strings.Contains(body, "data: \n"), revision == "2025-11-25"; got != want || strings.Count(body, "id: ") < 2 {
			t.Errorf("%s: got %v in %q, want %v and ids", revision, got, body, want)
		}
	}
}

func TestReplayIsBounded(t *testing.T) {
	const steps = 300
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for range steps {
			c.Progress("")
		}
		return text("done"), nil
	})}})
	c := (&client{t: t, srv: srv, era: eras[0]}).initialize()
	call := func() (first string) {
		_, body := c.do("1", "tools/call", `"name":"work","_meta":{"progressToken":1}`)
		id, _, _ := strings.Cut(body, "-")
		return strings.TrimPrefix(id, "id: ")
	}
	first := call()
	if res := c.resume(first + "-44"); res.StatusCode != http.StatusGone {
		t.Errorf("of %d events, after the 44th: got %d, want 410", steps+1, res.StatusCode)
	}
	if got := rest(t, c.resume(first+"-45")); len(got) != 256 {
		t.Errorf("after the 45th: got %d events, want 256", len(got))
	}
	for range 32 {
		call()
	}
	if res := c.resume(first + "-300"); res.StatusCode != http.StatusGone {
		t.Errorf("after 32 more streams: got %d, want 410", res.StatusCode)
	}
}

func TestReplayExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, SessionKey: []byte("key"), Tools: []mcp.Tool{
			tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
				c.Progress("")
				return text("done"), nil
			})}}
		send := func(method, body string, header ...string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, r)
			return rec
		}
		session := send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`).Header().Get("Mcp-Session-Id")
		body := send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work","_meta":{"progressToken":1}}}`,
			"Mcp-Session-Id", session).Body.String()
		id, _, _ := strings.Cut(strings.TrimPrefix(body, "id: "), ".") // the rest would bring another answer
		for _, c := range []struct {
			after time.Duration
			want  int
		}{{0, 200}, {5*time.Minute - time.Second, 200}, {time.Second, 410}} {
			time.Sleep(c.after)
			synctest.Wait()
			if got := send("GET", "", "Mcp-Session-Id", session, "Last-Event-ID", id).Code; got != c.want {
				t.Errorf("%v later: got %d, want %d", c.after, got, c.want)
			}
		}
	})
}

func TestChangesDuringADisconnectAreSentOnResume(t *testing.T) {
	s := changing()
	srv := serve(t, s)
	c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	ctx, hangUp := context.WithCancel(t.Context())
	r := c.request(ctx, "", "x", "")
	r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	primed := strings.TrimSpace(strings.TrimPrefix(await(t, bufio.NewReader(res.Body), "id: "), "id: "))
	hangUp()
	res.Body.Close()
	s.Changed(mcp.ToolsChanged())
	back := c.resume(primed)
	if got := await(t, bufio.NewReader(back.Body), "data: {"); !strings.Contains(got, "tools/list_changed") {
		t.Errorf("got %s, want the change", got)
	}
	_, fresh := c.get() // and a new one ends what was before it
	await(t, fresh, ": open")
	if rest, err := io.ReadAll(back.Body); err != nil || strings.Contains(string(rest), "data: {") {
		t.Errorf("got %q, %v on the older stream, want its end", rest, err)
	}
}

func TestCallCanCloseItsStream(t *testing.T) {
	hungUp, release := make(chan bool, 1), make(chan struct{})
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Progress("before")
		hungUp <- c.CloseStream()
		c.Progress("after")
		<-release
		return text("done"), nil
	})}})
	c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	call := `"name":"work","_meta":{"progressToken":1}`
	_, body := c.do("1", "tools/call", call) // it ends before the call does
	if got := events(t, body); !<-hungUp || len(got) != 1 || !strings.Contains(got[0], "before") {
		t.Fatalf("got %q, want what was said before", body)
	}
	id, _, _ := strings.Cut(body, "\n")
	back := c.resume(strings.TrimPrefix(id, "id: "))
	close(release)
	var said []string
	for _, e := range rest(t, back) {
		said = append(said, string(e.Data))
	}
	if len(said) != 3 || !strings.Contains(said[1], "after") || !strings.Contains(said[2], "done") {
		t.Errorf("got %q, want all that was said, and the result", said)
	}
	for name, other := range map[string]*client{
		"no session": {srv: srv, era: eras[0]}, "the current era": {srv: srv, era: eras[1]},
	} {
		other.t = t
		if _, body := other.do("1", "tools/call", call); <-hungUp || !strings.Contains(body, "done") {
			t.Errorf("%s: got %q, want the result", name, body)
		}
	}
}

// heldWriter is a recorder that blocks writes until it is released.
type heldWriter struct {
	*httptest.ResponseRecorder
	let chan struct{}
}

func (w heldWriter) Write(b []byte) (int, error) {
	<-w.let
	return w.ResponseRecorder.Write(b)
}

func TestASessionThatEndsWhileItsStreamOpensLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which waits for every goroutine
		s := changing()
		s.Info, s.SessionKey = mcp.Implementation{Name: "test", Version: "1"}, []byte("key")
		begin := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`))
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(begin, r)
		request := func(method string) *http.Request {
			r := httptest.NewRequest(method, "/mcp", nil)
			r.Header.Set("Mcp-Session-Id", begin.Header().Get("Mcp-Session-Id"))
			r.Header.Set("Accept", "text/event-stream")
			return r
		}
		slow := heldWriter{httptest.NewRecorder(), make(chan struct{})}
		go s.ServeHTTP(slow, request("GET"))
		synctest.Wait()
		ended := httptest.NewRecorder()
		s.ServeHTTP(ended, request("DELETE"))
		if ended.Code != http.StatusNoContent {
			t.Errorf("got %d, want 204", ended.Code)
		}
		close(slow.let)
	})
}

func TestPrincipalCannotEvictTheStreamsOfAnother(t *testing.T) {
	for name, c := range map[string]struct{ calls, size int }{
		"by their number": {1100, 1}, "by their size": {100, 1_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			if c.size > 1 {
				raced.Skip(t)
			}
			srv := serve(t, &mcp.Server{Tools: []mcp.Tool{tool("work", func(_ context.Context, call *mcp.Call) (*mcp.Result, error) {
				call.Progress("")
				return text(strings.Repeat("x", c.size)), nil
			})}})
			call := func(c *client) (first string) {
				_, body := c.do("1", "tools/call", `"name":"work","_meta":{"progressToken":1}`)
				id, _, _ := strings.Cut(body, "\n")
				return strings.TrimPrefix(id, "id: ")
			}
			ann := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
			first := call(ann)
			bob := &client{t: t, srv: srv, era: eras[0], who: "bob"}
			for i := range c.calls {
				if i%20 == 0 { // each session has a bound of its own
					bob.initialize()
				}
				call(bob)
			}
			if res := ann.resume(first); res.StatusCode != http.StatusOK {
				t.Errorf("got %d, want the stream", res.StatusCode)
			}
		})
	}
}
