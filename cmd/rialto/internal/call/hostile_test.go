package call_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rialto/cmd/rialto/internal/call"
	"rialto/cmd/rialto/internal/login"
	"rialto/cmd/rialto/internal/term"
)

// TestAServerDoesNotControlTheTerminal prints names with escape sequences, wherever a server can put names.
func TestAServerDoesNotControlTheTerminal(t *testing.T) {
	const evil = "\x1b]52;c;ZXZpbA==\a\x1b[2J"
	var out bytes.Buffer
	p := &call.Printer{Out: &out}
	tool := &mcp.Tool{Name: "x" + evil, InputSchema: map[string]any{
		"type": "object", "required": []string{"a" + evil}, "properties": map[string]any{"a" + evil: map[string]any{"type": "string"}},
	}}
	err := p.Tools([]*mcp.Tool{tool})
	p.Tool(tool, "rialto call")
	for _, structured := range []any{
		[]any{map[string]any{"k" + evil: "v" + evil}}, map[string]any{"k" + evil: "v" + evil},
		map[string]any{"columns": []any{"c" + evil}, "rows": []any{[]any{evil}}},
	} {
		if err == nil {
			err = p.Result(t.Context(), nil, &mcp.CallToolResult{StructuredContent: structured})
		}
	}
	if err != nil || strings.ContainsAny(out.String(), "\x1b\a") || !strings.Contains(out.String(), "k]52;c") {
		t.Errorf("%v; printed %q", err, &out)
	}
}

// TestATableHasALineForEachRow prints a name of two lines, the second of which looks like another row.
func TestATableHasALineForEachRow(t *testing.T) {
	var out bytes.Buffer
	p := &call.Printer{Out: &out}
	if err := p.Tools([]*mcp.Tool{{Name: "one\ntwo\u2028three", InputSchema: map[string]any{"type": "object"}}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("got %d lines, want the head and a row:\n%s", got, &out)
	}
}

// TestAnswersAreBounded connects to a server whose first answer does not end.
func TestAnswersAreBounded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := bytes.Repeat([]byte(" "), 1<<20)
		for range 256 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	if _, err := client(server.URL).Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "answers too much") {
		t.Errorf("got %v, want that the server answers too much", err)
	}
}

// TestATaskIsNotPolledWithoutAPause calls a tool whose task runs on, whatever the time that a poll may wait.
func TestATaskIsNotPolledWithoutAPause(t *testing.T) {
	polls := 0
	server := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
	running := func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
		polls++
		return &mcp.CallToolResult{}, map[string]any{"task_id": "t", "state": "working"}, nil
	}
	mcp.AddTool(server, &mcp.Tool{Name: "send_task"}, running)
	mcp.AddTool(server, &mcp.Tool{Name: "get_task"}, running)
	ts := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer ts.Close()
	s, err := client(ts.URL).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	tool := &mcp.Tool{Name: "send_task", InputSchema: map[string]any{"type": "object"}}
	if _, err := s.Call(ctx, tool, map[string]any{}); err == nil || polls > 2 {
		t.Errorf("got %d calls in 1.5 s, %v", polls, err)
	}
}

// TestTheTokenStaysAtItsServer redirects to another origin, which must not get the access token.
func TestTheTokenStaysAtItsServer(t *testing.T) {
	var got string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got += r.Header.Get("Authorization") }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/mcp", http.StatusTemporaryRedirect))
	defer server.Close()
	_, err := client(server.URL).Connect(t.Context())
	if got != "" || err == nil || !strings.Contains(err.Error(), "it redirects to "+other.URL) {
		t.Errorf("the other server got %q; the error is %v", got, err)
	}
}

// TestALoginIsAWebPage names a file as the page of the login, which the system would open.
func TestALoginIsAWebPage(t *testing.T) {
	answers := map[string]map[string]any{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch answer, ok := answers[r.URL.Path]; {
		case ok:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(map[bool]int{true: http.StatusCreated, false: http.StatusOK}[r.URL.Path == "/register"])
			json.NewEncoder(w).Encode(answer)
		case r.URL.Path == "/":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	answers["/.well-known/oauth-protected-resource"] = map[string]any{"resource": server.URL, "authorization_servers": []string{server.URL}}
	answers["/.well-known/oauth-authorization-server"] = map[string]any{
		"issuer": server.URL, "authorization_endpoint": "file://localhost/etc/passwd", "token_endpoint": server.URL + "/token",
		"registration_endpoint": server.URL + "/register", "code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
	}
	answers["/register"] = map[string]any{"client_id": "x"}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	c := client(server.URL)
	c.Login = &login.Login{
		URL: server.URL, File: filepath.Join(t.TempDir(), "logins.json"), Err: &bytes.Buffer{}, Attended: true,
	}
	if _, err := c.Connect(ctx); err == nil || !strings.Contains(err.Error(), "no web page") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func client(address string) *call.Client {
	return &call.Client{
		URL: address, Version: "test", Login: &login.Login{Token: "secret"},
		Dialog: term.NewDialog(strings.NewReader(""), &bytes.Buffer{}), Err: &bytes.Buffer{},
	}
}
