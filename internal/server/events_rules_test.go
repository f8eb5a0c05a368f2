package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/oauth"
)

// TestAWebhookThatDoesNotWantEventsGetsNone subscribes addresses that are refused or do not prove that
// they want events. No subscription stays.
func TestAWebhookThatDoesNotWantEventsGetsNone(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	status := func(code int) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, c string) {
			w.Header().Set("Location", hooks.url)
			w.WriteHeader(code)
			repeats(w, c)
		}
	}
	for name, tc := range map[string]struct {
		user, url string
		verify    func(http.ResponseWriter, string)
		code      int
		reason    string
	}{
		"plain http":         {"alice", "http://hooks.example/x", nil, -32602, ""},
		"a username":         {"alice", "https://me:pw@hooks.example/x", nil, -32602, ""},
		"a private address":  {"alice", "https://127.0.0.1/x", nil, -32602, ""},
		"cloud metadata":     {"alice", "https://169.254.169.254/latest", nil, -32602, ""},
		"another port":       {"alice", "https://hooks.example:22/x", nil, 0, ""}, // refused, or no such host
		"another challenge":  {"alice", "", func(w http.ResponseWriter, c string) { repeats(w, c+"x") }, -32015, "challenge_failed"},
		"no JSON":            {"alice", "", func(w http.ResponseWriter, c string) { fmt.Fprint(w, c) }, -32015, "challenge_failed"},
		"a redirect":         {"bob", "", status(http.StatusFound), -32015, "challenge_failed"},
		"an error of theirs": {"bob", "", status(500), -32015, "http_5xx"},
		"not found":          {"bob", "", status(404), -32015, "http_4xx"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.url == "" {
				tc.url = hooks.url
			}
			hooks.mu.Lock()
			hooks.verify = tc.verify
			hooks.mu.Unlock()
			a := r.mcp(r.token(tc.user, oauth.ScopeTools), "events/subscribe", hookTo("task.completed", tc.url, hookSecret, object{}))
			if a.Error == nil || tc.code != 0 && a.Error.Code != tc.code || tc.reason != "" && a.Error.Data["reason"] != tc.reason {
				t.Errorf("got %s", a.raw)
			}
		})
	}
	if grants, err := r.store.Events.Grants(t.Context()); err != nil || len(grants) != 0 {
		t.Errorf("subscriptions of %v are left, %v", grants, err)
	}
}

func TestASubscriptionIsRenewedNotDoubled(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	alice, bob := r.token("alice", oauth.ScopeTools), r.token("bob", oauth.ScopeTools)
	ask := func(token string, arguments any, ttl any) answered {
		p := hookTo("task.completed", hooks.url, hookSecret, arguments)
		if ttl != "absent" {
			p["ttlMs"] = ttl
		}
		return r.mcp(token, "events/subscribe", p)
	}
	first := ask(alice, object{"agent": "scripted", "context_id": "c"}, "absent")
	for ttl, want := range map[any]time.Duration{"absent": time.Hour, 1: time.Minute, int64(1e15): 24 * time.Hour, nil: 24 * time.Hour, 7200000: 2 * time.Hour} {
		a := ask(alice, object{"context_id": "c", "agent": "scripted"}, ttl)
		if a.Error != nil || a.Result.ID != first.Result.ID || a.Result.DeliveryStatus == nil || !a.Result.DeliveryStatus.Active {
			t.Fatalf("ttlMs %v: got %s, want the subscription renewed", ttl, a.raw)
		}
		if left := time.Until(*a.Result.RefreshBefore); left > want || left < want-time.Minute {
			t.Errorf("ttlMs %v: got %v, want %v", ttl, left, want)
		}
	}
	for _, ttl := range []any{-1, "1h", true} {
		if a := ask(alice, object{}, ttl); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("ttlMs %v: got %s", ttl, a.raw)
		}
	}
	if a := ask(bob, object{"agent": "scripted", "context_id": "c"}, "absent"); a.Error != nil || a.Result.ID == first.Result.ID {
		t.Errorf("bob's is alice's: %s", a.raw)
	}
	ids := make([]string, 8)
	var wait sync.WaitGroup
	for i := range ids {
		wait.Go(func() { ids[i] = ask(alice, object{"context_id": "one"}, "absent").Result.ID })
	}
	wait.Wait()
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Fatalf("got %q, want one subscription", ids)
		}
	}
}

