package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/mcp"
)

// outcomes keeps the outcomes of requests.
type outcomes []mcp.Outcome

func (o *outcomes) ObserveRequest(
	ctx context.Context, _ mcp.Operation,
) (context.Context, func(mcp.Outcome)) {
	return ctx, func(got mcp.Outcome) { *o = append(*o, got) }
}

// TestObserversSeeWhatACallWas calls a tool in each way that a usage record tells apart.
func TestObserversSeeWhatACallWas(t *testing.T) {
	var seen outcomes
	var leave context.CancelFunc
	s := &mcp.Server{Info: mcp.Implementation{Name: "x", Version: "1"}, Observers: []mcp.Observer{&seen}, Tools: []mcp.Tool{{
		Name:        "do",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string"}}}`),
		Call: func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			switch {
			case strings.Contains(string(c.Arguments), "panic"):
				panic("no index")
			case strings.Contains(string(c.Arguments), "leave"):
				leave()
			}
			return &mcp.Result{Content: []mcp.Content{mcp.Text("done")}}, nil
		},
	}}}
	for _, tc := range []struct {
		name, tool, params                string
		called, result, failed, cancelled bool
		size                              int
	}{
		{name: "a result", tool: "do", params: `"name":"do"`, called: true, result: true, size: 4},
		{
			name: "arguments of another type", tool: "do", params: `"name":"do","arguments":{"what":1}`,
			called: true, result: true,
		},
		{name: "no such tool", tool: "none", params: `"name":"none"`},
		{
			name: "a panic", tool: "do", params: `"name":"do","arguments":{"what":"panic"}`,
			called: true, failed: true,
		},
		{
			name: "a client that leaves", tool: "do", params: `"name":"do","arguments":{"what":"leave"}`,
			called: true, result: true, cancelled: true, size: 4,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			seen = nil
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			leave = cancel
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+tc.params+
					`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
					`"io.modelcontextprotocol/clientCapabilities":{}}}}`))
			for name, value := range map[string]string{
				"Content-Type":         "application/json",
				"Accept":               "application/json, text/event-stream",
				"MCP-Protocol-Version": "2026-07-28",
				"Mcp-Method":           "tools/call",
				"Mcp-Name":             tc.tool,
			} {
				r.Header.Set(name, value)
			}
			s.ServeHTTP(httptest.NewRecorder(), r)
			if len(seen) != 1 {
				t.Fatalf("got %d outcomes, want 1", len(seen))
			}
			got := seen[0]
			if (got.Call != nil) != tc.called || (got.Result != nil) != tc.result || (got.Err != nil) != tc.failed {
				t.Errorf("got the call %v, the result %v and the error %v", got.Call, got.Result, got.Err)
			}
			if got.Canceled != tc.cancelled || got.Size != tc.size {
				t.Errorf("got canceled %v and %d bytes, want %v and %d", got.Canceled, got.Size, tc.cancelled, tc.size)
			}
		})
	}
}
