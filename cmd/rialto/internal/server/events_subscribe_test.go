package server

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/events"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// TestAWebhookThatDoesNotWantEventsGetsNone subscribes addresses that are refused or do not prove that
// they want events. No subscription stays.
func TestAWebhookThatDoesNotWantEventsGetsNone(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		<-req.Context().Done()
	}))
	defer silent.Close()
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler()) // its certificate is self-signed
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknown.StartTLS()
	defer unknown.Close()
	r, hooks, _ := eventRig(t, io.Discard, func(c *config.Config) {
		c.Push.AllowedHosts = append(c.Push.AllowedHosts, silent.Listener.Addr().String(), unknown.Listener.Addr().String())
	})
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
		"a private address":  {"alice", "https://127.0.0.1/x", nil, -32602, ""},
		"another challenge":  {"alice", "", func(w http.ResponseWriter, c string) { repeats(w, c+"x") }, -32015, "challenge_failed"},
		"no JSON":            {"alice", "", func(w http.ResponseWriter, c string) { fmt.Fprint(w, c) }, -32015, "challenge_failed"},
		"a redirect":         {"bob", "", status(http.StatusFound), -32015, "challenge_failed"},
		"an error of theirs": {"bob", "", status(500), -32015, "http_5xx"},
		"not found":          {"bob", "", status(404), -32015, "http_4xx"},
		"silence":            {"bob", silent.URL, nil, -32015, "timeout"},
		"a bad certificate":  {"bob", unknown.URL, nil, -32015, "tls_error"},
		"no TLS":             {"bob", "https://" + hooks.host, nil, -32015, "tls_error"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.url == "" {
				tc.url = hooks.url
			}
			if tc.url == silent.URL {
				patience := r.Server.webhooks.events.HTTP.Timeout
				defer func() { r.Server.webhooks.events.HTTP.Timeout = patience }()
				r.Server.webhooks.events.HTTP.Timeout = time.Second
			}
			hooks.mu.Lock()
			hooks.verify = tc.verify
			hooks.mu.Unlock()
			a := r.mcp(r.token(tc.user, oauth.ScopeTools), "events/subscribe", hookTo("task.completed", tc.url, hookSecret, object{}))
			if a.Error == nil || a.Error.Code != tc.code || tc.reason != "" && a.Error.Data["reason"] != tc.reason {
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
}

// subscriptionLimits is a backend with a limit of its own for each user.
type subscriptionLimits struct {
	events.Backend
	perUser int
}

func (l *subscriptionLimits) Limits() (most, perUser int) { return eventSubscriptions, l.perUser }

func TestAFloodOfSubscriptionsIsRefused(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	limits := &subscriptionLimits{r.Server.webhooks.events.Backend, 2}
	r.Server.webhooks.events.Backend = limits
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
	limits.perUser = 100
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
			_, err := r.store.OAuth.Identities.Identify(t.Context(), carol, true)
			return err
		},
		"the agent is for other use cases": func(r *rig, _ *oauth.Account, _ string) error {
			agent := r.bridge.Directory.Lookup("scripted").AgentConfig
			agent.UseCases = []string{"sales"}
			r.bridge.Directory.SetAgents([]directory.AgentConfig{agent})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, hooks, agent := eventRig(t, io.Discard)
			scripted := r.bridge.Directory.Lookup("scripted").AgentConfig
			scripted.UseCases = []string{"claims"}
			r.bridge.Directory.SetAgents([]directory.AgentConfig{scripted})
			carol, err := r.store.OAuth.Identities.Identify(t.Context(), &oauth.Account{ID: "carol", Name: "carol", Issuer: "https://login.example", Subject: "1"}, true)
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
			if err := errors.Join(end(r, carol, grants[0]), r.Server.webhooks.events.EndRevoked(t.Context())); err != nil {
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

// TestEqualSubscribesAtOnceAgree subscribes twenty times at once, as a client with several workers does.
func TestEqualSubscribesAtOnceAgree(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	token := r.token("alice", oauth.ScopeTools)
	answers := make(chan answered, 20)
	for range cap(answers) {
		go func() {
			answers <- r.mcp(token, "events/subscribe", hookTo("task.completed", hooks.url, hookSecret, object{}))
		}()
	}
	first := <-answers
	for range cap(answers) - 1 {
		a := <-answers
		if a.Error != nil || a.Result.ID != first.Result.ID {
			t.Errorf("got %s and %s", first.raw, a.raw)
		}
	}
}