func TestAFloodOfSubscriptionsIsRefused(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	cfg := *r.cfg.Load()
	cfg.Limits.EventSubscriptionsPerUser = 2
	r.cfg.Store(&cfg)
	for user, want := range map[string]int{"alice": 2, "bob": 2} {
		token, granted := r.token(user, oauth.ScopeTools), 0
		for i := range 4 {
			a := r.mcp(token, "events/subscribe", hookTo("task.completed", fmt.Sprint(hooks.url, i), hookSecret, object{}))
			if a.Error == nil {
				granted++
			} else if a.Error.Code != -32013 || a.Error.Data["limit"] != "subscriptions" || a.Error.Data["max"] != 2.0 {
				t.Errorf("got %s", a.raw)
			}
		}
		if granted != want {
			t.Errorf("%s got %d, want %d", user, granted, want)
		}
	}
	cfg.Limits.EventSubscriptionsPerUser = 100
	for i := range 12 {
		a := r.mcp(r.token("alice", oauth.ScopeTools), "events/subscribe", hookTo("task.completed", fmt.Sprint(hooks.url, "&n=", i), hookSecret, object{}))
		if i == 11 && (a.Error == nil || a.Error.Data["limit"] != "verifications") {
			t.Errorf("webhook %d in a minute: got %s", i, a.raw)
		}
	}
}

// TestASubscriptionEndsWithItsAccess has a receiver that is busy when its subscription ends, and a task
// that ends afterwards.
func TestASubscriptionEndsWithItsAccess(t *testing.T) {
	for name, end := range map[string]func(r *rig, carol *oauth.Account, grant string) error{
		"the grant is revoked": func(r *rig, _ *oauth.Account, grant string) error {
			return r.oauth.Grants.Revoke(t.Context(), grant, "test")
		},
		"the account is disabled": func(r *rig, carol *oauth.Account, _ string) error {
			return r.oauth.Accounts.SetDisabled(t.Context(), carol.Name, true)
		},
		"the account is limited to other use cases": func(r *rig, carol *oauth.Account, _ string) error {
			carol.UseCases = oauth.ScopeSet{"sales"}
			_, err := r.store.OAuth.Identify(t.Context(), carol, true)
			return err
		},
		"the agent is for other use cases": func(r *rig, _ *oauth.Account, _ string) error {
			agent, _ := r.bridge.Directory.Agent("scripted")
			agent.UseCases = []string{"sales"}
			r.bridge.Directory.SetAgents([]directory.Agent{agent})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, hooks, agent := eventRig(t, io.Discard)
			scripted, _ := r.bridge.Directory.Agent("scripted")
			scripted.UseCases = []string{"claims"}
			r.bridge.Directory.SetAgents([]directory.Agent{scripted})
			carol, err := r.store.OAuth.Identify(t.Context(), &oauth.Account{ID: "carol", Name: "carol", Issuer: "https://login.example", Subject: "1"}, true)
			if err != nil {
				t.Fatal(err)
			}
			token := r.token("carol", oauth.ScopeTools+":claims")
			a := r.mcp(token, "events/subscribe", hookTo("task.completed", hooks.url, hookSecret, object{"agent": "scripted"}))
			grants, err := r.store.Events.Grants(t.Context())
			if a.Error != nil || err != nil || len(grants) != 1 {
				t.Fatal(a.raw, grants, err)
			}
			r.mcp(token, "tools/call", object{"name": "send_task", "arguments": object{"agent": "scripted", "message": "wait a bit", "wait": 0.1}})
			hooks.mu.Lock()
			hooks.answers = []int{503}
			hooks.mu.Unlock()
			if err := errors.Join(end(r, carol, grants[0]), r.Server.events.EndRevoked(t.Context())); err != nil {
				t.Fatal(err)
			}
			agent.Release()
			for i, got := range hooks.wait(2) {
				if got.Type != "terminated" || got.Error.Code != -32012 || got.refused != (i == 0) {
					t.Errorf("got %+v, want that it is terminated", got)
				}
			}
			r.settled()
			if left, err := r.store.Events.Grants(t.Context()); err != nil || len(left) != 0 || len(hooks.wait(2)) != 2 {
				t.Errorf("left are %v, %v, delivered %+v", left, err, hooks.wait(2))
			}
		})
	}
}

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

