package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

func newCallLimiter(set func(*config.Limits)) *callLimiter {
	cfg := config.Defaults()
	set(&cfg.Limits)
	c := &callLimiter{cfg: new(atomic.Pointer[config.Config])}
	c.cfg.Store(&cfg)
	return c
}

func TestUsersAreRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in no time
		c := newCallLimiter(func(l *config.Limits) { l.RatePerUser = 5 })
		var h http.Header
		call := func(user string) error {
			h = http.Header{}
			return c.a2a(t.Context(), h, caller{user: user})
		}
		for range 20 {
			if err := call("alice"); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := h.Get("RateLimit"), `"calls";r=236, "rate";r=0;t=1`; got != want {
			t.Errorf("got RateLimit %s, want %s", got, want)
		}
		if err := call("alice"); !a2a.Is(err, a2a.RateLimited) || h.Get("Retry-After") != "1" {
			t.Errorf("one more: got %v, Retry-After %q, want that it is refused", err, h.Get("Retry-After"))
		}
		if got, want := h.Get("RateLimit-Policy"), `"calls";q=256;qu="concurrent-requests", "rate";q=20;w=4`; got != want {
			t.Errorf("got RateLimit-Policy %s, want %s", got, want)
		}
		if err := call("bob"); err != nil {
			t.Errorf("another user: got %v", err)
		}
		time.Sleep(time.Second)
		if err := call("alice"); err != nil {
			t.Errorf("a second later: got %v", err)
		}
	})
}

// TestOpenCallsAreLimited holds calls open until one is refused, and lets one end.
func TestOpenCallsAreLimited(t *testing.T) {
	for name, c := range map[string]struct {
		set    func(*config.Limits)
		by     caller
		status int
		other  caller
	}{
		"of a user":     {func(l *config.Limits) { l.CallsPerUser = 3 }, caller{user: "alice", client: "a"}, http.StatusTooManyRequests, caller{user: "bob", client: "a"}},
		"of a client":   {func(l *config.Limits) { l.Calls = 6 }, caller{user: "alice", client: "a"}, http.StatusTooManyRequests, caller{user: "alice", client: "b"}},
		"of an address": {func(l *config.Limits) { l.CallsPerUser = 3 }, caller{address: "192.0.2.1"}, http.StatusTooManyRequests, caller{address: "192.0.2.2"}},
		"in all":        {func(l *config.Limits) { l.Calls = 3 }, caller{user: "alice"}, http.StatusServiceUnavailable, caller{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := newCallLimiter(c.set)
				var ends []context.CancelFunc
				for n := range 3 {
					if n == 2 { // calls through all doors count together
						leave, refused := limiter.enter(t.Context(), http.Header{}, c.by, 0)
						if refused != nil {
							t.Fatal(refused)
						}
						ends = append(ends, leave)
						break
					}
					ctx, end := context.WithCancel(t.Context())
					ends = append(ends, end)
					if err := limiter.a2a(ctx, http.Header{}, c.by); err != nil {
						t.Fatal(err)
					}
				}
				h := http.Header{}
				if _, refused := limiter.enter(t.Context(), h, c.by, 0); refused == nil || refused.Status() != c.status || h.Get("Retry-After") != "1" || !strings.Contains(refused.Reason, "limits.calls") {
					t.Errorf("one more: got %+v, %v, want %d", refused, h, c.status)
				}
				if c.other != (caller{}) {
					if leave, refused := limiter.enter(t.Context(), http.Header{}, c.other, 0); refused != nil {
						t.Errorf("another: got %+v", refused)
					} else {
						leave()
					}
				}
				ends[0]()
				synctest.Wait()
				if leave, refused := limiter.enter(t.Context(), http.Header{}, c.by, 0); refused != nil {
					t.Errorf("after one has ended: got %+v", refused)
				} else {
					leave()
				}
				for _, end := range ends {
					end()
				}
				synctest.Wait()
				if users, all := limiter.users.All(), limiter.clients.All(); users != 0 || all != 0 {
					t.Errorf("got %d calls of users and %d in all at the end, want none", users, all)
				}
			})
		})
	}
}

// TestTheLimitOfCallsIsASetting has one user make as many calls at once as the operator allows, and one more.
func TestTheLimitOfCallsIsASetting(t *testing.T) {
	const most = 70
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRigWith(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}}
		c.Limits.CallsPerUser = most
	})
	token := r.token("alice", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
	send := func(text string) reply {
		return r.do("POST", "/mcp/tools/call", token, fmt.Sprintf(`{"name":"send_task","arguments":{"message":%q,"wait":20}}`, text))
	}
	var open sync.WaitGroup
	for range most {
		open.Go(func() { send("wait") })
	}
	poll(t, 10*time.Millisecond, func() bool { return len(agent.Received()) >= most })
	got := send("echo hello")
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || !strings.Contains(got.header.Get("RateLimit-Policy"), fmt.Sprintf(`"calls";q=%d`, most)) {
		t.Errorf("%d calls open: got %d %v %s, want 429", most, got.status, got.header, got.body)
	}
	if rest := r.do("GET", "/api/v1/tasks", token, ""); rest.status != http.StatusTooManyRequests || rest.header.Get("Retry-After") != "1" {
		t.Errorf("REST: got %d, Retry-After %q, want that of the limit", rest.status, rest.header.Get("Retry-After"))
	}
	agent.Release()
	open.Wait()
	if got := send("echo hello"); got.status != http.StatusOK {
		t.Errorf("no calls open: got %d %s", got.status, got.body)
	}
}
