package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/events"
	"rialto/bridge/ledger"
	"rialto/store"
)

// taskOf adds a running task, and returns what moves it on.
func taskOf(t *testing.T, db *store.DB, owner, handle string) (move func(state a2a.State, said string)) {
	t.Helper()
	now := time.Now().Truncate(time.Millisecond)
	e := &ledger.Record{Handle: handle, Owner: owner, Agent: "maps", MessageID: "m", Created: now, Updated: now}
	if err := db.Ledger.AddTask(t.Context(), e, "r", 100); err != nil {
		t.Fatal(err)
	}
	return func(state a2a.State, said string) {
		t.Helper()
		if e.Idle { // it is answered
			if err := db.Ledger.ContinueTask(t.Context(), e, "m", "r", now); err != nil {
				t.Fatal(err)
			}
		}
		e.Touch(now)
		e.Task = &a2a.Task{ID: "t", ContextID: "talk", Status: a2a.Status{State: state, Message: &a2a.Message{Parts: []a2a.Part{a2a.TextPart(said)}}}}
		e.Idle = state.Idle()
		if err := db.Ledger.SaveTask(t.Context(), e, "r"); err != nil {
			t.Fatal(err)
		}
	}
}

func logOf(t *testing.T, db *store.DB, owner, name string, keep int) events.Log {
	t.Helper()
	now := time.Now()
	l, err := db.Events.Log(t.Context(), owner, name, keep, now, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func eventsOf(t *testing.T, db *store.DB, owner, name string, f events.Filter) (seen []string) {
	t.Helper()
	list, err := db.Events.Events(t.Context(), owner, name, f, 0, 1<<40, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		seen = append(seen, fmt.Sprintf("%d %s %s %s %s %s", e.Seq, e.Task, e.Agent, e.Context, e.State, e.Text))
	}
	return seen
}

func TestAChangeOfATaskIsAnEventForThoseWhoWantIt(t *testing.T) {
	each(t, func(t *testing.T, empty func(*testing.T) *store.DB) {
		db := empty(t)
		before := taskOf(t, db, "alice", "before")
		before(a2a.Completed, "before any subscription")
		for _, name := range []string{"task.completed", "task.failed", "task.input_required", "task.auth_required", "task.progress"} {
			logOf(t, db, "alice", name, 1000)
		}
		one, two, bobs := taskOf(t, db, "alice", "one"), taskOf(t, db, "alice", "two"), taskOf(t, db, "bob", "bobs")
		one(a2a.Working, "looking")
		one(a2a.Working, "still looking") // within 15 s
		one(a2a.InputRequired, "which?")
		one(a2a.AuthRequired, "sign in")
		one(a2a.Completed, "done")
		two(a2a.Rejected, "no")
		long := &ledger.Record{Handle: "long", Owner: "alice", Agent: "hostile", MessageID: "m", Created: time.Now(), Updated: time.Now(), Idle: true,
			Task: &a2a.Task{ContextID: strings.Repeat("ü", 20<<10), Status: a2a.Status{State: a2a.Failed}}}
		if err := db.Ledger.AddTask(t.Context(), long, "r", 100); err != nil {
			t.Fatal(err)
		}
		bobs(a2a.Completed, "secret")
		now := time.Now().Truncate(time.Millisecond)
		short := &ledger.Record{Handle: "short", Owner: "alice", Agent: "other", MessageID: "m", Created: now, Updated: now, Idle: true,
			Task: &a2a.Task{Status: a2a.Status{State: a2a.Completed}}}
		if err := db.Ledger.AddTask(t.Context(), short, "r", 100); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string][]string{
			"task.completed":      {"1 one maps talk completed done", "2 short other  completed "},
			"task.failed":         {"1 two maps talk rejected no", "2 long hostile " + strings.Repeat("ü", 1000) + " failed "},
			"task.input_required": {"1 one maps talk input-required which?"},
			"task.auth_required":  {"1 one maps talk auth-required sign in"},
			"task.progress":       {"1 one maps talk working looking"},
		} {
			if got := eventsOf(t, db, "alice", name, events.Filter{}); !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if got := eventsOf(t, db, "alice", "task.completed", events.Filter{Agent: "other"}); len(got) != 1 {
			t.Errorf("of one agent: got %q", got)
		}
		if got := eventsOf(t, db, "bob", "task.completed", events.Filter{}); got != nil {
			t.Errorf("bob asked for none: got %q", got)
		}
	})
}

// TestAChangeThatAllReplicasSeeIsOneEvent has four replicas see an agent change back and forth.
func TestAChangeThatAllReplicasSeeIsOneEvent(t *testing.T) {
	each(t, func(t *testing.T, empty func(*testing.T) *store.DB) {
		db, now := empty(t), time.Now()
		logOf(t, db, "alice", "agent.changed", 100)
		logOf(t, db, "bob", "agent.changed", 100)
		for i, change := range []string{"off", "on", "off"} {
			var replicas sync.WaitGroup
			for replica := range 4 {
				replicas.Go(func() {
					at := now.Add(time.Duration(10*i+replica) * time.Millisecond)
					for _, agent := range []string{"maps", "other"} {
						e := events.Event{ID: agent + "." + change, Name: "agent.changed", At: at, Agent: agent, State: change, UseCases: []string{"a", "b"}}
						if err := db.Events.Emit(t.Context(), e); err != nil {
							t.Error(err)
						}
					}
				})
			}
			replicas.Wait()
		}
		for _, owner := range []string{"alice", "bob"} {
			list, err := db.Events.Events(t.Context(), owner, "agent.changed", events.Filter{Agent: "maps"}, 0, 1000, 1000)
			if err != nil || len(list) != 3 || list[0].ID == list[2].ID || list[1].State != "on" || !slices.Equal(list[0].UseCases, []string{"a", "b"}) {
				t.Errorf("%s: got %+v, %v, want three events", owner, list, err)
			}
		}
	})
}

func TestALogIsBounded(t *testing.T) {
	each(t, func(t *testing.T, empty func(*testing.T) *store.DB) {
		db := empty(t)
		logOf(t, db, "alice", "task.completed", 3)
		for i := range 5 {
			taskOf(t, db, "alice", fmt.Sprint(i))(a2a.Completed, "")
		}
		if got := logOf(t, db, "alice", "task.completed", 3); got.Last != 5 || got.Oldest != 3 {
			t.Errorf("got %+v, want the last three of five", got)
		}
		if err := db.Events.Prune(t.Context(), time.Now().Add(2*time.Hour), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := logOf(t, db, "alice", "task.completed", 3); got.Last != 0 {
			t.Errorf("after an hour: got %+v, want a new log", got)
		}
	})
}

// TestASubscriptionIsClaimedOnceAndInOrder has several replicas claim at the same time.
func TestASubscriptionIsClaimedOnceAndInOrder(t *testing.T) {
	each(t, func(t *testing.T, empty func(*testing.T) *store.DB) {
		db, now := empty(t), time.Now().Truncate(time.Millisecond)
		logOf(t, db, "alice", "task.completed", 100)
		sub := &events.Subscription{ID: "sub_1", Owner: "alice", Grant: "g", Name: "task.completed", Filter: events.Filter{Task: "mine"}, Receiver: events.Receiver{Host: "h"}, Fence: "1", Expires: now.Add(time.Hour)}
		if _, _, err := db.Events.Reserve(t.Context(), sub, 1, 1); err != nil {
			t.Fatal(err)
		}
		other := *sub
		other.ID = "sub_2"
		if _, _, err := db.Events.Reserve(t.Context(), &other, 10, 1); err != events.ErrFullOwner {
			t.Errorf("a second: got %v", err)
		}
		sub.Verified = now
		if ok, err := db.Events.Confirm(t.Context(), sub); err != nil || !ok || !sub.Active || sub.Position != 0 {
			t.Fatalf("got %v, %v, %+v", ok, err, sub)
		}
		claim := func(replica string) []*events.Subscription {
			t.Helper()
			got, err := db.Events.Claim(t.Context(), replica, now, now.Add(time.Minute), 10, []string{"elsewhere"})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		taskOf(t, db, "alice", "not mine")(a2a.Completed, "")
		if got := claim("a"); len(got) != 0 {
			t.Fatalf("the event of another task: got %+v", got[0])
		}
		taskOf(t, db, "alice", "mine")(a2a.Completed, "")
		got := claim("a")
		if len(got) != 1 || got[0].Position != 0 || got[0].Last != 2 || len(claim("b")) != 0 {
			t.Fatalf("got %+v, want one claim", got)
		}
		got[0].Active, got[0].Failing = false, now
		renewed := *sub
		if ok, err := db.Events.Confirm(t.Context(), &renewed); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := db.Events.Settle(t.Context(), got[0], "a"); err != nil {
			t.Fatal(err)
		}
		if got = claim("a"); len(got) != 1 || !got[0].Active || !got[0].Failing.IsZero() {
			t.Fatalf("got %+v, want that an attempt does not undo a renewal during it", got)
		}
		for _, active := range []bool{true, false} { // a renewal forgets the failures of a suspended one
			got[0].Active, got[0].Due, got[0].Failing, got[0].Window = active, now, now, events.Window{Since: now, Tried: 3, Missed: 2}
			if err := db.Events.Settle(t.Context(), got[0], "a"); err != nil {
				t.Fatal(err)
			}
			if claimed := len(claim("b")) > 0; claimed != active {
				t.Fatalf("active %v: claimed %v", active, claimed)
			}
			if ok, err := db.Events.Confirm(t.Context(), &renewed); err != nil || !ok || !renewed.Active || renewed.Failing.IsZero() == active || renewed.Window.Since.IsZero() == active {
				t.Fatalf("active %v: got %v, %v, %+v", active, ok, err, renewed)
			}
			got = claim("a")
		}
		for _, lasts := range []time.Duration{-time.Second, time.Hour} { // it expires, and is renewed
			renewed.Expires = now.Add(lasts)
			if ok, err := db.Events.Confirm(t.Context(), &renewed); err != nil || !ok {
				t.Fatal(ok, err)
			}
			got = claim("a")
			if (len(got) == 1) != (lasts > 0) {
				t.Fatalf("%v before its end: got %d", lasts, len(got))
			}
		}
		got[0].Position, got[0].Active = 2, true
		if err := db.Events.Settle(t.Context(), got[0], "a"); err != nil {
			t.Fatal(err)
		}
		if next, err := db.Events.Next(t.Context()); !next.IsZero() || err != nil {
			t.Errorf("all is delivered: next at %v, %v", next, err)
		}
		if err := db.Events.End(t.Context(), "g"); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Hour) // it has expired, and its receiver has not been told that it ended
		if err := db.Events.Prune(t.Context(), now, now); err != nil {
			t.Fatal(err)
		}
		if got = claim("a"); len(got) != 1 || !got[0].Ending {
			t.Errorf("got %+v, want the one that ends", got)
		}
		if ended, err := db.Events.Drop(t.Context(), "sub_1", ""); err != nil || ended == nil {
			t.Errorf("got %v, %v", ended, err)
		}
		if ok, err := db.Events.Confirm(t.Context(), sub); ok || err != nil {
			t.Errorf("what was dropped is confirmed: %v, %v", ok, err)
		}
	})
}
