package doctor_test

import (
	"strings"
	"testing"

	"rialto/a2a/a2atest"
	"rialto/internal/doctor"
)

// TestAnAgentIsRecognized: its report once listed the requirements of an MCP server.
func TestAnAgentIsRecognized(t *testing.T) {
	rogue := &a2atest.Rogue{Card: `{"name":"x","supportedInterfaces":[{"url":"$URL/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`}
	url := rogue.Serve(t)
	for path, want := range map[string]bool{"": true, "/rpc": true, "/.well-known/agent-card.json": true, "/mcp": false} {
		var text strings.Builder
		if err := (&doctor.Doctor{}).Examine(t.Context(), url+path).WriteText(&text, false, doctor.Status.Mark); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(text.String(), "This is an A2A agent, not an MCP server.\n  Add it to Rialto as an agent. To look at it first, run:\n\n    rialto agents preview "+url+path+"\n"); has != want {
			t.Errorf("%s: got %v, want %v:\n%s", path, has, want, text.String())
		}
	}
}
