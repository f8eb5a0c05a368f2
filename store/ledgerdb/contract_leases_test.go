package ledgerdb_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// live is a heartbeat of a replica.
func live(t *testing.T, l ledger.Leases, replica string, count int64) {
	t.Helper()
	all, err := l.Heartbeat(t.Context(), replica, count)
	if err != nil || all[replica] != count {
		t.Fatalf("Heartbeat: got %v, %v, want %d of %s", all, err, count, replica)
	}
}

func die(t *testing.T, l ledger.Leases, replica string, last int64) {
	t.Helper()
	if err := l.RemoveReplicas(t.Context(), map[string]int64{replica: last}); err != nil {
		t.Fatal(err)
	}
}

// claimed claims tasks and checks that they are these.
func claimed(t *testing.T, l Ledger, replica string, followed []string, want ...*ledger.Record) {
	t.Helper()
	got, err := l.ClaimTasks(t.Context(), replica, followed, 200)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%s got %d tasks, %v, want %d", replica, len(got), err, len(want))
	}
	for _, e := range want {
		found := false
		for _, g := range got {
			found = found || g.Handle == e.Handle
		}
		if !found {
			t.Errorf("%s did not get %s", replica, e.Handle)
		}
	}
}

func leaseLost(t *testing.T, l Ledger) {
	e := add(t, l)
	e.Failure = &ledger.Failure{Message: "from a replica that was given up"}
	if err := l.SaveTask(t.Context(), e, "r2"); !errors.Is(err, ledger.ErrLeaseLost) {
		t.Errorf("SaveTask by another replica: got %v, want ErrLeaseLost", err)
	}
	e.Failure = nil
	if got, err := l.Task(t.Context(), "alice", e.Handle); err != nil || got.Failure != nil {
		t.Errorf("afterwards: got %+v, %v, want no failure", got.Failure, err)
	}
	settle(t, l, e, a2a.Completed)
	if err := l.SaveTask(t.Context(), e, "r1"); !errors.Is(err, ledger.ErrLeaseLost) {
		t.Errorf("SaveTask of a settled task: got %v, want ErrLeaseLost", err)
	}
}

func claimOnce(t *testing.T, l Ledger) {
	const tasks = 20
	for range tasks {
		add(t, l)
	}
	for i := range parallel {
		live(t, l, fmt.Sprint("r", i+2), 1)
	}
	var mu sync.Mutex
	owners := map[string]int{}
	count(t, func(i int) (bool, error) {
		entries, err := l.ClaimTasks(context.Background(), fmt.Sprint("r", i+2), nil, 3)
		mu.Lock()
		defer mu.Unlock()
		for _, e := range entries {
			owners[e.Handle]++
		}
		return len(entries) > 0, err
	})
	if len(owners) != tasks {
		t.Errorf("got %d tasks claimed, want %d", len(owners), tasks)
	}
	for handle, n := range owners {
		if n != 1 {
			t.Errorf("task %s went to %d replicas, want 1", handle, n)
		}
	}
}

func heldWhileItLives(t *testing.T, l Ledger) {
	one, other := add(t, l), add(t, l)
	live(t, l, "r1", 1)
	live(t, l, "r2", 1)
	claimed(t, l, "r2", nil)
	live(t, l, "r1", 2)
	die(t, l, "r1", 1) // it has gone on meanwhile
	claimed(t, l, "r2", nil)
	die(t, l, "r1", 2)
	claimed(t, l, "r2", nil, one, other)
	live(t, l, "r1", 3) // it was not dead
	claimed(t, l, "r1", nil)
}

func ownUnfollowed(t *testing.T, l Ledger) {
	followed, slipped := add(t, l), add(t, l)
	live(t, l, "r1", 1)
	claimed(t, l, "r1", []string{followed.Handle}, slipped)
	if got, err := l.ClaimTask(t.Context(), followed.Handle, "r1", []string{followed.Handle}); len(got) != 0 || err != nil {
		t.Errorf("got %d tasks, %v, want none that is followed", len(got), err)
	}
}

func claimOne(t *testing.T, l Ledger) {
	one, other, paused := add(t, l), add(t, l), add(t, l)
	settle(t, l, paused, a2a.InputRequired)
	live(t, l, "r1", 1)
	live(t, l, "r2", 1)
	is := func(name, handle string, want int) (got []*ledger.Record) {
		t.Helper()
		got, err := l.ClaimTask(t.Context(), handle, "r2", []string{one.Handle})
		if len(got) != want || err != nil {
			t.Errorf("one %s: got %d tasks, %v, want %d", name, len(got), err, want)
		}
		return got
	}
	is("of a replica that lives", one.Handle, 0)
	die(t, l, "r1", 1)
	is("that is settled", paused.Handle, 0)
	is("that there is not", "another", 0)
	got := is("of a replica that is gone", one.Handle, 1)
	is("again", one.Handle, 0)
	if err := l.SaveTask(t.Context(), got[0], "r2"); err != nil {
		t.Errorf("who claimed it cannot write: %v", err)
	}
	claimed(t, l, "r4", nil, other)
}

func settledNotClaimed(t *testing.T, l Ledger) {
	settle(t, l, add(t, l), a2a.InputRequired)
	claimed(t, l, "r2", nil)
}

