package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/mcp"
)

// whoami serves a tool that returns what is known of its caller.
func whoami() mcp.Tool {
	return tool("whoami", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		b, err := json.Marshal(map[string]any{
			"client": c.Client.Name + "/" + c.Client.Version, "revision": c.Client.Revision,
			"principal": c.Principal, "capabilities": c.Client.Capabilities, "arguments": c.Arguments,
		})
		return text(string(b)), err
	})
}

func TestCallKnowsItsClient(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{whoami()}})
	inSession := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	for name, c := range map[string]struct {
		c      *client
		params string
		want   []string
	}{
		"in a session, from its handshake": {inSession, `"name":"whoami"`,
			[]string{`probe/2`, `2025-11-25`, `ann`, `{\"elicitation\":{\"form\":{}`}},
		"in the current era, from the request": {&client{era: eras[1], who: "bob"},
			`"name":"whoami","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"cc","version":"9"}}`,
			[]string{`cc/9`, `2026-07-28`, `bob`, `\"capabilities\":{}`, `\"arguments\":{}`}},
		"without either, from the User-Agent": {&client{era: eras[0]}, `"name":"whoami"`,
			[]string{`Go-http-client/1.1`, `\"capabilities\":null`}},
	} {
		t.Run(name, func(t *testing.T) {
			c.c.t, c.c.srv = t, srv
			_, body := c.c.do("1", "tools/call", c.params)
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("got %s, want %s in it", body, want)
				}
			}
		})
	}
}

func TestSessionSurvivesARestartAndServesEveryReplica(t *testing.T) {
	first := (&client{t: t, srv: serve(t, &mcp.Server{}), era: eras[0], who: "ann"}).initialize()
	second := &client{t: t, srv: serve(t, &mcp.Server{}), era: eras[0], who: "ann", session: first.session}
	if res, body := second.do("1", "ping", ""); res.StatusCode != http.StatusOK {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	other := &client{t: t, srv: serve(t, &mcp.Server{SessionKey: []byte("another key")}), era: eras[0], who: "ann", session: first.session}
	if res, _ := other.do("1", "ping", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("under another key: got %d, want 404", res.StatusCode)
	}
}

func TestSessionEndsAfterAWeek(t *testing.T) {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	c := (&client{t: t, srv: serve(t, &mcp.Server{Now: func() time.Time { return now }}), era: eras[0]}).initialize()
	now = now.Add(7 * 24 * time.Hour)
	if res, _ := c.do("1", "ping", ""); res.StatusCode != http.StatusOK {
		t.Errorf("after a week: got %d", res.StatusCode)
	}
	now = now.Add(time.Second)
	if res, _ := c.do("1", "ping", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("after more than a week: got %d, want 404", res.StatusCode)
	}
}

func TestSessionThatWasTamperedWithIsUnknown(t *testing.T) {
	c := (&client{t: t, srv: serve(t, &mcp.Server{}), era: eras[0], who: "ann"}).initialize()
	good := c.session
	note, seal, _ := strings.Cut(good, ".")
	for name, id := range map[string]string{
		"another note":  "e30." + seal,
		"another seal":  note + ".AAAA",
		"no seal":       note,
		"an empty seal": note + ".",
		"too long":      good + strings.Repeat("A", 5000),
		"not base64":    "???." + seal,
	} {
		c.session = id
		if res, _ := c.do("1", "ping", ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", name, res.StatusCode)
		}
	}
}

func TestEndedSessionsAreForgottenOldestFirst(t *testing.T) {
	s := &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, SessionKey: []byte("key")}
	send := func(method, session string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
		r.Header.Set("Content-Type", "application/json")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		return rec
	}
	var ids []string
	for range 4098 { // two more than are remembered
		id := send(http.MethodPost, "").Header().Get("Mcp-Session-Id")
		if got := send(http.MethodDelete, id).Code; got != http.StatusNoContent {
			t.Fatalf("got %d, want 204", got)
		}
		ids = append(ids, id)
	}
	for _, c := range []struct{ i, want int }{{4097, 404}, {2, 404}, {1, 204}} { // in this order: the last is remembered anew
		if got := send(http.MethodDelete, ids[c.i]).Code; got != c.want {
			t.Errorf("session %d ended again: got %d, want %d", c.i, got, c.want)
		}
	}
}

// mcp-go kept 13 KB for each client that ever initialized. Here the client keeps its
// session, and the events of streams are dropped when no client resumes them.
func TestManyClientsLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, SessionKey: []byte("key"), Logging: true, Changing: true, Tools: []mcp.Tool{
			tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
				c.Progress("working")
				return text(strings.Repeat("x", 10_000)), nil
			})}}
		send := func(session, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream, application/json"}}
			if session != "" {
				r.Header.Set("Mcp-Session-Id", session)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		last := regexp.MustCompile(`(?m)^id: (.*)$`)
		resume := func(session, event string) int {
			r := httptest.NewRequest(http.MethodGet, "/mcp", nil)
			r.Header = http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {session}, "Last-Event-Id": {event}}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w.Code
		}
		client := func(calls bool) (session, event string) {
			id := send("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`).Header().Get("Mcp-Session-Id")
			if id == "" {
				t.Fatal("got no session")
			}
			if !calls {
				return id, ""
			}
			said := send(id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"work","_meta":{"progressToken":1}}}`).Body.String()
			return id, last.FindStringSubmatch(said)[1] // the first, so that the answer is to come
		}
		held := func() uint64 {
			runtime.GC() // the second run empties the pools
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		for range 600 { // beyond the bound on what the server keeps of a session
			client(true)
		}
		time.Sleep(time.Hour)
		before := held()
		for i := range 20_000 {
			client(i%20 == 0)
		}
		session, event := client(true)
		if got := resume(session, event); got != http.StatusOK {
			t.Errorf("a stream could not be taken up: got %d", got)
		}
		time.Sleep(5*time.Minute + time.Second)
		synctest.Wait()
		event, _, _ = strings.Cut(event, ".") // the rest would bring another answer
		if got := resume(session, event); got != http.StatusGone {
			t.Errorf("a stream could be taken up after the time for which it is kept: got %d", got)
		}
		if after := held(); after > before+before/5+64<<10 {
			t.Errorf("got %d bytes held in the end, %d before", after, before)
		}
	})
}
