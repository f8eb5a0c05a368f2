package server

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"rialto/internal/raced"
	"rialto/oauth"
)

// accepted returns the deliveries that a receiver has taken, of n in all.
func (r *receiver) accepted(n int) (taken []delivery) {
	r.t.Helper()
	for {
		taken = nil
		all := r.wait(0)
		for _, d := range all {
			if !d.refused {
				taken = append(taken, d)
			}
		}
		if len(taken) >= n {
			return taken
		}
		r.wait(len(all) + 1)
	}
}

// TestARefusedEventHoldsUpNoOther has a receiver that refuses the events of one task for a while. The
// cursor of the event after it is one from which the refused event comes again.
func TestARefusedEventHoldsUpNoOther(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	token := r.token("alice", oauth.ScopeTools)
	poisoned, patience := "", 4
	hooks.refuses = func(d delivery) bool {
		if poisoned == "" {
			poisoned = d.Data.Task
		}
		if d.Data.Task == poisoned {
			patience--
		}
		return d.Data.Task == poisoned && patience > 0
	}
	sub := r.mcp(token, "events/subscribe", hookTo("task.completed", hooks.url, hookSecret, object{}))
	if sub.Error != nil {
		t.Fatal(sub.raw)
	}
	first := r.send(token, "echo one")
	hooks.wait(1)
	second := r.send(token, "echo two")
	got := hooks.accepted(2)
	if got[0].Data.Task != second || got[1].Data.Task != first {
		t.Fatalf("got %+v, want the second event while the first is refused", got)
	}
	page := r.mcp(token, "events/poll", object{"name": "task.completed", "arguments": object{}, "cursor": *got[0].Cursor})
	if len(page.Result.Events) != 2 || page.Result.Truncated {
		t.Errorf("after the cursor %s: got %s, want both", *got[0].Cursor, page.raw)
	}
}

// TestOneSubscriptionTellsAllOfATask follows a task by task.changed, through a question to its end.
func TestOneSubscriptionTellsAllOfATask(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	token := r.token("alice", oauth.ScopeTools)
	states := []string{"input-required", "completed"}
	a := r.mcp(token, "events/subscribe", hookTo("task.changed", hooks.url, hookSecret, object{"states": states}))
	if a.Error != nil {
		t.Fatal(a.raw)
	}
	if a := r.mcp(token, "events/subscribe", hookTo("task.changed", hooks.url, hookSecret, object{"states": []string{"done"}})); a.Error == nil || a.Error.Code != -32602 {
		t.Errorf("a state that does not exist: got %s", a.raw)
	}
	task := r.send(token, "ask which")
	question := hooks.wait(1)[0].Data
	if question.State != "input-required" || question.Title != "ask which" || question.Request != "ask which" || question.Question == "" ||
		!strings.Contains(string(question.Form), `"properties"`) || !strings.HasSuffix(question.URL, task) {
		t.Errorf("got %+v", question)
	}
	refused := r.mcp(token, "events/subscribe", hookTo("task.changed", hooks.url, hookSecret, object{"task_id": task, "states": []string{"input-required"}}))
	if refused.Error == nil || refused.Error.Code != -32602 {
		t.Errorf("a state that the task is in: got %s", refused.raw)
	}
	r.mcp(token, "tools/call", object{"name": "send_task", "arguments": object{"task_id": task, "message": "this", "wait": 5}})
	got := hooks.wait(2)
	if end := got[1].Data; end.State != "completed" || end.Question != "" || end.Form != nil || end.Title != "ask which" || got[0].Subscription != a.Result.ID {
		t.Errorf("got %+v", end)
	}
	page := r.mcp(token, "events/poll", object{"name": "task.changed", "arguments": object{"states": states}, "cursor": a.Result.Cursor})
	if len(page.Result.Events) != 2 || fmt.Sprint(page.Result.Events[1].EventID) != got[1].EventID {
		t.Errorf("polled %s", page.raw)
	}
}

// TestTheFirstEventComesSoonAfterManySubscriptions makes 99 subscriptions and then the one that gets an event.
func TestTheFirstEventComesSoonAfterManySubscriptions(t *testing.T) {
	raced.Skip(t)
	r, hooks, _ := eventRig(t, io.Discard)
	token := r.token("alice", oauth.ScopeTools)
	subscribe := func(arguments object) {
		t.Helper()
		if a := r.mcp(token, "events/subscribe", hookTo("task.completed", hooks.url, hookSecret, arguments)); a.Error != nil {
			t.Fatal(a.raw)
		}
	}
	for i := range 99 {
		subscribe(object{"context_id": fmt.Sprint("conversation ", i)})
	}
	subscribe(object{})
	begun := time.Now()
	r.send(token, "echo one")
	hooks.wait(1)
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the first event came after %s", took)
	} else {
		t.Log(took)
	}
}
