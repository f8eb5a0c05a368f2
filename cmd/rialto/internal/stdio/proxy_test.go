package stdio_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/login"
	"rialto/cmd/rialto/internal/stdio"
	"rialto/internal/raced"
	"rialto/mcp/mcptest"
)

func TestAModernHostGetsWhatTheServerAnswers(t *testing.T) {
	h := open(t, mcptest.Server())
	h.send(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{%s}}`, meta)
	if m := h.answer(`"d"`); !m.has(`"2026-07-28"`) {
		t.Errorf("got %s", m.Result)
	}
	h.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://static-text","name":"ü",%s}}`, meta)
	if m := h.answer("1"); m.Result == nil {
		t.Errorf("got %v", m.Error)
	}
	h.send(`{"jsonrpc":"2.0","id":2,"method":"no/such","params":{%s}}`, meta)
	if m := h.answer("2"); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("got %v, want that the method is unknown", m.Error)
	}
	h.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{%s}}`, strings.Replace(meta, "2026-07-28", "2099-01-01", 1))
	if m := h.answer("3"); m.Error == nil || m.Error.Code != -32022 {
		t.Errorf("got %v, want that the revision is unknown", m.Error)
	}
	h.send(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},%s}}`, meta)
	if m := h.next(); m.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(string(m.Params), `"io.modelcontextprotocol/subscriptionId":4`) {
		t.Errorf("got %s %s", m.Method, m.Params)
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	h.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_simple_text","arguments":{},%s}}`, meta)
	h.answer("5")
	if left, err := h.end(); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestArgumentsAreRepeatedInHeaders calls a tool that asks for that, before and after the host has listed it.
func TestArgumentsAreRepeatedInHeaders(t *testing.T) {
	h := open(t, mcptest.Server())
	for id, arguments := range []string{`{"region":"Zürich","count":3}`, `{"region":"=?base64?eA==?=","count":null}`} {
		h.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"test_headers","arguments":%s,%s}}`, id, arguments, meta)
		if m := h.answer(fmt.Sprint(id)); m.Error != nil || !m.has(`"ok"`) {
			t.Errorf("%s: got %v %s", arguments, m.Error, m.Result)
		}
	}
}

func TestToolsWithWrongHeadersAreLeftOut(t *testing.T) {
	h := open(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+
			`{"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}},`+
			`{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A B"}}}}],`+"\n"+`"resultType":"complete"}}`)
	}))
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}`, meta)
	if m := h.answer("1"); !m.has(`"good"`) || m.has(`"bad"`) || !m.has(`"resultType":"complete"`) {
		t.Errorf("got %s", m.Result)
	}
}

func TestALegacyHostHasASession(t *testing.T) {
	var gone atomic.Int32
	server := mcptest.Server()
	h := open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			gone.Add(1)
		}
		server.ServeHTTP(w, r)
	}))
	h.greet()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_reconnection","arguments":{}}}`)
	if m := h.answer("1"); !m.has("Reconnected.") {
		t.Errorf("got %v %s, want the rest of the stream", m.Error, m.Result)
	}
	h.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_elicitation","arguments":{"message":"Who?"}}}`)
	ask := h.next()
	if ask.Method != "elicitation/create" {
		t.Fatalf("got %v", ask)
	}
	h.send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"username":"ada","email":"a@example.com"}}}`, ask.ID)
	if m := h.answer("2"); !m.has("ada") {
		t.Errorf("got %s", m.Result)
	}
	if _, err := h.end(); err != nil || gone.Load() != 1 {
		t.Errorf("got %v, %d sessions ended", err, gone.Load())
	}
}

// TestARestartOfTheServerIsNotNoticed replaces the server by one that knows no sessions of the first: by 404,
// and by 400 as servers on the TypeScript SDK have it.
func TestARestartOfTheServerIsNotNoticed(t *testing.T) {
	for _, status := range []int{404, 400} {
		var server atomic.Value
		server.Store(mcptest.Server())
		h := open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := httptest.NewRecorder()
			if r.Method == http.MethodGet {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			server.Load().(http.Handler).ServeHTTP(rec, r)
			for name, values := range rec.Header() {
				w.Header()[name] = values
			}
			if rec.Code == 404 {
				rec.Code = status
			}
			w.WriteHeader(rec.Code)
			w.Write(rec.Body.Bytes())
		}))
		h.greet()
		server.Store(mcptest.Server())
		for id := range 10 {
			h.send(`{"jsonrpc":"2.0","id":"a%d","method":"tools/call","params":{"name":"test_simple_text","arguments":{}}}`, id)
		}
		for range 10 {
			if m := h.next(); m.Error != nil || !m.has("simple text") {
				t.Errorf("%d: got %v %s", status, m.Error, m.Result)
			}
		}
		if left, err := h.end(); len(left) > 0 || err != nil || strings.Count(h.err.String(), "another was begun") != 1 {
			t.Errorf("%d: left %v, %v; said %s", status, left, err, &h.err)
		}
	}
}

// slow is a server whose answers wait.
type slow struct {
	opened chan string
	closed chan string
	answer chan struct{}
}

func (s *slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m message
	json.Unmarshal(body, &m)
	if m.Method == "initialize" {
		w.Header().Set("Mcp-Session-Id", "s")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`)
		return
	}
	if r.Method != "POST" || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		s.opened <- r.Method + m.Method
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(200)
	http.NewResponseController(w).Flush()
	s.opened <- string(m.ID)
	select {
	case <-r.Context().Done():
		s.closed <- string(m.ID)
	case <-s.answer:
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":%s,\"result\":{}}\n\n", m.ID)
	}
}

