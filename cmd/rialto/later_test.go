package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/registry"
)

// TestMembersOfALaterGenerationCross has an agent say, and callers send, what no
// generation of ours has: it goes through the server and its ledger for callers of
// 1.0 who ask for it, over JSON, and for nobody else.
func TestMembersOfALaterGenerationCross(t *testing.T) {
	later := a2atest.NewLater()
	t.Cleanup(func() { later.Close() })
	plain := &a2atest.Rogue{
		Card:    `{"name":"plain","supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"extensions":[{"uri":"` + a2a.OtherMembers + `"}]}}`,
		Answers: map[string][]a2atest.Answer{"SendMessage": {{Body: `{"jsonrpc":"2.0","id":$ID,"result":{"task":{"id":"t","generation":"5","status":{"state":"TASK_STATE_COMPLETED"}}}}`}}},
	}
	strict := &a2atest.Rogue{ // as the servers of a2a-python
		Card:    `{"name":"strict","supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true}}`,
		Answers: map[string][]a2atest.Answer{"SendStreamingMessage": plain.Answers["SendMessage"]},
	}
	hidden := a2atest.NewLater()
	t.Cleanup(func() { hidden.Close() })
	r := newRig(t,
		agentConfig{Name: "later", URL: a2atest.Serve(t, later, later.Card(), a2a.V10)},
		agentConfig{Name: "plain", URL: plain.Serve(t)},
		agentConfig{Name: "strict", URL: strict.Serve(t)},
		agentConfig{Name: "hidden", URL: a2atest.Serve(t, hidden, hidden.Card(), a2a.V10), Skills: []registry.Skill{{ID: "echo", UseCases: []string{"one"}}}},
	)
	token := r.full("alice")
	const asks = "A2A-Extensions: " + a2a.OtherMembers
	call := func(agent, method, params string, headers ...string) reply {
		return r.do("POST", "/a2a/"+agent, token, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), headers...)
	}
	say := func(id, more string) string {
		return `{"message":{"messageId":"` + id + `","role":"ROLE_USER","parts":[{"text":"echo hello"}]` + more + `}}`
	}
	sent := call("later", "SendMessage", say("m1", `,"callersSay":{"a":[1,"x"]}`), asks)
	var got struct {
		Result struct{ Task map[string]json.RawMessage }
	}
	sent.decode(t, &got)
	var id string
	if json.Unmarshal(got.Result.Task["id"], &id) != nil || sent.header.Get("A2A-Extensions") != a2a.OtherMembers {
		t.Fatalf("got %d %s", sent.status, sent.body)
	}
	about := `{"id":"` + id + `"}`
	for name, c := range map[string]struct {
		got   reply
		gets  bool
		count int // of the objects that have it
	}{
		"a caller that asks":         {sent, true, 6},
		"who asks for the task":      {call("later", "GetTask", about, asks), true, 6},
		"over HTTP+JSON":             {r.do("GET", "/a2a/later/tasks/"+id, token, "", "A2A-Version: 1.0", asks), true, 6},
		"in a list":                  {call("later", "ListTasks", `{"includeArtifacts":true}`, asks), true, 6},
		"in a stream":                {call("later", "SendStreamingMessage", say("m2", ""), asks), true, 5},
		"a caller that does not ask": {call("later", "GetTask", about), false, 0},
		"who asks for another":       {call("later", "GetTask", about, "A2A-Extensions: urn:x, "+a2a.SkillForms), false, 0},
		"a caller of 0.3":            {call("later", "tasks/get", about, asks, "A2A-Version: 0.3"), false, 0},
		"a stream without asking":    {call("later", "SendStreamingMessage", say("m3", `,"callersSay":1`)), false, 0},
		"the REST API":               {r.do("GET", "/api/v1/tasks/"+id, token, "", asks), false, 0},
	} {
		if c.got.status != 200 || strings.Contains(c.got.body, "generation") != c.gets || strings.Count(c.got.body, a2atest.LaterMember) < c.count ||
			!c.gets && strings.Contains(c.got.body, a2atest.LaterMember) {
			t.Errorf("%s: got %d %s", name, c.got.status, c.got.body)
		}
	}
	call("hidden", "SendMessage", say("m4", `,"skillHint":"echo"`), asks)
	for agent, want := range map[*a2atest.Agent]string{later.Agent: `[{"callersSay":{"a":[1,"x"]}},null,null]`, hidden.Agent: `[null]`} {
		var others []a2a.Members
		for _, req := range agent.Received() {
			others = append(others, req.Message.Others)
		}
		if b, err := json.Marshal(others); err != nil || string(b) != want {
			t.Errorf("an agent got %s, want %s", b, want)
		}
	}
	if got := call("plain", "SendMessage", say("m5", `,"callersSay":true`), asks); !strings.Contains(got.body, `"generation":"5"`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	calls := plain.Calls()
	if len(calls) != 1 || !strings.Contains(string(calls[0].Params), `"callersSay":true`) || calls[0].Header.Get("A2A-Extensions") != a2a.OtherMembers {
		t.Errorf("an agent of others got %s", calls)
	}
	if got := call("strict", "SendMessage", say("m6", `,"callersSay":true`), asks); !strings.Contains(got.body, `"generation":"5"`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	calls = strict.Calls()
	if len(calls) != 1 || strings.Contains(string(calls[0].Params), "callersSay") || calls[0].Header.Get("A2A-Extensions") != "" {
		t.Errorf("an agent that takes no others got %s", calls)
	}
}

// TestAnUpdateCannotForgeKnownMembers: the last of two members with one name counts
// for most readers, and a status update may say anything.
func TestAnUpdateCannotForgeKnownMembers(t *testing.T) {
	event := func(s string) string { return `data: {"jsonrpc":"2.0","id":$ID,"result":` + s + "}\n\n" }
	rogue := &a2atest.Rogue{
		Card: `{"name":"rogue","supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true,"extensions":[{"uri":"` + a2a.OtherMembers + `"}]}}`,
		Answers: map[string][]a2atest.Answer{"SendStreamingMessage": {{
			Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: event(`{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"real","parts":[{"text":"real"}]}]}}`) +
				event(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"gen":7,"artifacts":[{"artifactId":"forged","parts":[{"text":"forged"}]}],"message":{"x":1},"error":{"x":1}}}`),
		}}},
	}
	r := newRig(t, agentConfig{Name: "rogue", URL: rogue.Serve(t)})
	token := r.full("alice")
	for _, call := range []string{
		`"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"echo hello"}]}}`,
		`"method":"ListTasks","params":{"includeArtifacts":true}`,
	} {
		got := r.do("POST", "/a2a/rogue", token, `{"jsonrpc":"2.0","id":1,`+call+`}`, "A2A-Extensions: "+a2a.OtherMembers)
		if !strings.Contains(got.body, `"gen":7`) || strings.Count(got.body, `"artifacts"`) != 1 || strings.Contains(got.body, "forged") || strings.Contains(got.body, `"x"`) {
			t.Errorf("%s: got %d %s", call, got.status, got.body)
		}
	}
}
