package ledgerdb_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/push"
)

// Watched is a ledger with the outbox that it fills.
type Watched interface {
	ledger.Store
	ledger.Leases
	push.Outbox
}

// testOutbox runs the contract of push.Outbox against the stores that open
// returns. Each must be empty.
func testOutbox(t *testing.T, open func(*testing.T) Watched) {
	for name, test := range map[string]func(*testing.T, Watched){
		"each webhook of a task hears of its changes":          noticed,
		"a webhook is its owner's":                             hooksOwned,
		"a task has so many webhooks, and each ID once":        hooksBounded,
		"a notice goes to exactly one":                         noticeClaimedOnce,
		"a webhook hears of changes in their order":            noticeOrder,
		"progress is replaced, an end is not":                  noticeReplaced,
		"a notice that failed comes back, or is dead":          noticeFailed,
		"what a replica held that died, or closed, comes back": noticeLost,
		"a replica that lives keeps what it holds":             noticeHeld,
		"a webhook gets an answer that comes late":             noticeLate,
		"hosts are left out":                                   noticeExcept,
		"the dead are revived, or forgotten":                   noticeDead,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// hook adds a webhook to e.
func hook(t *testing.T, s Watched, e *ledger.Record, id string) {
	t.Helper()
	h := push.Webhook{Handle: e.Handle, ID: id, Host: id + ".example", Sealed: "sealed " + id, Created: now}
	if err := s.AddHook(t.Context(), e.Owner, h, 3); err != nil {
		t.Fatalf("AddHook: %v", err)
	}
}

// change saves e in another state.
func change(t *testing.T, s Watched, e *ledger.Record, state a2a.State) {
	t.Helper()
	e.Updated = e.Updated.Add(time.Millisecond)
	e.Task = &a2a.Task{ID: "upstream", ContextID: "context", Status: a2a.Status{State: state}}
	e.Idle = state.Idle()
	if err := s.SaveTask(t.Context(), e, "r1"); err != nil {
		t.Fatalf("SaveTask: %v", err)
	}
}

// later is when everything that was changed is due.
var later = now.Add(time.Second)

func claim(t *testing.T, s Watched, replica string, at time.Time, except ...string) []*push.Notice {
	t.Helper()
	got, err := s.ClaimNotices(t.Context(), replica, at, at.Add(10*time.Second), 100, except)
	if err != nil {
		t.Fatalf("ClaimNotices: %v", err)
	}
	return got
}

// one claims the only notice that is due.
func one(t *testing.T, s Watched, replica string, at time.Time) *push.Notice {
	t.Helper()
	got := claim(t, s, replica, at)
	if len(got) != 1 {
		t.Fatalf("got %d notices, want 1", len(got))
	}
	return got[0]
}

func noticed(t *testing.T, s Watched) {
	watched, other := add(t, s), add(t, s)
	hook(t, s, watched, "a")
	hook(t, s, watched, "b")
	change(t, s, other, a2a.Completed)
	if next, err := s.NextNotice(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("of a task that nobody watches: got %v, %v", next, err)
	}
	change(t, s, watched, a2a.Completed)
	select {
	case <-s.NoticesAdded():
	default:
		t.Error("nobody was woken")
	}
	if next, err := s.NextNotice(t.Context()); err != nil || !next.Equal(watched.Updated) {
		t.Errorf("next: got %v, %v, want %v", next, err, watched.Updated)
	}
	hooks := map[string]bool{}
	for _, n := range claim(t, s, "r1", later) {
		hooks[n.Hook] = true
		if n.Handle != watched.Handle || n.Host != n.Hook+".example" || n.Sealed != "sealed "+n.Hook {
			t.Errorf("got %+v", n)
		}
		if n.Task.ID != a2a.TaskID(watched.Handle) || n.Task.Status.State != a2a.Completed {
			t.Errorf("got %+v, want the task as its owner sees it", n.Task)
		}
		if err := s.NoticeDelivered(t.Context(), n, "r1"); err != nil {
			t.Fatal(err)
		}
	}
	if !hooks["a"] || !hooks["b"] {
		t.Errorf("got %v, want both webhooks told", hooks)
	}
	if left := claim(t, s, "r1", later.Add(time.Hour)); len(left) > 0 {
		t.Errorf("%d are still there after they were sent", len(left))
	}
}

func hooksOwned(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	for _, who := range []string{"bob", ""} {
		if err := s.AddHook(t.Context(), who, push.Webhook{Handle: e.Handle, ID: "b", Created: now}, 3); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("AddHook of %q: got %v, want ErrNoTask", who, err)
		}
		if _, err := s.Hooks(t.Context(), who, e.Handle); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("Hooks of %q: got %v, want ErrNoTask", who, err)
		}
		if err := s.DropHook(t.Context(), who, e.Handle, "a"); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("DropHook of %q: got %v, want ErrNoTask", who, err)
		}
	}
	change(t, s, e, a2a.Completed)
	if err := s.DropHook(t.Context(), e.Owner, e.Handle, "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.DropHook(t.Context(), e.Owner, e.Handle, "a"); err != nil {
		t.Errorf("dropping it again: %v", err)
	}
	if hooks, err := s.Hooks(t.Context(), e.Owner, e.Handle); len(hooks) > 0 || err != nil {
		t.Errorf("got %v, %v, want none", hooks, err)
	}
	if got := claim(t, s, "r1", later); len(got) > 0 {
		t.Error("a webhook that was dropped is called")
	}
}

