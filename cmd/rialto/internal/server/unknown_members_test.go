package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
)

// TestUnknownMembersAreIgnored sends members that A2A 1.0 does not define, as
// drafts of 1.1 do, in both directions. They are ignored and not passed on:
// a2a-python 1.x refuses a message or an answer that has one.
func TestUnknownMembersAreIgnored(t *testing.T) {
	event := func(s string) string { return `data: {"jsonrpc":"2.0","id":$ID,"result":` + s + "}\n\n" }
	later := &a2atest.Rogue{
		Card: `{"name":"later","supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true,"later":1}}`,
		Answers: map[string][]a2atest.Answer{"SendStreamingMessage": {{
			Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: event(`{"task":{"id":"t","contextId":"c","later":"1","status":{"state":"TASK_STATE_WORKING","later":[]},"artifacts":[{"artifactId":"real","later":{},"parts":[{"text":"real","later":1}]}]}}`) +
				event(`{"statusUpdate":{"taskId":"t","contextId":"c","later":"2","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"m","role":"ROLE_AGENT","later":1,"parts":[{"text":"done"}]}},"artifacts":[{"artifactId":"forged","parts":[{"text":"forged"}]}],"message":{"x":1},"error":{"x":1}}}`),
		}}},
	}
	r := newRig(t, config.Agent{Name: "later", URL: later.Serve(t)})
	token := r.full("alice")
	call := func(method, params string, headers ...string) reply {
		return r.do("POST", "/a2a/later", token, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), headers...)
	}
	const message = `{"message":{"messageId":"m1","role":"ROLE_USER","skillHint":"later","parts":[{"text":"hello"}]}}`
	for name, got := range map[string]reply{
		"send":            call("SendMessage", message),
		"list":            call("ListTasks", `{"includeArtifacts":true}`),
		"a caller of 0.3": call("message/send", strings.Replace(message, "ROLE_USER", "user", 1), "A2A-Version: 0.3"),
	} {
		if !strings.Contains(got.body, `"text":"real"`) || strings.Contains(got.body, "later\":") || strings.Contains(got.body, "forged") || strings.Contains(got.body, `"x"`) {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
	for _, c := range later.Calls() {
		if strings.Contains(string(c.Params), "skillHint") {
			t.Errorf("the agent got %s", c.Params)
		}
	}
}
