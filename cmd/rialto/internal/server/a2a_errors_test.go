package server

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/quota"
	"rialto/oauth"
)

// TestErrorsHaveTheCodesOfTheirGeneration asks for what must be refused.
func TestErrorsHaveTheCodesOfTheirGeneration(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)})
	token := r.full("alice")
	send := func(id, text string) string {
		return `{"id":"` + id + `","message":{"role":"user","parts":[{"type":"text","text":"` + text + `"}]}}`
	}
	say := func(task, text string) string {
		return `{"message":{"messageId":"m","role":"user","taskId":"` + task + `","parts":[{"text":"` + text + `"}]}}`
	}
	working := r.create(token, "one", `{"message":"hang"}`)
	ended := r.create(token, "one", `{"message":"echo x","wait":20}`)
	// 0.1 knows the task by its caller's name.
	var busy sync.WaitGroup
	busy.Go(func() { rpc(r, token, "tasks/send", send("busy", "hang"), "0.1") })
	poll(t, time.Second/50, func() bool { // more calls would be refused
		return strings.Contains(rpc(r, token, "tasks/get", `{"id":"busy"}`, "0.1").body, `"working"`)
	})
	for _, c := range []struct {
		version, method, params string
		want                    int
	}{
		{"0.1", "tasks/get", `{"id":"none"}`, -32001}, {"0.3", "tasks/get", `{"id":"none"}`, -32001}, {"1.0", "GetTask", `{"id":"none"}`, -32001},
		{"0.1", "tasks/cancel", `{"id":"` + ended.ID + `"}`, -32002}, {"0.3", "tasks/cancel", `{"id":"` + ended.ID + `"}`, -32002}, {"1.0", "CancelTask", `{"id":"` + ended.ID + `"}`, -32002},
		{"0.1", "tasks/send", send("busy", "more"), -32009}, {"0.3", "message/send", say(working.ID, "x"), -32004}, {"1.0", "SendMessage", say(working.ID, "x"), -32004},
		{"0.3", "message/send", say(ended.ID, "x"), -32004}, {"1.0", "SendMessage", say(ended.ID, "x"), -32004},
		{"0.1", "tasks/send", send("a", "refuse CONTENT_TYPE_NOT_SUPPORTED"), -32005}, {"0.3", "message/send", say("", "refuse CONTENT_TYPE_NOT_SUPPORTED"), -32005},
		{"0.3", "message/send", say("", "refuse INVALID_AGENT_RESPONSE"), -32006}, {"1.0", "SendMessage", say("", "refuse INVALID_AGENT_RESPONSE"), -32006},
		{"1.0", "SendMessage", say("", "refuse EXTENSION_SUPPORT_REQUIRED"), -32008},
		{"0.4", "message/send", say("", "x"), -32009},
		{"1.0", "SendMessage", say("", "refuse CONTENT_TYPE_NOT_SUPPORTED"), -32005}, {"0.1", "tasks/send", send("n", "refuse INVALID_AGENT_RESPONSE"), -32603},
		{"1.0", "tasks/send", send("b", "x"), -32601}, {"0.1", "tasks/send", `{}`, -32602}, {"1.0", "SendMessage", `{}`, -32602},
	} {
		got := rpc(r, token, c.method, c.params, c.version)
		var answer struct{ Error struct{ Code int } }
		got.decode(t, &answer)
		if answer.Error.Code != c.want {
			t.Errorf("%s %s %s: got %s, want %d", c.version, c.method, c.params, got.body, c.want)
		}
	}
	rpc(r, token, "tasks/cancel", `{"id":"busy"}`, "0.1")
	busy.Wait()
}