func newSlow() *slow {
	return &slow{make(chan string, 10), make(chan string, 10), make(chan struct{})}
}

func within(t *testing.T, c <-chan string, want string) {
	t.Helper()
	select {
	case got := <-c:
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	case <-time.After(2 * time.Second):
		t.Fatalf("%s did not come in time", want)
	}
}

func TestACanceledRequestClosesItsStreamAndGetsNoAnswer(t *testing.T) {
	s := newSlow()
	h := open(t, s)
	h.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x",%s}}`, meta)
	within(t, s.opened, "7")
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	within(t, s.closed, "7")
	if left, err := h.end(); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

// hasty is a host that uses an id again while its answer is still being written to it.
type hasty struct {
	once   sync.Once
	in     io.Writer
	opened chan string
	fault  chan string
}

func (h *hasty) Write(line []byte) (int, error) {
	h.once.Do(func() {
		<-h.opened // the first request
		fmt.Fprintf(h.in, `{"jsonrpc":"2.0","id":7,"method":"again","params":{%s}}`+"\n", meta)
		select {
		case <-h.opened:
			h.fault <- ""
		case <-time.After(2 * time.Second):
			h.fault <- "the second request did not reach the server"
		}
	})
	return len(line), nil
}

// TestAnIDIsFreeWhenItsAnswerComes: the proxy once wrote the answer first, and refused the next request with
// the id.
func TestAnIDIsFreeWhenItsAnswerComes(t *testing.T) {
	s := newSlow()
	close(s.answer)
	server := httptest.NewServer(s)
	defer server.Close()
	in, w := io.Pipe()
	h := &hasty{in: w, opened: s.opened, fault: make(chan string, 1)}
	p := &stdio.Proxy{URL: server.URL, Login: &login.Login{URL: server.URL, Token: "none"}, Command: "rialto call", Err: io.Discard}
	done := make(chan error)
	go func() { done <- p.Run(t.Context(), in, h) }()
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":7,"method":"x","params":{%s}}`+"\n", meta)
	if fault := <-h.fault; fault != "" {
		t.Error(fault)
	}
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestALegacyHostCancelsByANotification(t *testing.T) {
	s := newSlow()
	h := open(t, s)
	h.greet()
	within(t, s.opened, "POSTnotifications/initialized")
	within(t, s.opened, "GET")
	h.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`)
	within(t, s.opened, "7")
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	within(t, s.opened, "POSTnotifications/cancelled")
	within(t, s.closed, "7")
	if left, err := h.end(); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestTheEndOfTheHostEndsTheProxy(t *testing.T) {
	s := newSlow()
	h := open(t, s)
	h.greet()
	within(t, s.opened, "POSTnotifications/initialized")
	within(t, s.opened, "GET")
	h.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`)
	within(t, s.opened, "7")
	begun := time.Now()
	h.end()
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	within(t, s.opened, "DELETE")
}

func TestRequestsDoNotWaitForEachOther(t *testing.T) {
	s := newSlow()
	s.opened = make(chan string, 100)
	h := open(t, s)
	want := map[string]bool{}
	for i := range 50 {
		h.send(`{"jsonrpc":"2.0","id":%d,"method":"x","params":{%s}}`, i, meta)
		h.send(`{"jsonrpc":"2.0","id":"%d","method":"x","params":{%s}}`, i, meta)
		want[fmt.Sprint(i)] = true
		want[fmt.Sprintf("%q", fmt.Sprint(i))] = true
	}
	for range 100 {
		<-s.opened // all are open at once
	}
	close(s.answer)
	for range 100 {
		m := h.next()
		if m.Error != nil || !want[string(m.ID)] {
			t.Fatalf("got %s %v", m.ID, m.Error)
		}
		delete(want, string(m.ID))
	}
}

func TestLargeMessagesPass(t *testing.T) {
	raced.Skip(t)
	var read atomic.Int64
	h := open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		read.Store(n)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"%s\"}}\n\n", strings.Repeat("y", 16<<20))
	}))
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"%s"},%s}}`, strings.Repeat("x", 4<<20), meta)
	if m := h.answer("1"); len(m.Result) < 16<<20 || read.Load() < 4<<20 {
		t.Errorf("got %d bytes for %d: %v", len(m.Result), read.Load(), m.Error)
	}
	go h.send(`{"jsonrpc":"2.0","id":2,"method":"%s"}`, strings.Repeat("x", 33<<20)) // its end is not read
	if m := h.next(); m.Error == nil || string(m.ID) != "null" {
		t.Errorf("got %s %v", m.ID, m.Error)
	}
	if err := <-h.done; err == nil {
		t.Error("got no error, want that the message is too large")
	}
}

// TestAStreamOfANewSessionBeginsAnew loses the session at a call. The stream for requests of the server
// once asked the new session for what came after the last event of the old one, was refused, and began
// a third session.
func TestAStreamOfANewSessionBeginsAnew(t *testing.T) {
	var session atomic.Int32
	opened := make(chan string, 10)
	broken := make(chan struct{})
	h := open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		now := fmt.Sprint("session-", session.Load())
		switch {
		case r.Method == http.MethodDelete:
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "" && session.Load() > 1:
			opened <- now + " after " + r.Header.Get("Last-Event-ID")
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: last\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")
			http.NewResponseController(w).Flush()
			opened <- now
			select {
			case <-broken:
			case <-r.Context().Done():
			}
		case strings.Contains(string(body), `"initialize"`):
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("session-", session.Add(1)))
			id := string(body[strings.Index(string(body), `"id":`)+5:])
			id = id[:strings.IndexAny(id, ",}")]
			write(200, "application/json", `{"jsonrpc":"2.0","id":`+id+`,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`)(w, r)
		case r.Header.Get("Mcp-Session-Id") != now:
			w.WriteHeader(http.StatusNotFound)
		case strings.Contains(string(body), `"id":1,`) && session.Load() == 1:
			w.WriteHeader(http.StatusNotFound) // the session is lost
		case strings.Contains(string(body), `"id":1,`):
			write(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`)(w, r)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	h.greet()
	if got := <-opened; got != "session-1" {
		t.Fatalf("got a stream of %s", got)
	}
	h.next() // the event
	h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	h.answer("1")
	close(broken)
	if got := <-opened; got != "session-2" {
		t.Errorf("got a stream of %s", got)
	}
}