func hooksBounded(t *testing.T, s Watched) {
	e := add(t, s)
	for _, id := range []string{"a", "b", "c", "b"} {
		hook(t, s, e, id)
	}
	if err := s.AddHook(t.Context(), e.Owner, push.Webhook{Handle: e.Handle, ID: "d", Created: now}, 3); !errors.Is(err, push.ErrTooMany) {
		t.Errorf("got %v, want ErrTooMany", err)
	}
	if err := s.AddHook(t.Context(), e.Owner, push.Webhook{Handle: e.Handle, ID: "a", Sealed: "new", Created: now}, 3); err != nil {
		t.Errorf("replacing one: %v", err)
	}
	hooks, err := s.Hooks(t.Context(), e.Owner, e.Handle)
	if err != nil || len(hooks) != 3 || hooks[0].Sealed != "new" {
		t.Errorf("got %+v, %v, want three, the first replaced", hooks, err)
	}
}

func noticeClaimedOnce(t *testing.T, s Watched) {
	for range 20 {
		e := add(t, s)
		hook(t, s, e, "a")
		change(t, s, e, a2a.Completed)
	}
	var mu sync.Mutex
	claimed := map[string]int{}
	var wg sync.WaitGroup
	for i := range parallel / 8 {
		wg.Go(func() {
			for {
				got, err := s.ClaimNotices(t.Context(), fmt.Sprint(i), later, later.Add(time.Hour), 3, nil)
				if err != nil {
					t.Error(err)
				}
				if len(got) == 0 {
					return
				}
				mu.Lock()
				for _, n := range got {
					claimed[n.Handle]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(claimed) != 20 {
		t.Errorf("got %d tasks, want 20", len(claimed))
	}
	for handle, n := range claimed {
		if n != 1 {
			t.Errorf("%s went to %d", handle, n)
		}
	}
}

func noticeOrder(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	change(t, s, e, a2a.Working)
	first := one(t, s, "r1", later)
	change(t, s, e, a2a.Completed)
	if got := claim(t, s, "r2", later); len(got) > 0 {
		t.Fatal("the end overtakes what is on its way")
	}
	if err := s.NoticeDelivered(t.Context(), first, "r1"); err != nil {
		t.Fatal(err)
	}
	if last := one(t, s, "r2", later); last.Task.Status.State != a2a.Completed || last.Version <= first.Version {
		t.Errorf("got %+v after %+v", last, first)
	}
}

func noticeReplaced(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	for range 5 {
		change(t, s, e, a2a.Working)
	}
	change(t, s, e, a2a.InputRequired)
	if err := s.ContinueTask(t.Context(), e, "m2", "r1", e.Updated.Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	e.MessageID = "m2"
	change(t, s, e, a2a.Working)
	change(t, s, e, a2a.Completed)
	for _, want := range []a2a.State{a2a.InputRequired, a2a.Completed} {
		n := one(t, s, "r1", later)
		if n.Task.Status.State != want {
			t.Errorf("got %s, want %s", n.Task.Status.State, want)
		}
		if err := s.NoticeDelivered(t.Context(), n, "r1"); err != nil {
			t.Fatal(err)
		}
	}
}

func noticeFailed(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	change(t, s, e, a2a.Working)
	n := one(t, s, "r1", later)
	change(t, s, e, a2a.Completed)
	if err := s.NoticeFailed(t.Context(), n, "r1", "no", later.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	n = one(t, s, "r1", later) // the end, for the progress is not worth another attempt
	if err := s.NoticeFailed(t.Context(), n, "r2", "not ours", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := s.NoticeFailed(t.Context(), n, "r1", "no", later.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := claim(t, s, "r1", later); len(got) > 0 {
		t.Error("it is tried again too early")
	}
	n = one(t, s, "r1", later.Add(time.Minute))
	if n.Attempts != 1 || n.Failure != "no" || n.Task.Status.State != a2a.Completed {
		t.Errorf("got %+v, want one failure of the end", n)
	}
	if err := s.NoticeFailed(t.Context(), n, "r1", "never", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := claim(t, s, "r1", later.Add(time.Hour)); len(got) > 0 {
		t.Error("the dead are tried again")
	}
}

func noticeLost(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	change(t, s, e, a2a.Completed)
	one(t, s, "r1", later)
	if got := claim(t, s, "r2", later.Add(5*time.Second)); len(got) > 0 {
		t.Error("a lease that holds is taken")
	}
	n := one(t, s, "r2", later.Add(10*time.Second))
	if err := s.NoticeDelivered(t.Context(), n, "r1"); err != nil {
		t.Fatal(err)
	}
	if err := s.ReleaseNotices(t.Context(), "r2", later); err != nil {
		t.Fatal(err)
	}
	one(t, s, "r3", later) // neither told by the one that lost it, nor kept by the one that closed
}

func noticeHeld(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	change(t, s, e, a2a.Completed)
	live(t, s, "r1", 1)
	live(t, s, "r2", 1)
	one(t, s, "r1", later)
	if got := claim(t, s, "r2", later.Add(time.Minute)); len(got) > 0 {
		t.Error("a replica whose clock is ahead takes it")
	}
	one(t, s, "r1", later.Add(10*time.Second)) // its result was not written
	die(t, s, "r1", 1)
	one(t, s, "r2", later.Add(time.Minute))
}

func noticeLate(t *testing.T, s Watched) {
	sent := add(t, s)
	hook(t, s, sent, "a")
	live(t, s, "r2", 1)
	claimed, err := s.ClaimTasks(t.Context(), "r2", nil, 10)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("got %d tasks, %v, want one", len(claimed), err)
	}
	e := claimed[0]
	e.Failure, e.Idle, e.Updated = &ledger.Failure{Message: "lost", Presumed: true}, true, now.Add(time.Minute)
	if err := s.SaveTask(t.Context(), e, "r2"); err != nil {
		t.Fatal(err)
	}
	change(t, s, sent, a2a.Completed) // by a clock that is behind
	for _, want := range []a2a.State{a2a.Failed, a2a.Completed} {
		n := one(t, s, "r1", now.Add(time.Hour))
		if n.Task.Status.State != want {
			t.Errorf("got %s, want %s", n.Task.Status.State, want)
		}
		if err := s.NoticeDelivered(t.Context(), n, "r1"); err != nil {
			t.Fatal(err)
		}
	}
}

func noticeExcept(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	hook(t, s, e, "b")
	change(t, s, e, a2a.Completed)
	got := claim(t, s, "r1", later, "a.example", "c.example")
	if len(got) != 1 || got[0].Hook != "b" {
		t.Errorf("got %+v, want b alone", got)
	}
}

func noticeDead(t *testing.T, s Watched) {
	e := add(t, s)
	hook(t, s, e, "a")
	hook(t, s, e, "b")
	change(t, s, e, a2a.Completed)
	for _, n := range claim(t, s, "r1", later) {
		if err := s.NoticeFailed(t.Context(), n, "r1", "gone", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	dead, err := s.DeadNotices(t.Context(), 1)
	if err != nil || len(dead) != 1 || dead[0].Failure != "gone" || dead[0].Attempts != 1 {
		t.Fatalf("got %+v, %v, want one of them", dead, err)
	}
	if n, err := s.RetryDeadNotices(t.Context(), later); n != 2 || err != nil {
		t.Errorf("revived %d, %v, want 2", n, err)
	}
	for _, n := range claim(t, s, "r1", later) {
		if n.Attempts != 0 {
			t.Errorf("got %d attempts, want a new beginning", n.Attempts)
		}
		if err := s.NoticeFailed(t.Context(), n, "r1", "gone", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DropDeadNotices(t.Context(), e.Updated.Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if dead, err := s.DeadNotices(t.Context(), 10); err != nil || len(dead) > 0 {
		t.Errorf("got %v, %v, want them forgotten", dead, err)
	}
}
