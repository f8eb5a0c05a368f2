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

func leaseLost(t *testing.T, l Ledger) {
	e := add(t, l)
	e.Failure = &ledger.Failure{Message: "from a replica that was given up"}
	if err := l.SaveTask(t.Context(), e, "r2"); !errors.Is(err, ledger.ErrLeaseLost) {
		t.Errorf("SaveTask by another replica: got %v, want ErrLeaseLost", err)
	}
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
	later := now.Add(time.Minute)
	var mu sync.Mutex
	owners := map[string]int{}
	count(t, func(i int) (bool, error) {
		claim := ledger.Lease{Replica: fmt.Sprint("r", i), Until: later.Add(time.Minute)}
		entries, err := l.ClaimTasks(context.Background(), claim, later, 3)
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

func renewed(t *testing.T, l Ledger) {
	var ours []string
	for range 120 {
		ours = append(ours, add(t, l).Handle)
	}
	slipped := add(t, l)
	later := now.Add(time.Minute)
	if err := l.RenewLeases(t.Context(), ledger.Lease{Replica: "r1", Until: later.Add(time.Second)}, ours); err != nil {
		t.Fatal(err)
	}
	if got, err := l.ClaimTasks(t.Context(), lease("r2"), later, 200); len(got) != 1 || err != nil || got[0].Handle != slipped.Handle {
		t.Errorf("got %d tasks, %v, want the one that was not renewed", len(got), err)
	}
	if err := l.RenewLeases(t.Context(), ledger.Lease{Replica: "r1", Until: now}, ours); err != nil {
		t.Fatal(err)
	}
	if got, err := l.ClaimTasks(t.Context(), lease("r2"), now, 200); len(got) != len(ours) || err != nil {
		t.Errorf("after letting go: got %d tasks, %v, want %d", len(got), err, len(ours))
	}
}

func claimOne(t *testing.T, l Ledger) {
	one, other, paused := add(t, l), add(t, l), add(t, l)
	settle(t, l, paused, a2a.InputRequired)
	later := now.Add(time.Minute)
	claim := ledger.Lease{Replica: "r2", Until: later.Add(time.Minute)}
	for name, c := range map[string]struct {
		handle string
		at     time.Time
	}{"whose lease lasts": {one.Handle, now}, "that is settled": {paused.Handle, later}, "that there is not": {"another", later}} {
		if got, err := l.ClaimTask(t.Context(), c.handle, claim, c.at); len(got) != 0 || err != nil {
			t.Errorf("one %s: got %d tasks, %v, want none", name, len(got), err)
		}
	}
	got, err := l.ClaimTask(t.Context(), one.Handle, claim, later)
	if err != nil || len(got) != 1 || got[0].Handle != one.Handle {
		t.Fatalf("got %d tasks, %v, want the one", len(got), err)
	}
	if got, err := l.ClaimTask(t.Context(), one.Handle, lease("r3"), later); len(got) != 0 || err != nil {
		t.Errorf("again: got %d tasks, %v, want none", len(got), err)
	}
	if err := l.SaveTask(t.Context(), got[0], "r2"); err != nil {
		t.Errorf("who claimed it cannot write: %v", err)
	}
	if got, err := l.ClaimTasks(t.Context(), lease("r4"), later, 10); len(got) != 1 || err != nil || got[0].Handle != other.Handle {
		t.Errorf("got %d tasks, %v, want the other as it was", len(got), err)
	}
}

func settledNotClaimed(t *testing.T, l Ledger) {
	settle(t, l, add(t, l), a2a.InputRequired)
	if got, err := l.ClaimTasks(t.Context(), lease("r2"), now.Add(time.Hour), 10); len(got) != 0 || err != nil {
		t.Errorf("got %d tasks, %v, want none", len(got), err)
	}
}
