package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
)

// bigAgent streams so many KiB, and then waits until go is closed and completes.
func bigAgent(t *testing.T, kib int, sent chan<- struct{}, release <-chan struct{}) peer {
	return running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		for n := range kib / 16 {
			turn.Artifact(a2a.Artifact{ID: fmt.Sprint(n), Parts: []a2a.Part{a2a.TextPart(strings.Repeat("x", 16<<10))}})
		}
		sent <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		turn.Complete("done")
		return nil
	})
}

// TestTheMemoryOfAUserIsBounded has a user whose running task holds most of the memory that a user's tasks
// may hold. The next task ends where it grows beyond that, with what came before. The tasks of another
// user go on, and when the first task has ended there is room again.
func TestTheMemoryOfAUserIsBounded(t *testing.T) {
	sent, release := make(chan struct{}, 9), make(chan struct{})
	r := newRigWith(t, "", map[string]peer{"big": bigAgent(t, 700, sent, release), "small": bigAgent(t, 400, sent, closed())}, func(b *bridge.Bridge) {
		b.Runner.Limits.MemoryPerUser = 1 << 20
	})
	first := r.call("send_task", `{"agent":"big","message":"go","wait":0}`)
	<-sent
	r.call("get_task", fmt.Sprintf(`{"task_id":%q,"wait":1}`, first.TaskID)) // the bridge has all of it
	cut := r.call("send_task", `{"agent":"small","message":"go"}`)
	if cut.State != a2a.Failed || !strings.Contains(cut.Text, "limits.memory_per_user") || len(cut.Artifacts) == 0 {
		t.Errorf("got %s, %d artifacts, %.300q; want a task that was cut, and the limit's name", cut.State, len(cut.Artifacts), cut.Text)
	}
	r.callAs("bob", "send_task", `{"agent":"small","message":"go"}`, func(string) {}).want(t, a2a.Completed, false)
	close(release)
	r.call("get_task", fmt.Sprintf(`{"task_id":%q,"wait":20}`, first.TaskID)).want(t, a2a.Completed, false)
	r.call("send_task", `{"agent":"small","message":"go again"}`).want(t, a2a.Completed, false)
}

// TestTheMemoryOfAllTasksIsBounded ends a large task because other tasks use the memory, and keeps a small one.
func TestTheMemoryOfAllTasksIsBounded(t *testing.T) {
	sent, release := make(chan struct{}, 9), make(chan struct{})
	defer close(release)
	r := newRigWith(t, "", map[string]peer{"big": bigAgent(t, 700, sent, release), "large": bigAgent(t, 400, sent, closed()), "small": bigAgent(t, 16, sent, closed())}, func(b *bridge.Bridge) {
		b.Runner.Limits.Memory = 1 << 20
	})
	first := r.call("send_task", `{"agent":"big","message":"go","wait":0}`)
	<-sent
	r.call("get_task", fmt.Sprintf(`{"task_id":%q,"wait":1}`, first.TaskID))
	cut := r.callAs("bob", "send_task", `{"agent":"large","message":"go"}`, func(string) {})
	if cut.State != a2a.Failed || !strings.Contains(cut.Text, "limits.memory)") {
		t.Errorf("got %s, %.300q; want a task that was cut, and the limit's name", cut.State, cut.Text)
	}
	r.callAs("carol", "send_task", `{"agent":"small","message":"go"}`, func(string) {}).want(t, a2a.Completed, false)
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
