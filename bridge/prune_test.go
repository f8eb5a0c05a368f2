package bridge_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/mcp"
)

// TestTasksAreKeptAsLongAsTheirAgentSays looks at the ledger a month and half a
// year later.
func TestTasksAreKeptAsLongAsTheirAgentSays(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error { turn.Complete("done"); return nil })
	var days atomic.Int64 // by which the clock is set forward
	r := newRigWith(t, "", map[string]peer{"short": agent, "usual": agent, "long": agent}, func(b *bridge.Bridge) {
		b.Runner.Now = func() time.Time { return time.Now().AddDate(0, 0, int(days.Load())) }
	})
	for i, a := range r.Directory.Initial {
		r.Directory.Initial[i].Retention = map[string]directory.Duration{"short": directory.Duration(24 * time.Hour), "long": directory.Duration(365 * 24 * time.Hour)}[a.Name]
	}
	r.Directory.SetAgents(r.Directory.Initial)
	tasks := map[string]string{}
	for _, name := range []string{"short", "usual", "long"} {
		tasks[name] = r.call("send_task", `{"agent":"`+name+`","message":"x"}`).TaskID
	}
	for _, step := range []struct {
		days int64
		gone map[string]bool
	}{
		{0, nil},
		{30, map[string]bool{"short": true}},
		{180, map[string]bool{"short": true, "usual": true}},
		{400, map[string]bool{"short": true, "usual": true, "long": true}},
	} {
		days.Store(step.days)
		if err := r.Runner.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, id := range tasks {
			if gone := r.call("get_task", `{"task_id":"`+id+`"}`).IsError; gone != step.gone[name] {
				t.Errorf("after %d days, agent %s: gone is %v, want %v", step.days, name, gone, step.gone[name])
			}
		}
	}
}

// TestAnMCPTaskSaysHowLongItIsKept: a client may forget a task, or give it up, once its
// time to live is over, so that must not be before the ledger forgets it (SEP-2663: "if
// the task's observable status has not reflected the update after createdAt plus ttlMs
// has elapsed, the client MAY consider the task to no longer be usable").
func TestAnMCPTaskSaysHowLongItIsKept(t *testing.T) {
	finish := make(chan struct{})
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Working("on it")
		<-finish
		turn.Complete("done")
		return nil
	})
	const day = 24 * time.Hour
	var days atomic.Int64 // by which the clock is set forward
	r := newRigWith(t, "", map[string]peer{"short": agent, "usual": agent}, func(b *bridge.Bridge) {
		b.Runner.Now = func() time.Time { return time.Now().Add(time.Duration(days.Load()) * day) }
	})
	for i, a := range r.Directory.Initial {
		r.Directory.Initial[i].Retention = map[string]directory.Duration{"short": directory.Duration(day)}[a.Name]
	}
	r.Directory.SetAgents(r.Directory.Initial)
	tasks, begin := taking(t, r)
	ids := map[string]string{}
	kept := map[string]time.Duration{"short": day, "usual": 90 * day}
	about := func(name string, got, want time.Duration) {
		t.Helper()
		if got < want || got > want+time.Minute {
			t.Errorf("%s: got %s to live, want %s", name, got, want)
		}
	}
	for name, want := range kept {
		begun := begin(`{"agent":"`+name+`","message":"go"}`, mcp.Revision20251125).Task
		ids[name] = begun.ID
		about(name+", begun", begun.TTL, want)
	}
	days.Store(3)
	for name, want := range kept {
		task, err := tasks.Task(as(t.Context(), "alice"), "alice", ids[name])
		if err != nil {
			t.Fatal(err)
		}
		about(name+", at work after three days", task.TTL, 3*day+want)
	}
	close(finish)
	for name, want := range kept {
		about(name+", ended after three days", until(t, tasks, ids[name], mcp.Completed).TTL, 3*day+want)
	}
	days.Store(4)
	task, err := tasks.Task(as(t.Context(), "alice"), "alice", ids["usual"])
	if err != nil {
		t.Fatal(err)
	}
	about("a day after the end", task.TTL, 93*day)
}
