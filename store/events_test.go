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

// subscribed adds a subscription to the events of a task, which begins now.
func subscribed(t *testing.T, db *store.DB, sub *events.Subscription) {
	t.Helper()
	logOf(t, db, sub.Owner, sub.Name, 100)
	if _, _, err := db.Events.Reserve(t.Context(), sub, 10, 10); err != nil {
		t.Fatal(err)
	}
	sub.Verified = time.Now()
	if ok, err := db.Events.Confirm(t.Context(), sub); err != nil || !ok || !sub.Active || sub.Position != 0 {
		t.Fatalf("got %v, %v, %+v", ok, err, sub)
	}
}

func claimed(t *testing.T, db *store.DB, replica string, now time.Time) []*events.Delivery {
	t.Helper()
	got, err := db.Events.Claim(t.Context(), replica, now, now.Add(time.Minute), 10, []string{"elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func settled(t *testing.T, db *store.DB, d *events.Delivery, replica string, outcome func(*events.Subscription)) {
	t.Helper()
	if err := db.Events.Settle(t.Context(), d, replica, outcome); err != nil {
		t.Fatal(err)
	}
}

func kept(t *testing.T, db *store.DB, id string) *events.Subscription {
	t.Helper()
	s, err := db.Events.Subscription(t.Context(), id)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	return s
}

func nothing(*events.Subscription) {}

// TestAnEventIsClaimedOnce has several replicas claim at the same time, and a client that renews.
func TestAnEventIsClaimedOnce(t *testing.T) {
	each(t, func(t *testing.T, empty func(*testing.T) *store.DB) {
		db, now := empty(t), time.Now().Truncate(time.Millisecond).Add(time.Second)
		sub := &events.Subscription{ID: "sub_1", Owner: "alice", Grant: "g", Name: "task.completed", Filter: events.Filter{Task: "mine"}, Receiver: events.Receiver{Host: "h"}, Fence: "1", Expires: now.Add(time.Hour)}
		subscribed(t, db, sub)
		other := *sub
		other.ID = "sub_2"
		if _, _, err := db.Events.Reserve(t.Context(), &other, 10, 1); err != events.ErrFullOwner {
			t.Errorf("a second: got %v", err)
		}
		taskOf(t, db, "alice", "not mine")(a2a.Completed, "")
		if got := claimed(t, db, "a", now); len(got) != 0 {
			t.Fatalf("the event of another task: got %+v", got[0])
		}
		taskOf(t, db, "alice", "mine")(a2a.Completed, "")
		got := claimed(t, db, "a", now)
		if len(got) != 1 || got[0].Seq != 2 || got[0].Host != "h" || len(claimed(t, db, "b", now)) != 0 {
			t.Fatalf("got %+v, want one claim", got)
		}
		if s := kept(t, db, "sub_1"); s.Position != 1 {
			t.Errorf("the receiver waits for event 2: got %+v", s)
		}
		renewed := *sub
		confirm := func() {
			t.Helper()
			if ok, err := db.Events.Confirm(t.Context(), &renewed); err != nil || !ok || !renewed.Active {
				t.Fatal(ok, err, renewed)
			}
		}
		for _, active := range []bool{true, false} { // a renewal forgets the failures of a suspended one
			got[0].Attempts, got[0].Body, got[0].Due = 3, "sent", now
			settled(t, db, got[0], "a", func(s *events.Subscription) {
				s.Active, s.Failing, s.Window = active, now, events.Window{Since: now, Tried: 3, Missed: 2}
			})
			if n := len(claimed(t, db, "b", now)); (n > 0) != active {
				t.Fatalf("active %v: claimed %v", active, n)
			}
			if err := db.Events.Release(t.Context(), "b", now); err != nil {
				t.Fatal(err)
			}
			confirm()
			if renewed.Failing.IsZero() == active || renewed.Window.Since.IsZero() == active {
				t.Fatalf("active %v: got %+v", active, renewed)
			}
			if got = claimed(t, db, "a", now); len(got) != 1 || got[0].Attempts != 0 || got[0].Body != "sent" {
				t.Fatalf("active %v: got %+v", active, got)
			}
		}
		if confirm(); len(claimed(t, db, "b", now)) != 0 {
			t.Error("a renewal ends the claim of another replica")
		}
		settled(t, db, got[0], "b", func(s *events.Subscription) { t.Error("b has no claim") })
		renewed.Expires = now.Add(-time.Second)
		if confirm(); len(claimed(t, db, "a", now.Add(time.Hour))) != 0 {
			t.Error("a subscription that has expired gets events")
		}
		if next, err := db.Events.Next(t.Context(), now); !next.IsZero() || err != nil { // it was looked at ten times a second
			t.Errorf("the subscription has expired: next at %v, %v", next, err)
		}
		renewed.Expires = now.Add(time.Hour)
		confirm()
		got[0].Done = true
		settled(t, db, got[0], "a", nothing)
		if next, err := db.Events.Next(t.Context(), now); !next.IsZero() || err != nil {
			t.Errorf("all is delivered: next at %v, %v", next, err)
		}
		if s := kept(t, db, "sub_1"); s.Position != 2 {
			t.Errorf("all is delivered: got %+v", s)
		}
		if err := db.Events.End(t.Context(), "g"); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Hour) // it has expired, and its receiver has not been told that it ended
		if err := db.Events.Prune(t.Context(), now, now); err != nil {
			t.Fatal(err)
		}
		if got := claimed(t, db, "a", now); len(got) != 1 || got[0].Seq != 0 {
			t.Errorf("got %+v, want the notice of the end", got)
		}
		if ended, err := db.Events.Drop(t.Context(), "sub_1", ""); err != nil || ended == nil {
			t.Errorf("got %v, %v", ended, err)
		}
		if ok, err := db.Events.Confirm(t.Context(), sub); ok || err != nil {
			t.Errorf("what was dropped is confirmed: %v, %v", ok, err)
		}
	})
}

// TestTheEventsOfATaskWaitForEachOther has an address with two subscriptions, another address, and a
// receiver that refuses an event until it is given up.
func TestTheEventsOfATaskWaitForEachOther(t *testing.T) {
	each(t, func(t *testing.T, empty func(*testing.T) *store.DB) {
		db := empty(t)
		for i, name := range []string{"task.input_required", "task.completed", "task.completed"} {
			subscribed(t, db, &events.Subscription{
				ID: fmt.Sprint("sub_", i), Owner: "alice", Grant: "g", Name: name, Fence: "1", Expires: time.Now().Add(time.Hour),
				Receiver: events.Receiver{Host: "h", Address: []string{"x", "x", "y"}[i]},
			})
		}
		for _, task := range []string{"one", "two"} {
			move := taskOf(t, db, "alice", task)
			move(a2a.InputRequired, "which?")
			move(a2a.Completed, "done")
		}
		now := time.Now().Add(time.Second)
		names := func(list []*events.Delivery) (all []string) {
			for _, d := range list {
				all = append(all, fmt.Sprint(d.Subscription, " ", d.Seq))
			}
			slices.Sort(all)
			return all
		}
		first := claimed(t, db, "a", now)
		if got, want := names(first), []string{"sub_0 1", "sub_0 2", "sub_2 1", "sub_2 2"}; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, d := range first {
			d.Done = d.Subscription == "sub_0" && d.Seq == 2
			d.Due = now.Add(time.Minute)
			settled(t, db, d, "a", nothing)
		}
		if got, want := names(claimed(t, db, "a", now)), []string{"sub_1 2"}; !slices.Equal(got, want) {
			t.Fatalf("got %v, want the end of the task whose question was delivered", got)
		}
		for _, d := range claimed(t, db, "b", now.Add(61*time.Second)) {
			d.GivenUp = d.Subscription == "sub_0"
			d.Due = now.Add(time.Hour)
			settled(t, db, d, "b", nothing)
		}
		if got, want := names(claimed(t, db, "c", now.Add(61*time.Second))), []string{"sub_1 1"}; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if s := kept(t, db, "sub_0"); s.GivenUp != 1 || s.Position != 2 {
			t.Errorf("got %+v", s)
		}
		for owner, want := range map[string]error{"bob": events.ErrNoSubscription, "alice": nil} {
			if err := db.Events.Redeliver(t.Context(), owner, "sub_0"); err != want {
				t.Errorf("%s: got %v", owner, err)
			}
		}
		if got, want := names(claimed(t, db, "d", now)), []string{"sub_0 1"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want the event that was given up", got)
		}
		if err := db.Events.Prune(t.Context(), now, now); err != nil { // all events are too old
			t.Fatal(err)
		}
		if s := kept(t, db, "sub_1"); s.Gaps != 1 || s.Position != 2 {
			t.Errorf("got %+v, want a gap", s)
		}
	})
}

// TestASubscriptionChoosesStates narrows task.changed, whose events have IDs of their own.
func TestASubscriptionChoosesStates(t *testing.T) {
	each(t, func(t *testing.T, empty func(*testing.T) *store.DB) {
		db := empty(t)
		logOf(t, db, "alice", "task.completed", 100)
		for i, states := range [][]string{nil, {"completed", "input-required"}} {
			subscribed(t, db, &events.Subscription{
				ID: fmt.Sprint("sub_", i), Owner: "alice", Grant: "g", Name: "task.changed", Fence: "1", Expires: time.Now().Add(time.Hour),
				Filter: events.Filter{States: states}, Receiver: events.Receiver{Host: "h", Address: fmt.Sprint(i)},
			})
		}
		move := taskOf(t, db, "alice", "one")
		for _, s := range []a2a.State{a2a.Working, a2a.InputRequired, a2a.Completed} {
			move(s, "said")
		}
		all := eventsOf(t, db, "alice", "task.changed", events.Filter{})
		some := eventsOf(t, db, "alice", "task.changed", events.Filter{States: []string{"completed", "failed"}})
		if len(all) != 4 || len(some) != 1 || !strings.Contains(some[0], "completed") { // it works again after the question
			t.Errorf("got %q and %q", all, some)
		}
		done, err := db.Events.Events(t.Context(), "alice", "task.completed", events.Filter{}, 0, 9, 9)
		changed, err2 := db.Events.Events(t.Context(), "alice", "task.changed", events.Filter{States: []string{"completed"}}, 0, 9, 9)
		if err != nil || err2 != nil || len(done) != 1 || len(changed) != 1 || done[0].ID == changed[0].ID || !done[0].At.Equal(changed[0].At) {
			t.Errorf("got %+v, %v and %+v, %v", done, err, changed, err2)
		}
		for id, want := range map[string]int64{"sub_0": 0, "sub_1": 1} {
			if s := kept(t, db, id); s.Position != want {
				t.Errorf("%s: got %+v, want that it waits for event %d", id, s, want+1)
			}
		}
	})
}
