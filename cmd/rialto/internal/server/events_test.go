package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/documents"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

const hookSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// receiver takes webhooks as strictly as the specifications read.
type receiver struct {
	t    *testing.T
	url  string
	host string

	mu      sync.Mutex
	secret  string
	answers []int                                         // statuses, one after the other, before 200
	refuses func(delivery) bool                           // with status 503, after answers
	verify  func(w http.ResponseWriter, challenge string) // answers a verification
	got     []delivery
	changed chan struct{}
}

// delivery is a webhook that was verified.
type delivery struct {
	ID, Subscription, Type, EventID, Name, Timestamp string
	Cursor                                           *string
	Data                                             struct {
		Task    string `json:"task_id"`
		State   string
		Summary string
		URL     string `json:"task_url"`
		Change  string
		Agent   string

		Title, Request, Question string
		Form                     json.RawMessage `json:"answer_form"`
	}
	Error   struct{ Code int }
	raw     string
	header  http.Header
	refused bool
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, secret: hookSecret, verify: repeats, changed: make(chan struct{}, 1000)}
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	r.url, r.host = srv.URL+"/hook?token=query-of-the-callback", srv.Listener.Addr().String()
	return r
}

func repeats(w http.ResponseWriter, challenge string) { fmt.Fprintf(w, `{"challenge":%q}`, challenge) }

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	hook, err2 := standardwebhooks.NewWebhook(r.secret)
	if err != nil || err2 != nil {
		r.t.Error(err, err2)
		return
	}
	if err := hook.Verify(body, req.Header); err != nil {
		r.t.Errorf("the signature of %s: %v", body, err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	d := delivery{ID: req.Header.Get("webhook-id"), Subscription: req.Header.Get("X-MCP-Subscription-Id"), raw: string(body), header: req.Header}
	if err := json.Unmarshal(body, &d); err != nil || req.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(d.Subscription, "sub_") {
		r.t.Errorf("not a webhook: %s, %v", body, err)
	}
	switch {
	case d.Type == "verification":
		var v struct{ Challenge string }
		_ = json.Unmarshal(body, &v)
		if !strings.HasPrefix(d.ID, "msg_verification_") || len(v.Challenge) < 20 {
			r.t.Errorf("not a verification: %s %s", d.ID, body)
		}
		r.verify(w, v.Challenge)
		return
	case d.Type != "":
		if !strings.HasPrefix(d.ID, "msg_"+d.Type+"_") {
			r.t.Errorf("got %q as the id of %s", d.ID, body)
		}
	case d.ID != d.EventID || d.Cursor == nil || d.Timestamp == "":
		r.t.Errorf("webhook-id %q, body %s", d.ID, body)
	}
	if len(r.answers) > 0 {
		w.WriteHeader(r.answers[0])
		d.refused, r.answers = r.answers[0] >= 300, r.answers[1:]
	} else if r.refuses != nil && r.refuses(d) {
		w.WriteHeader(http.StatusServiceUnavailable)
		d.refused = true
	}
	r.got = append(r.got, d)
	r.changed <- struct{}{}
}

// wait returns the deliveries when there are n.
func (r *receiver) wait(n int) []delivery {
	r.t.Helper()
	over := time.After(15 * time.Second)
	for {
		r.mu.Lock()
		got := r.got
		r.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-r.changed:
		case <-over:
			r.t.Fatalf("got %d deliveries, want %d: %+v", len(got), n, got)
		}
	}
}

// eventRig is a server with one agent and a receiver that it may call.
func eventRig(t *testing.T, log io.Writer, set ...func(*config.Config)) (*rig, *receiver, *a2atest.Agent) {
	hooks, agent := newReceiver(t), a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRigLogging(t, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "scripted", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}}
		c.Push.AllowedHosts = []string{hooks.host}
		for _, set := range set {
			set(c)
		}
	})
	return r, hooks, agent
}

// answered is what an event method answers.
type answered struct {
	Result struct {
		ResultType, ID, Cursor string
		RefreshBefore          *time.Time
		Truncated, HasMore     bool
		NextPollMs             int
		DeliveryStatus         *struct {
			Active      bool
			LastError   *string
			FailedSince *time.Time
		}
		Events []struct {
			EventID, Name, Description string
			Cursor                     *string
			Delivery                   []string
			Data                       struct {
				Task string `json:"task_id"`
			}
		}
		Structured struct {
			Task string `json:"task_id"`
		} `json:"structuredContent"`
		Tools []struct{ Name string }
	}
	Error *struct {
		Code    int
		Message string
		Data    map[string]any
	}
	raw string
}