// TestASuspendedSubscriptionContinuesWhenItIsRenewed has a receiver that refuses 100 events.
func TestASuspendedSubscriptionContinuesWhenItIsRenewed(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	token := r.token("alice", oauth.ScopeTools)
	sub := hookTo("task.completed", hooks.url, hookSecret, object{})
	r.mcp(token, "events/subscribe", sub)
	hooks.mu.Lock()
	hooks.answers = slices.Repeat([]int{http.StatusGone}, 199) // 100 events, and a gap before each but the first
	hooks.mu.Unlock()
	for range 100 {
		r.send(token, "echo refused")
	}
	hooks.wait(199)
	r.settled()
	waits := r.send(token, "echo waiting")
	again := r.mcp(token, "events/subscribe", sub)
	if again.Error != nil || again.Result.DeliveryStatus.Active || again.Result.DeliveryStatus.FailedSince == nil {
		t.Errorf("got %s, want that it was suspended", again.raw)
	}
	if got := hooks.wait(201); got[200].Data.Task != waits || got[200].refused {
		t.Errorf("got %+v, want the event that waited", got[200])
	}
	if again := r.mcp(token, "events/subscribe", sub); !again.Result.DeliveryStatus.Active {
		t.Errorf("got %s, want that it is active", again.raw)
	}
}

// settled waits until no delivery runs.
func (r *rig) settled() {
	r.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		next, err := r.store.Events.Next(r.t.Context())
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
	for _, cursor := range []string{"118", "zz.1", rest.Result.Cursor + "9"} {
		if a := poll(object{"cursor": cursor}); a.Error != nil || !a.Result.Truncated || len(a.Result.Events) != 3 {
			t.Errorf("cursor %q: got %s, want all that is kept", cursor, a.raw)
		}
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

// TestASubscriptionToATaskGetsItsEndOrIsRefused subscribes to tasks of others, that have ended, and that
// end while the webhook is verified.
func TestASubscriptionToATaskGetsItsEndOrIsRefused(t *testing.T) {
	r, hooks, agent := eventRig(t, io.Discard)
	alice, bob := r.token("alice", oauth.ScopeTools), r.token("bob", oauth.ScopeTools)
	subscribe := func(name, task string) answered {
		return r.mcp(alice, "events/subscribe", hookTo(name, hooks.url, hookSecret, object{"task_id": task}))
	}
	running := r.mcp(alice, "tools/call", object{"name": "send_task", "arguments": object{"agent": "scripted", "message": "wait a bit", "wait": 0.1}}).Result.Structured.Task
	ended, asks := r.send(alice, "echo hello"), r.send(alice, "ask which")
	for _, tc := range []struct {
		name, task string
		code       int
	}{
		{"task.completed", "misspelt", -32012}, {"task.completed", r.send(bob, "echo secret"), -32012},
		{"task.completed", ended, -32602}, {"task.auth_required", ended, -32602}, {"task.input_required", asks, -32602},
	} {
		if a := subscribe(tc.name, tc.task); a.Error == nil || a.Error.Code != tc.code {
			t.Errorf("%s of %q: got %s", tc.name, tc.task, a.raw)
		}
	}
	hooks.mu.Lock()
	hooks.verify = func(w http.ResponseWriter, challenge string) {
		agent.Release()
		r.mcp(alice, "tools/call", object{"name": "get_task", "arguments": object{"task_id": running, "wait": 10}})
		repeats(w, challenge)
	}
	hooks.mu.Unlock()
	for range 2 { // the second renews the first, although the task has ended
		if a := subscribe("task.completed", running); a.Error != nil {
			t.Fatal(a.raw)
		}
	}
	if got := hooks.wait(1); got[0].Data.Task != running {
		t.Errorf("got %+v, want the end of the task", got)
	}
	if grants, err := r.store.Events.Grants(t.Context()); err != nil || len(grants) != 1 {
		t.Errorf("got %v, %v", grants, err)
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
	one, _ := r.bridge.Directory.Agent("scripted")
	two := one
	two.Name, two.UseCases = "second", []string{"claims"}
	off, on := two, two
	off.Disabled = true
	ids := map[string]bool{}
	steps := []struct {
		list   []directory.Agent
		change string
	}{
		{[]directory.Agent{one, on}, "added"}, {[]directory.Agent{one, off}, "disabled"}, {[]directory.Agent{one, on}, "changed"},
		{[]directory.Agent{one, off}, "disabled"}, {[]directory.Agent{one}, "removed"}, {[]directory.Agent{one, on}, "added"}, {[]directory.Agent{one}, "removed"},
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
		if strings.Contains(got.body, "subscribe to the events") != want || !strings.Contains(got.body, "task_id") {
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
			r.Server.events.Wake()
			if got := until("notifications/events/terminated"); !strings.Contains(got, "-32012") {
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
