package bridge_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2apush"
	"rialto/bridge/push"
	"rialto/internal/safehttp"
)

// withWebhooks lets callers of r register webhooks, and returns one with the
// notifications that it gets.
func withWebhooks(t *testing.T, r *rig) (url string, told <-chan string) {
	heard := make(chan string, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		b, _ := io.ReadAll(req.Body)
		heard <- req.Header.Get(a2apush.TokenHeader) + " " + string(b)
	}))
	desk := &push.Service{
		Outbox: r.db.Ledger.Outbox(), Key: bytes.Repeat([]byte{1}, 32), Replica: "r", Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Sender: &a2apush.Sender{HTTP: &safehttp.Client{Allowed: func() []string { return []string{strings.TrimPrefix(srv.URL, "http://")} }}, Now: time.Now},
	}
	r.Runner.Webhooks = desk
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); desk.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done; srv.Close() })
	return srv.URL, heard
}

func TestAWebhookThatComesWithAMessageIsTold(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Complete("done")
		return nil
	})
	r := newRig(t, "", map[string]peer{"agent": agent})
	url, told := withWebhooks(t, r)
	req := say("work")
	req.Push = &a2a.PushConfig{URL: url, Token: "t", Generation: a2a.V10}
	task := sent(t, r.Proxy.Agent("agent"), as(t.Context(), "alice"), req)
	for {
		got := <-told
		if !strings.HasPrefix(got, `t {"task":{"id":"`+string(task.ID)+`"`) {
			t.Fatalf("got %s, want the task under the ledger's id, with the token", got)
		}
		if strings.Contains(got, "TASK_STATE_COMPLETED") {
			return
		}
	}
}

// TestAWebhookIsNamedAfterwards sets, reads, lists and drops webhooks of a task
// that waits, and then lets it go on.
func TestAWebhookIsNamedAfterwards(t *testing.T) {
	r := newRig(t, "", map[string]peer{"agent": running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		if turn.Message.Text() == "ask" {
			turn.Ask("which?")
		} else {
			turn.Complete("done")
		}
		return nil
	})})
	url, told := withWebhooks(t, r)
	f, ctx := r.Proxy.Agent("agent"), as(t.Context(), "alice")
	task := sent(t, f, ctx, say("ask"))
	first, err := f.SetPush(ctx, &a2a.PushConfig{TaskID: task.ID, URL: url, Generation: a2a.V03})
	if err != nil || first.ID == "" || first.TaskID != task.ID {
		t.Fatalf("got %+v, %v", first, err)
	}
	if _, err := f.SetPush(ctx, &a2a.PushConfig{TaskID: task.ID, ID: "second", URL: url, Generation: a2a.V03}); err != nil {
		t.Fatal(err)
	}
	if all, err := f.Pushes(ctx, task.ID); err != nil || len(all) != 2 {
		t.Errorf("got %v, %v, want both", all, err)
	}
	if c, err := f.Push(ctx, task.ID, "second"); err != nil || c.URL != url {
		t.Errorf("got %+v, %v", c, err)
	}
	for range 2 {
		if err := f.DropPush(ctx, task.ID, "second"); err != nil {
			t.Errorf("dropping it: %v", err)
		}
	}
	if _, err := f.Push(ctx, task.ID, "second"); !a2a.Is(err, a2a.TaskNotFound) {
		t.Errorf("one that was dropped: got %v", err)
	}
	answer := say("this one")
	answer.Message.TaskID = task.ID
	sent(t, f, ctx, answer)
	for got := ""; !strings.Contains(got, `"state":"completed"`); {
		if got = <-told; !strings.Contains(got, `"kind":"task"`) || !strings.Contains(got, string(task.ID)) {
			t.Fatalf("got %s, want the task in the words of 0.3", got)
		}
	}
}

// Every call about a webhook of a task of another owner, of another agent, or of no
// task.
func TestWebhooksOfOthersDoNotExist(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error { turn.Ask("which?"); return nil })
	r := newRig(t, "", map[string]peer{"one": agent, "two": agent})
	url, _ := withWebhooks(t, r)
	alice := as(t.Context(), "alice")
	task := sent(t, r.Proxy.Agent("one"), alice, say("ask"))
	mine, err := r.Proxy.Agent("one").SetPush(alice, &a2a.PushConfig{TaskID: task.ID, URL: url})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		ctx   context.Context
		agent string
		task  a2a.TaskID
	}{
		"somebody else": {as(t.Context(), "bob"), "one", task.ID},
		"another agent": {alice, "two", task.ID},
		"no task":       {alice, "one", "none"},
	} {
		f := r.Proxy.Agent(tc.agent)
		_, set := f.SetPush(tc.ctx, &a2a.PushConfig{TaskID: tc.task, URL: url})
		_, get := f.Push(tc.ctx, tc.task, mine.ID)
		_, list := f.Pushes(tc.ctx, tc.task)
		drop := f.DropPush(tc.ctx, tc.task, mine.ID)
		for call, err := range map[string]error{"set": set, "get": get, "list": list, "delete": drop} {
			if !a2a.Is(err, a2a.TaskNotFound) {
				t.Errorf("%s, %s: got %v, want TaskNotFound", name, call, err)
			}
		}
	}
	if _, err := r.Proxy.Agent("one").Push(alice, task.ID, mine.ID); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestAWebhookThatIsRefusedKeepsTheMessageBack holds that nothing is sent whose
// caller would wait for a call that never comes.
func TestAWebhookThatIsRefusedKeepsTheMessageBack(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error { t.Error("the message was sent"); return nil })
	r := newRig(t, "", map[string]peer{"agent": agent})
	ctx := as(t.Context(), "alice")
	req := say("work")
	req.Push = &a2a.PushConfig{URL: "https://10.0.0.1/"}
	if _, err := r.Proxy.Agent("agent").Send(ctx, req); !a2a.Is(err, a2a.PushNotSupported) {
		t.Errorf("without webhooks: got %v", err)
	}
	withWebhooks(t, r)
	if _, err := r.Proxy.Agent("agent").Send(ctx, req); !a2a.Is(err, a2a.InvalidParams) {
		t.Errorf("an address that is refused: got %v", err)
	}
	if page, err := r.Proxy.Agent("agent").Tasks(ctx, a2a.TaskFilter{}); err != nil || page.Total != 0 {
		t.Errorf("got %+v, %v, want no task", page, err)
	}
}