// eachGeneration sends a message to an agent in the words of each generation, and
// wants it refused in a number of its own, and with the same reason.
func (r *rig) eachGeneration(t *testing.T, token, path string, reason a2a.Code, want map[string]string) {
	t.Helper()
	for version, body := range map[string]string{
		"0.1": `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"fresh","message":{"role":"user","parts":[{"type":"text","text":"echo x"}]},"pushNotification":{"url":"https://hooks.example.com/"}}}`,
		"0.3": `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"echo x"}]},"configuration":{"pushNotificationConfig":{"url":"https://hooks.example.com/"}}}}`,
		"1.0": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo x"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://hooks.example.com/"}}}}`,
	} {
		got := r.do("POST", path, token, body, "A2A-Version: "+version)
		if !strings.Contains(got.body, `"code":`+want[version]+`,`) || version == "1.0" && !strings.Contains(got.body, `"`+string(reason)+`"`) {
			t.Errorf("%s in %s: got %s, want %s", reason, version, got.body, want[version])
		}
	}
	got := r.do("POST", path+"/message:send", token, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo x"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://hooks.example.com/"}}}`, "A2A-Version: 1.0")
	if http.StatusText(got.status) != want["HTTP+JSON"] || !strings.Contains(got.body, `"`+string(reason)+`"`) {
		t.Errorf("%s over HTTP+JSON: got %d %s, want %s", reason, got.status, got.body, want["HTTP+JSON"])
	}
	if got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") == "" {
		t.Errorf("%s over HTTP+JSON: got no Retry-After", reason)
	}
}

// TestOwnErrorsHaveTheCodesOfTheirGeneration has the server itself refuse:
// there are no webhooks, the agent is not there, and the user has enough.
func TestOwnErrorsHaveTheCodesOfTheirGeneration(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRigWith(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}}
		c.Push.Send = false
	})
	r.eachGeneration(t, r.full("alice"), "/a2a/one", a2a.PushNotSupported, map[string]string{"0.1": "-32003", "0.3": "-32003", "1.0": "-32003", "HTTP+JSON": "Bad Request"})
	r = newRigWith(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "down", URL: "http://127.0.0.1:1"}}
		c.Push.AllowedHosts = []string{"hooks.example.com"}
	})
	r.eachGeneration(t, r.full("alice"), "/a2a/down", a2a.Unavailable, map[string]string{"0.1": "-32011", "0.3": "-32603", "1.0": "-32603", "HTTP+JSON": "Service Unavailable"})
	r = newRigWith(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}}
		c.Push.AllowedHosts = []string{"hooks.example.com"}
		c.Limits.TasksPerUser = 1
	})
	r.create(r.full("alice"), "one", `{"message":"hang"}`)
	r.eachGeneration(t, r.full("alice"), "/a2a/one", a2a.RateLimited, map[string]string{"0.1": "-32010", "0.3": "-32603", "1.0": "-32603", "HTTP+JSON": "Too Many Requests"})
	bob, err := r.store.OAuth.Accounts.Account(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	// They have made all the calls that they may.
	calls, later := callRate(r.cfg.Load().Limits.RatePerUser), time.Now().Add(time.Hour)
	for range calls.Burst {
		r.limits.rates.Take(calls, later, quota.Key{Name: bob.ID})
	}
	if got := rpc(r, r.full("bob"), "tasks/get", `{"id":"none"}`, "0.1"); !strings.Contains(got.body, "-32010") {
		t.Errorf("a user may call as often as they like: got %s", got.body)
	}
}

// TestWhatAnAgentRefusesHasFailedAtEveryDoor tells a refusal of the agent from one of ours. REST counted
// both as refused.
func TestWhatAnAgentRefusesHasFailedAtEveryDoor(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)})
	full := r.full("alice")
	const refuse = "refuse CONTENT_TYPE_NOT_SUPPORTED"
	r.do("POST", "/mcp/tools/call", r.token("alice", oauth.ScopeTools), `{"name":"send_task","arguments":{"agent":"one","message":"`+refuse+`"}}`)
	r.do("POST", "/api/v1/agents/one/tasks", full, `{"message":"`+refuse+`"}`)
	_, _ = r.client("", full, a2a.V10, a2a.JSONRPC).Send(t.Context(), a2atest.Say(refuse))
	r.do("GET", "/api/v1/tasks/none", full, "")
	r.do("POST", "/api/v1/agents/one/tasks", full, `{"mesage":"x"}`)
	got := r.calls()
	slices.Sort(got)
	want := []string{
		"a2a SendMessage one failed of a task",
		"mcp send_task one failed of a task",
		"rest GET /tasks/{task}  refused",
		"rest POST /agents/{agent}/tasks one failed",
		"rest POST /agents/{agent}/tasks one refused",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