// TestEveryRequestGetsAnAnswer: whatever happens, the host gets JSON with the id.
func TestEveryRequestGetsAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		line   string
		answer http.HandlerFunc
		id     string
		code   int
		text   string
	}{
		"no JSON":                       {`{"jsonrpc":`, nil, "null", -32700, "not JSON"},
		"a batch":                       {`[{"jsonrpc":"2.0","id":1,"method":"x"}]`, nil, "null", -32600, "batches"},
		"502 with a page":               {"", write(502, "text/html", "<html>\nBad\n</html>"), "1", -32603, "502 Bad Gateway"},
		"an error of something between": {"", write(500, "application/json", `{"error":{"code":"x"}}`), "1", -32603, "500"},
		"an error without its id":       {"", write(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"m"}}`), "1", -32020, "m"},
		"no content":                    {"", write(202, "", ""), "1", -32603, "without a message"},
		"a stream that ends":            {"", write(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"), "1", -32603, "broke off"},
		"events that are no messages":   {"", write(200, "text/event-stream", "data: x\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":5,\"message\":\"m\"}}\n\n"), "1", 5, "m"},
		"a redirect to another server":  {"", http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect).ServeHTTP, "1", -32603, "redirects to"},
		"a legacy server that is probed": {
			`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`,
			write(400, "text/plain", "no session"), "1", -32601, "does not know",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, c.answer)
			line := c.line
			if line == "" {
				line = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
			}
			h.send("%s", line)
			for {
				m := h.next()
				if m.Method != "" {
					continue
				}
				if string(m.ID) != c.id || m.Error == nil || m.Error.Code != c.code || !strings.Contains(m.Error.Message, c.text) {
					t.Errorf("got %s %+v", m.ID, m.Error)
				}
				return
			}
		})
	}
}

func write(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func TestAListenStreamThatBreaksIsCanceled(t *testing.T) {
	h := open(t, write(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"}\n\n"))
	h.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{%s}}`, meta)
	h.next()
	if m := h.next(); m.Method != "notifications/cancelled" || !strings.Contains(string(m.Params), `"requestId":"l"`) {
		t.Errorf("got %s %s", m.Method, m.Params)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	h := launch(t, &login.Login{URL: gone.URL, Token: "none"})
	h.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	if m := h.answer("1"); m.Error == nil || !strings.Contains(m.Error.Message, "couldn't reach the server") {
		t.Errorf("got %v", m.Error)
	}
	if _, err := h.end(); !errors.Is(err, stdio.ErrUnreachable) {
		t.Errorf("got %v, want ErrUnreachable", err)
	}
}

