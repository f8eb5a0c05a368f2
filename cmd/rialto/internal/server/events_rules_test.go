package server

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/oauth"
)

// TestAnEventThatIsRefusedIsAGap has a receiver that does not want one event, does not know what a gap
// is, and has another secret.
func TestAnEventThatIsRefusedIsAGap(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	token := r.token("alice", oauth.ScopeTools)
	sub := hookTo("task.completed", hooks.url, hookSecret, object{})
	first := r.mcp(token, "events/subscribe", sub)
	hooks.mu.Lock()
	hooks.answers = []int{410, 400}
	hooks.mu.Unlock()
	r.send(token, "echo one")
	hooks.wait(1)
	r.send(token, "echo two")
	got := hooks.wait(3)
	if got[1].Type != "gap" || got[1].Cursor == nil || *got[1].Cursor != *got[0].Cursor || got[2].Name != "task.completed" || got[2].ID == got[0].ID {
		t.Errorf("got %+v, want the event, a gap, the next event", got)
	}
	sub["delivery"].(object)["secret"] = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
	if again := r.mcp(token, "events/subscribe", sub); again.Error != nil || again.Result.ID != first.Result.ID {
		t.Fatal(again.raw)
	}
	r.send(token, "echo three") // the receiver still checks with the old secret
	if got := hooks.wait(4); len(strings.Fields(got[3].header.Get("webhook-signature"))) != 2 {
		t.Errorf("got %q, want two signatures", got[3].header.Get("webhook-signature"))
	}
}

// settled waits until no delivery runs.
func (r *rig) settled() {
	r.t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(10 * time.Second); ; <-again.C {
		next, err := r.store.Events.Next(r.t.Context(), time.Now())
		if err != nil || time.Now().After(deadline) {
			r.t.Fatalf("a delivery is due at %v, %v", next, err)
		}
		if next.IsZero() {
			return
		}
	}
}

func TestEventsArePolledPageByPage(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	token := r.token("alice", oauth.ScopeTools)
	poll := func(more object) answered {
		p := object{"name": "task.completed", "arguments": object{}}
		for k, v := range more {
			p[k] = v
		}
		return r.mcp(token, "events/poll", p)
	}
	start := poll(object{"cursor": nil})
	if len(start.Result.Events) != 0 || start.Result.Cursor == "" {
		t.Fatal(start.raw)
	}
	for _, text := range []string{"echo 1", "echo 2", "echo 3"} {
		r.send(token, text)
	}
	for deadline := time.Now().Add(10 * time.Second); len(poll(object{"cursor": start.Result.Cursor}).Result.Events) < 3; {
		if time.Now().After(deadline) {
			t.Fatal("the events do not come")
		}
	}
	page := poll(object{"cursor": start.Result.Cursor, "maxEvents": 2})
	rest := poll(object{"cursor": page.Result.Cursor, "maxEvents": 2})
	if len(page.Result.Events) != 2 || !page.Result.HasMore || len(rest.Result.Events) != 1 || rest.Result.HasMore || page.Result.Events[0].Cursor != nil {
		t.Errorf("got %s and %s", page.raw, rest.raw)
	}
	if a := poll(object{"cursor": "118"}); a.Error != nil || !a.Result.Truncated || len(a.Result.Events) != 3 {
		t.Errorf("an unknown cursor: got %s, want all that is kept", a.raw)
	}
	for deadline := time.Now().Add(10 * time.Second); ; { // until a millisecond has passed since the last event
		a := poll(object{"cursor": start.Result.Cursor, "maxAgeMs": 1})
		if a.Result.Truncated && len(a.Result.Events) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("too old: got %s", a.raw)
		}
	}
	sub := hookTo("task.completed", hooks.url, hookSecret, object{})
	sub["cursor"], sub["maxAgeMs"] = start.Result.Cursor, 1
	if a := r.mcp(token, "events/subscribe", sub); a.Error != nil || !a.Result.Truncated {
		t.Errorf("a webhook for what is young: got %s", a.raw)
	}
	young := r.send(token, "echo 4")
	if got := hooks.wait(2); got[0].Type != "gap" || got[1].Data.Task != young {
		t.Errorf("got %+v, want only what is young", got)
	}
	if got := r.do("POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"events/poll","params":{"name":"task.completed"}}`); got.status != 401 {
		t.Errorf("without a token: got %d", got.status)
	}
}