func goneCountForNobody(t *testing.T, l Ledger) {
	gone := add(t, l)
	live(t, l, "r1", 1)
	live(t, l, "r2", 1)
	next := func() error {
		e := &ledger.Record{Handle: gone.Handle + "+", Owner: "alice", Agent: "agent", MessageID: "m1", Created: now, Updated: now}
		return l.AddTask(t.Context(), e, "r2", 1)
	}
	if err := next(); !errors.Is(err, ledger.ErrTooManyTasks) {
		t.Errorf("while its replica lives: got %v, want ErrTooManyTasks", err)
	}
	die(t, l, "r1", 1)
	if err := next(); err != nil {
		t.Errorf("when it is gone: %v", err)
	}
	claimed(t, l, "r2", []string{gone.Handle + "+"}, gone)
}

// adopted is a task whose message r1 sent and that r2 has claimed.
func adopted(t *testing.T, l Ledger) (sent, claim *ledger.Record) {
	t.Helper()
	sent = add(t, l)
	live(t, l, "r2", 1)
	got, err := l.ClaimTasks(t.Context(), "r2", nil, 10)
	if err != nil || len(got) != 1 {
		t.Fatalf("got %d tasks, %v, want one", len(got), err)
	}
	return sent, got[0]
}

// saved saves a task in a state, at a moment, and checks whether it is the task then.
func saved(t *testing.T, l Ledger, e *ledger.Record, replica string, s a2a.State, at time.Duration, want error) {
	t.Helper()
	e.Task = &a2a.Task{ID: "upstream", Status: a2a.Status{State: s, Message: &a2a.Message{ID: replica, Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("words of " + replica)}}}}
	e.Idle, e.Updated = s.Idle(), now.Add(at)
	before, err := l.Task(t.Context(), "alice", e.Handle)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.SaveTask(t.Context(), e, replica); !errors.Is(err, want) {
		t.Fatalf("%s saves %s: got %v, want %v", replica, s, err, want)
	}
	got, err := l.Task(t.Context(), "alice", e.Handle)
	switch {
	case err != nil:
		t.Fatal(err)
	case want != nil && !got.Updated.Equal(before.Updated):
		t.Errorf("the task was changed: %+v", got)
	case want == nil && (got.Failure != nil || got.State() != s || got.Task.Status.Message.ID != replica || !got.Updated.Equal(e.Updated) || !got.Updated.After(before.Updated)):
		t.Errorf("got %+v, want what %s saved, after %s", got, replica, before.Updated)
	}
}

// presume has r2 presume that a task failed, by a clock that is a minute ahead.
func presume(t *testing.T, l Ledger, claim *ledger.Record) {
	t.Helper()
	claim.Failure, claim.Idle, claim.Updated = &ledger.Failure{Message: "lost", Presumed: true}, true, now.Add(time.Minute)
	if err := l.SaveTask(t.Context(), claim, "r2"); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Task(t.Context(), "alice", claim.Handle); err != nil || !got.Idle || got.Failure == nil || !got.Failure.Presumed {
		t.Fatalf("got %+v, %v, want a failure that is presumed", got, err)
	}
}

func senderKnowsBetter(t *testing.T, l Ledger) {
	sent, claim := adopted(t, l)
	presume(t, l, claim)
	claimed(t, l, "r3", nil) // it is idle
	saved(t, l, sent, "r1", a2a.Completed, time.Second, nil)
	saved(t, l, claim, "r2", a2a.Completed, 2*time.Minute, ledger.ErrLeaseLost)
	saved(t, l, sent, "r1", a2a.Completed, 3*time.Minute, ledger.ErrLeaseLost)
}

func senderGoesOn(t *testing.T, l Ledger) {
	sent, claim := adopted(t, l)
	live(t, l, "r1", 1)
	presume(t, l, claim)
	saved(t, l, sent, "r1", a2a.Working, time.Second, nil)
	claimed(t, l, "r2", nil) // it is r1's again
	saved(t, l, sent, "r1", a2a.Completed, 2*time.Minute, nil)
}

func senderTakesBack(t *testing.T, l Ledger) {
	sent, claim := adopted(t, l)
	live(t, l, "r1", 1)
	saved(t, l, claim, "r2", a2a.Working, time.Minute, nil)
	saved(t, l, sent, "r1", a2a.Working, time.Second, nil)
	saved(t, l, claim, "r2", a2a.Completed, 2*time.Minute, ledger.ErrLeaseLost)
	saved(t, l, sent, "r1", a2a.Completed, 3*time.Minute, nil)
}

func answersStay(t *testing.T, l Ledger) {
	sent, claim := adopted(t, l)
	saved(t, l, claim, "r2", a2a.Completed, time.Second, nil)
	saved(t, l, sent, "r1", a2a.Failed, time.Minute, ledger.ErrLeaseLost)
}

func earlierMessage(t *testing.T, l Ledger) {
	sent, claim := adopted(t, l)
	saved(t, l, claim, "r2", a2a.InputRequired, time.Second, nil)
	if err := l.ContinueTask(t.Context(), claim, "m2", "r1", now.Add(2*time.Second)); err != nil {
		t.Fatal(err)
	}
	saved(t, l, sent, "r1", a2a.Completed, time.Minute, ledger.ErrLeaseLost)
	claim.MessageID = "m2"
	saved(t, l, claim, "r1", a2a.Completed, 2*time.Minute, nil)
}