// TestALoginThatIsMissingIsNamedWithItsLink has a server that wants a login, which is not made.
func TestALoginThatIsMissingIsNamedWithItsLink(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/mcp":
			w.WriteHeader(http.StatusUnauthorized)
		case "/register":
			write(201, "application/json", `{"client_id":"x"}`)(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "logins.json")
	h := launch(t, &login.Login{URL: server.URL + "/mcp", File: file, Attended: true})
	h.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	m := h.answer("1")
	var data struct{ URL string }
	if m.Error == nil || json.Unmarshal(m.Error.Data, &data) != nil || !strings.HasPrefix(data.URL, server.URL+"/authorize?") ||
		!strings.Contains(m.Error.Message, "beforehand: rialto call") {
		t.Errorf("got %+v", m.Error)
	}
	if _, err := h.end(); !errors.Is(err, login.ErrRequired) {
		t.Errorf("got %v, want ErrRequired", err)
	}
	refused := launch(t, &login.Login{URL: server.URL + "/mcp", Token: "wrong"})
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() { refused.send(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i) })
	}
	all.Wait()
	for range 3 {
		if m := refused.next(); m.Error == nil || !strings.Contains(m.Error.Message, "refused the access token") {
			t.Errorf("got %+v", m.Error)
		}
	}
}