// TestAnAgentThatChangesIsAnEvent has an agent change back and forth, and disappear. Another app may not
// know of the agent.
func TestAnAgentThatChangesIsAnEvent(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	others := newReceiver(t)
	r.cfg.Load().Push.AllowedHosts = append(r.cfg.Load().Push.AllowedHosts, others.host)
	claims := r.token("alice", oauth.ScopeTools+":claims")
	for token, to := range map[string]*receiver{claims: hooks, r.token("alice", oauth.ScopeTools+":sales"): others} {
		if a := r.mcp(token, "events/subscribe", hookTo("agent.changed", to.url, hookSecret, object{})); a.Error != nil {
			t.Fatal(a.raw)
		}
	}
	one := r.bridge.Directory.Lookup("scripted").AgentConfig
	two := one
	two.Name, two.UseCases = "second", []string{"claims"}
	off, on := two, two
	off.Disabled = true
	ids := map[string]bool{}
	steps := []struct {
		list   []directory.AgentConfig
		change string
	}{
		{[]directory.AgentConfig{one, on}, "added"}, {[]directory.AgentConfig{one, off}, "disabled"}, {[]directory.AgentConfig{one, on}, "changed"},
		{[]directory.AgentConfig{one, off}, "disabled"}, {[]directory.AgentConfig{one}, "removed"}, {[]directory.AgentConfig{one, on}, "added"}, {[]directory.AgentConfig{one}, "removed"},
	}
	for i, step := range steps {
		if i == 4 { // a narrow subscription gets the end as well
			if a := r.mcp(claims, "events/subscribe", hookTo("agent.changed", hooks.url, hookSecret, object{"agent": "second"})); a.Error != nil {
				t.Fatal(a.raw)
			}
		}
		r.bridge.Directory.SetAgents(step.list)
		for _, got := range hooks.wait(i + 1 + max(0, i-3))[i+max(0, i-4):] {
			if ids[got.ID] = true; got.Data.Agent != "second" || got.Data.Change != step.change {
				t.Errorf("step %d: got %+v, want %s", i, got, step.change)
			}
		}
	}
	if len(ids) != len(steps) {
		t.Errorf("got the events %v", ids)
	}
	r.settled()
	if got := others.wait(0); len(got) != 0 {
		t.Errorf("who may not know of the agent got %+v", got)
	}
}

// TestAModelIsToldOfEvents has clients that can subscribe, and one that cannot.
func TestAModelIsToldOfEvents(t *testing.T) {
	r, _, agent := eventRig(t, io.Discard)
	defer agent.Release()
	token := r.token("alice", oauth.ScopeTools)
	for client, want := range map[string]bool{
		`"io.modelcontextprotocol/clientInfo":{"name":"openai-mcp","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`:                                          true,
		`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/events":{}}}`: true,
		`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`:                                                   false,
	} {
		got := r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"agent":"scripted","message":"wait a bit","wait":0.1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+client+`}}}`,
			"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: send_task")
		if strings.Contains(got.body, "subscribe to the event task.changed") != want || !strings.Contains(got.body, "task_id") {
			t.Errorf("%s: got %s", client, got.body)
		}
	}
}

// TestAStreamGetsEventsUntilTheAccessEnds reads streams as clients of both eras. Their maxAgeMs does not
// apply to an event that comes while they are open.
func TestAStreamGetsEventsUntilTheAccessEnds(t *testing.T) {
	for version, meta := range map[string]string{
		"2026-07-28": `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`,
		"2025-11-25": "",
	} {
		t.Run(version, func(t *testing.T) {
			r, _, _ := eventRig(t, io.Discard)
			token := r.token("alice", oauth.ScopeTools)
			until := r.stream(token, version, `{"name":"task.completed","arguments":{},"cursor":null,"maxAgeMs":1`+meta+`}`)
			until("notifications/events/active")
			task := r.send(token, "echo hello")
			if got := until("notifications/events/event"); !strings.Contains(got, task) || !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":7`) {
				t.Errorf("got %s", got)
			}
			grant, err := r.oauth.Tokens.Verify(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.oauth.Grants.Revoke(t.Context(), grant.GrantID, "test"); err != nil {
				t.Fatal(err)
			}
			r.Server.webhooks.events.Wake()
			code := map[string]string{"2025-11-25": "-32012", "2026-07-28": "-32024"}[version]
			if got := until("notifications/events/terminated"); !strings.Contains(got, code) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// stream opens a stream of events, and returns what reads it until a line says something.
func (r *rig) stream(token, version, params string) (until func(what string) string) {
	req, err := http.NewRequestWithContext(r.t.Context(), "POST", r.cfg.Load().URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"events/stream","params":`+params+`}`))
	if err != nil {
		r.t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version, "Mcp-Method": "events/stream"} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func(what string) string {
		r.t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), what) {
				return lines.Text()
			}
		}
		r.t.Fatalf("the stream ended without %s: %v", what, lines.Err())
		return ""
	}
}
