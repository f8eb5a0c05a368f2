package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

func TestMethodHandlers(t *testing.T) {
	s := &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, Tools: mcptest.Tools(), SessionKey: []byte("key"), Limits: mcp.Limits{MaxCalls: 1}}
	srv := serve(t, s)
	mux := http.NewServeMux()
	for _, method := range []string{"initialize", "tools/list", "tools/call", "resources/list"} {
		mux.Handle("/"+method, s.MethodHandler(method, http.MethodGet, http.MethodPost))
	}
	mux.Handle("/post/", s.MethodHandler("tools/call", http.MethodPost))
	srv.Config.Handler = mux
	hybrid := `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		begins, holds      string
	}{
		"a list, read":                     {"GET", "/tools/list", "", 200, `{"tools":[{"name":"echo"`, `"annotations"`},
		"a list, by an empty POST":         {"POST", "/tools/list", "", 200, `{"tools":[`, ""},
		"a list, by params":                {"POST", "/tools/list", "{}", 200, `{"tools":[`, ""},
		"a list, by a message":             {"POST", "/tools/list", `{"jsonrpc":"2.0","method":"tools/list","id":"1"}`, 200, `{"jsonrpc":"2.0","id":"1","result":{"tools":[`, ""},
		"resources where there are none":   {"GET", "/resources/list", "", 200, `{"resources":[]}`, ""},
		"a handshake, by a message":        {"POST", "/initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`, 200, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26"`, `"serverInfo"`},
		"a handshake, by params":           {"POST", "/initialize", `{"protocolVersion":"2025-06-18"}`, 200, `{"protocolVersion":"2025-06-18"`, ""},
		"a call":                           {"POST", "/tools/call", `{"name":"echo","arguments":{"text":"hi"}}`, 200, `{"content":[{"type":"text","text":"hi"}]`, `"structuredContent":{"text":"hi"}`},
		"a call, by a message":             {"POST", "/tools/call", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`, 200, `{"jsonrpc":"2.0","id":3,"result":{"content":`, ""},
		"a call with wrong arguments":      {"POST", "/tools/call", `{"name":"echo"}`, 200, `{"content":`, `"isError":true`},
		"a call of no tool":                {"POST", "/tools/call", `{"name":"none"}`, 400, `{"error":{"code":-32602`, "tools/list"},
		"a call that fails":                {"POST", "/tools/call", `{"name":"breaks","arguments":{"how":"panic"}}`, 500, `{"error":{"code":-32603,"message":"internal error"}}`, ""},
		"a call that names no tool, empty": {"POST", "/tools/call", "", 400, `{"error":{"code":-32602`, ""},
		"params of another type":           {"POST", "/tools/call", "[1]", 400, `{"error":{"code":-32602`, ""},
		"params that are two":              {"POST", "/tools/list", `{"a":1},"method":"tools/call"`, 400, `{"error":{"code":-32700`, ""},
		"what is not JSON":                 {"POST", "/tools/list", "tools", 400, `{"error":{"code":-32700`, ""},
		"a message of another method":      {"POST", "/tools/list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600`, "tools/list"},
		"a notification":                   {"POST", "/tools/list", `{"jsonrpc":"2.0","method":"tools/list"}`, 400, `{"jsonrpc":"2.0","error":{"code":-32600`, ""},
		"a revision without its header":    {"POST", "/tools/list", hybrid, 400, `{"jsonrpc":"2.0","id":7,"error":{"code":-32020`, ""},
		"too much of nobody":               {"POST", "/tools/list", `{"pad":"` + strings.Repeat("x", 64<<10) + `"}`, 413, `{"error":{"code":-32000`, ""},
		"more for a call":                  {"POST", "/tools/call", `{"name":"echo","arguments":{"text":"` + strings.Repeat("x", 80<<10) + `"}}`, 200, `{"content":`, ""},
		"GET where it means nothing":       {"GET", "/post/", "", 405, `{"jsonrpc":"2.0","error":{"code":-32000`, "takes POST"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), c.method, srv.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			res, err := srv.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body := readAll(t, res)
			if res.StatusCode != c.status || !strings.HasPrefix(body, c.begins) || !strings.Contains(body, c.holds) {
				t.Errorf("got %d %.300s, want %d %s … %s", res.StatusCode, body, c.status, c.begins, c.holds)
			}
			if res.Header.Get("Mcp-Session-Id") != "" || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
				t.Errorf("got the header %v, want JSON and no session", res.Header)
			}
		})
	}
}

func TestMethodHandlersAreGuarded(t *testing.T) {
	w := newWaiter()
	s := &mcp.Server{Tools: []mcp.Tool{w.tool()}, Limits: mcp.Limits{MaxCalls: 1}}
	srv := serve(t, s)
	door := s.MethodHandler("tools/call", http.MethodPost)
	srv.Config.Handler = door
	one := w.start(context.Background(), &client{t: t, srv: srv, era: eras[0]}, "1")
	if res, _ := (&client{t: t, srv: srv, era: eras[0]}).do("2", "tools/call", `"name":"wait"`); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a call too many: got %d, want 429", res.StatusCode)
	}
	close(w.release)
	<-one
	r := httptest.NewRequest("POST", "https://rialto.example/mcp/tools/call", strings.NewReader("{}"))
	r.Header.Set("Origin", "https://evil.example")
	rec := httptest.NewRecorder()
	if door.ServeHTTP(rec, r); rec.Code != http.StatusForbidden {
		t.Errorf("a page of elsewhere: got %d, want 403", rec.Code)
	}
}
