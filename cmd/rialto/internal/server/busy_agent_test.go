package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// newBusyAgent serves a card, and refuses each call with 429.
func newBusyAgent(t *testing.T) (url string, userAgents chan string) {
	userAgents = make(chan string, 100)
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, r *http.Request) {
		userAgents <- r.UserAgent()
		_, _ = w.Write([]byte(`{"name":"Busy","description":"has no time","version":"1","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
			"skills":[{"id":"none","name":"None","description":"none","tags":[]}],"supportedInterfaces":[{"url":"` + srv.URL + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
	})
	mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		userAgents <- r.UserAgent()
		w.Header().Set("Retry-After", "7")
		http.Error(w, "busy", http.StatusTooManyRequests)
	})
	return srv.URL, userAgents
}

// TestCallersSeeThatAnAgentIsBusy sends messages to it through each door. They got 503, to try again after five
// seconds whatever the agent had said, and the agent did not see who calls it.
func TestCallersSeeThatAnAgentIsBusy(t *testing.T) {
	url, userAgents := newBusyAgent(t)
	r := newRig(t, config.Agent{Name: "busy", URL: url})
	full := r.token("alice", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
	const version, message = "A2A-Version: 1.0", `{"message":{"messageId":"m%s","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	rpc := func(method string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + fmt.Sprintf(message, method) + `}`
	}
	for name, tc := range map[string]struct {
		got        reply
		status     int
		retryAfter string
		says       string
	}{
		"REST":               {r.do("POST", "/api/v1/agents/busy/tasks", full, `{"message":"hello","wait":20}`), 429, "7", "too_many_requests"},
		"A2A over HTTP+JSON": {r.do("POST", "/a2a/busy/message:send", full, fmt.Sprintf(message, ""), version), 429, "7", "RATE_LIMITED"},
		"A2A over JSON-RPC":  {r.do("POST", "/a2a/busy", full, rpc("SendMessage"), version), 200, "7", "RATE_LIMITED"},
		"a stream":           {r.do("POST", "/a2a/busy", full, rpc("SendStreamingMessage"), version), 200, "", "RATE_LIMITED"},
		"MCP":                {r.do("POST", "/mcp/tools/call", full, `{"name":"send_task","arguments":{"agent":"busy","message":"hello"}}`), 200, "", "RATE_LIMITED"},
	} {
		if tc.got.status != tc.status || tc.got.header.Get("Retry-After") != tc.retryAfter || !strings.Contains(tc.got.body, tc.says) || !strings.Contains(tc.got.body, "retry after 7s") {
			t.Errorf("%s: got %d, Retry-After %q, %s", name, tc.got.status, tc.got.header.Get("Retry-After"), tc.got.body)
		}
	}
	close(userAgents)
	for got := range userAgents {
		if got != "rialto/"+Version() {
			t.Errorf("got the User-Agent %q", got)
		}
	}
}
