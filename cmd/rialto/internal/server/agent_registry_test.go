package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/oauth"
)

// TestAPreviewSaysWhatIsWrongWithACard has cards that can be used, but not as they should.
func TestAPreviewSaysWhatIsWrongWithACard(t *testing.T) {
	rogue := &a2atest.Rogue{Card: `{"name":"","version":"1","skills":[{"id":"a","name":"a","description":"","tags":[]}],"supportedInterfaces":[{"url":"$URL/rpc","protocolBinding":"JSONRPC","protocolVersion":"7.3"}]}`}
	p, err := newRig(t).agents.Preview(t.Context(), directory.AgentConfig{Name: "new", URL: rogue.Serve(t)})
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	for _, problem := range p.Problems {
		problems = append(problems, problem.Error())
	}
	want := []string{"Its card lacks the field name.", "Its card lacks the field description.", "Its card names A2A 7.3, which this server does not know. It will try the versions that it knows."}
	if !slices.Equal(problems, want) || p.Offers[0].Protocol != "7.3" {
		t.Errorf("got %q, %+v, want %q", problems, p.Offers, want)
	}
}

// TestAPathWithoutAnOperationIsNotFound: any POST below an agent was taken for JSON-RPC.
func TestAPathWithoutAnOperationIsNotFound(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t)
	if err := r.agents.Add(t.Context(), directory.AgentConfig{Name: "new", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}, nil); err != nil {
		t.Fatal(err)
	}
	token := r.full("alice")
	const call = `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`
	for path, want := range map[string]int{"/a2a/new": 200, "/a2a/new/": 200, "/a2a/new/nope": 404, "/a2a/new/tasks/": 404, "/a2a/nope": 404} {
		if got := r.do("POST", path, token, call, "A2A-Version: 1.0"); got.status != want {
			t.Errorf("%s: got %d %s, want %d", path, got.status, got.body, want)
		}
	}
	if got := r.do("GET", "/a2a/new/nope", token, ""); got.status != 404 {
		t.Errorf("got %d, want 404", got.status)
	}
}

// TestAnAddedAgentIsServedByEveryProtocol adds one to a server that runs.
func TestAnAddedAgentIsServedByEveryProtocol(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	url := a2atest.Serve(t, agent, agent.Card(), a2a.V03)
	r := newRig(t)
	token := r.full("alice")
	doors := func(want int) {
		t.Helper()
		for door, got := range map[string]int{
			"its card":   r.do("GET", "/a2a/new/.well-known/agent-card.json", token, "").status,
			"the API":    r.do("GET", "/api/v1/agents/new/card", token, "").status,
			"a message":  r.do("POST", "/a2a/new/message:send", token, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"say hello"}]}}`, "A2A-Version: 1.0").status,
			"the root":   r.do("GET", "/.well-known/agent-card.json", token, "").status,
			"a new task": r.do("POST", "/api/v1/agents/new/tasks", token, `{"message":"say hello"}`).status,
		} {
			if got != want {
				t.Errorf("%s: got %d, want %d", door, got, want)
			}
		}
		listed := r.do("POST", "/mcp/tools/call", r.token("alice", oauth.ScopeTools), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents","arguments":{}}}`)
		if has := strings.Contains(listed.body, `"name":"new"`); has != (want == 200) {
			t.Errorf("list_agents: got %s", listed.body)
		}
	}
	doors(http.StatusNotFound)
	a := directory.AgentConfig{Name: "new", URL: url}
	p, err := r.agents.Preview(t.Context(), a)
	if err != nil || p.Interface.Protocol != a2a.V03 || p.Interface.Binding != a2a.JSONRPC {
		t.Fatalf("got %+v, %v", p, err)
	}
	if err := r.agents.Add(t.Context(), a, nil); err != nil {
		t.Fatal(err)
	}
	doors(http.StatusOK)
	s, err := r.agents.Agent(t.Context(), "new")
	if err != nil || s.Health == nil || s.Health.Card == nil || s.Health.Answered.IsZero() || s.Health.Interface.Version != a2a.V03 {
		t.Errorf("got %+v, %v", s.Health, err)
	}
	if _, err := r.agents.Disable(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	doors(http.StatusNotFound)
}

// TestAPreviewQuotesNoAnswer previews the addresses of services inside the network. The error once
// quoted 200 bytes of their answer.
func TestAPreviewQuotesNoAnswer(t *testing.T) {
	agents := newRig(t).agents
	for _, status := range []int{200, 401, 404, 500} {
		for _, kind := range []string{"text/plain", "text/html", "application/json"} {
			said := `{"secret":"hunter2"}`
			inside := &a2atest.Rogue{Answers: map[string][]a2atest.Answer{"GET /.well-known/agent-card.json": {
				{Status: status, Header: http.Header{"Content-Type": {kind}}, Body: said},
			}}}
			_, err := agents.Preview(t.Context(), directory.AgentConfig{Name: "new", URL: inside.Serve(t)})
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("HTTP %d, %s: got %v", status, kind, err)
			}
		}
	}
}