// mcp calls a method as ChatGPT does after initialize: without _meta.
func (r *rig) mcp(token, method string, params any) (a answered) {
	r.t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		r.t.Fatal(err)
	}
	got := r.do("POST", "/mcp", token, string(b), "MCP-Protocol-Version: 2025-11-25")
	got.decode(r.t, &a)
	a.raw = got.body
	return a
}

func (r *rig) send(token, message string) (task string) {
	r.t.Helper()
	a := r.mcp(token, "tools/call", map[string]any{"name": "send_task", "arguments": map[string]any{"agent": "scripted", "message": message, "wait": 5}})
	return a.Result.Structured.Task
}

func hookTo(name, url, secret string, arguments any) map[string]any {
	return map[string]any{"name": name, "arguments": arguments, "cursor": nil, "delivery": map[string]any{"mode": "webhook", "url": url, "secret": secret}}
}

type object = map[string]any

func TestATaskThatEndsIsDelivered(t *testing.T) {
	var log bytes.Buffer
	r, hooks, _ := eventRig(t, &log)
	alice, bob := r.token("alice", oauth.ScopeTools), r.token("bob", oauth.ScopeTools)
	list := r.mcp(alice, "events/list", object{})
	if len(list.Result.Events) != 7 || list.Result.Events[3].Name != "task.completed" || list.Result.Events[3].Delivery[0] != "webhook" {
		t.Fatalf("got %s", list.raw)
	}
	sub := r.mcp(alice, "events/subscribe", hookTo("task.completed", hooks.url, hookSecret, object{"agent": "scripted"}))
	if sub.Error != nil || sub.Result.RefreshBefore == nil || sub.Result.Cursor == "" || sub.Result.ResultType != "complete" {
		t.Fatalf("got %s", sub.raw)
	}
	hooks.mu.Lock()
	hooks.answers = []int{503} // it is delivered again
	hooks.mu.Unlock()
	task := r.send(alice, "echo hello")
	r.send(bob, "echo secret")
	r.send(alice, "fail badly")
	got := hooks.wait(2)
	if got[0].raw != got[1].raw || got[0].ID != got[1].ID || got[1].refused || got[1].Subscription != sub.Result.ID ||
		got[1].Data.Task != task || got[1].Data.State != "completed" || got[1].Data.URL != r.cfg.Load().URL+documents.TaskPath+task {
		t.Errorf("got %+v, want one event twice", got)
	}
	polled := r.mcp(alice, "events/poll", object{"name": "task.completed", "arguments": object{}, "cursor": sub.Result.Cursor})
	if len(polled.Result.Events) != 1 || polled.Result.Events[0].EventID != got[0].EventID || polled.Result.HasMore || polled.Result.Truncated {
		t.Errorf("polled %s", polled.raw)
	}
	if a := r.mcp(bob, "events/poll", object{"name": "task.completed", "cursor": sub.Result.Cursor}); len(a.Result.Events) != 0 {
		t.Errorf("bob polled %s", a.raw)
	}
	// Only its principal ends a subscription; again and again.
	for _, who := range []string{bob, alice, alice} {
		if a := r.mcp(who, "events/unsubscribe", hookTo("task.completed", hooks.url, hookSecret, object{"agent": "scripted"})); a.Error != nil {
			t.Errorf("unsubscribe: %s", a.raw)
		}
		if who == bob {
			r.send(alice, "echo again")
			hooks.wait(3)
		}
	}
	r.send(alice, "echo unheard")
	r.mcp(alice, "events/subscribe", hookTo("task.failed", hooks.url, hookSecret, object{}))
	r.send(alice, "fail at last")
	if got := hooks.wait(4); len(got) != 4 || got[3].Name != "task.failed" || got[3].Data.State != "failed" {
		t.Errorf("got %+v", got)
	}
	for _, secret := range []string{hookSecret, hookSecret[6:], "query-of-the-callback", "echo hello"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log says %q", secret)
		}
	}
}
