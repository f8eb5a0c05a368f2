package quota

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// empty fails unless nothing runs, waits or is remembered.
func (q *Queue) empty(t *testing.T) {
	t.Helper()
	if q.running != 0 || q.waiting != 0 || len(q.keys) != 0 {
		t.Errorf("got %d running, %d waiting and %d keys at the end", q.running, q.waiting, len(q.keys))
	}
}

// TestKeysTakeTurns has one key fill the queue before others come.
func TestKeysTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		room := Room{Running: 1, Waiting: 4}
		var order []string
		results := map[string]int{}
		first, err := q.Acquire(t.Context(), "greedy", room)
		if err != nil {
			t.Fatal(err)
		}
		come := func(ctx context.Context, key string) {
			go func() {
				release, err := q.Acquire(ctx, key, room)
				switch err.(type) {
				case *Refusal:
					results[key+" refused"]++
				case nil:
					order = append(order, key)
					release()
				default:
					results[key+" gone"]++
				}
			}()
			synctest.Wait()
		}
		for range 6 {
			come(t.Context(), "greedy") // four wait, two are refused
		}
		hurried, cancel := context.WithCancel(t.Context())
		come(hurried, "hurried") // takes a place of the greedy one
		come(t.Context(), "patient")
		come(t.Context(), "late")
		come(t.Context(), "fifth") // each has one place now: no key loses it
		cancel()
		synctest.Wait()
		first()
		synctest.Wait()
		if want := []string{"patient", "late", "greedy"}; !slices.Equal(order, want) { // it had the last turn
			t.Errorf("got turns in the order %q, want %q", order, want)
		}
		if results["greedy refused"] != 5 || results["hurried gone"] != 1 || results["fifth refused"] != 1 || len(results) != 3 {
			t.Errorf("got %v", results)
		}
		q.empty(t)
	})
}

// TestAKeyHasItsShareOfThePlaces has one key wait with a hundred slow requests.
func TestAKeyHasItsShareOfThePlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var wg sync.WaitGroup
		use := func(key string, long time.Duration) time.Duration {
			begun := time.Now()
			release, err := q.Acquire(t.Context(), key, Room{Running: 8, PerKey: 4, Waiting: Unlimited})
			if err != nil {
				t.Error(err)
				return 0
			}
			time.Sleep(long)
			release()
			return time.Since(begun)
		}
		for range 100 {
			wg.Go(func() { use("alice", time.Second) })
		}
		synctest.Wait()
		if q.running != 4 {
			t.Errorf("got %d running of one key, want 4", q.running)
		}
		for range 20 {
			if took := use("bob", time.Millisecond); took > time.Millisecond {
				t.Errorf("bob waited %s for alice", took)
			}
		}
		wg.Wait()
		q.empty(t)
	})
}

// TestNoKeyStarves has two keys fill all places and queue for more; a third comes last and waits for one
// turn.
func TestNoKeyStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var wg sync.WaitGroup
		use := func(key string) time.Duration {
			begun := time.Now()
			release, err := q.Acquire(t.Context(), key, Room{Running: 2, PerKey: 1, Waiting: Unlimited})
			if err != nil {
				t.Error(err)
				return 0
			}
			defer release()
			took := time.Since(begun)
			time.Sleep(time.Second)
			return took
		}
		for range 20 {
			wg.Go(func() { use("alice") })
			wg.Go(func() { use("bob") })
		}
		synctest.Wait()
		for range 3 {
			if took := use("carol"); took > time.Second {
				t.Errorf("carol waited %s", took)
			}
		}
		wg.Wait()
		q.empty(t)
	})
}

func TestACallerWhoGivesUpLeavesThePlaceToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		room := Room{Running: 1, Waiting: Unlimited}
		release, err := q.Acquire(t.Context(), "alice", room)
		if err != nil {
			t.Fatal(err)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { _, err := q.Acquire(ctx, "bob", room); left <- err }()
		synctest.Wait()
		giveUp()
		if err := <-left; err != context.Canceled {
			t.Errorf("got %v", err)
		}
		release()
		release() // it counts once
		q.empty(t)
	})
}

func TestOneKeyIsServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		room := Room{Running: 1, Waiting: Unlimited}
		var order []int
		var all sync.WaitGroup
		for n := range 50 {
			all.Go(func() {
				release, err := q.Acquire(t.Context(), "", room)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, n)
				time.Sleep(time.Second)
				release()
			})
			synctest.Wait()
		}
		all.Wait()
		if len(order) != 50 || !slices.IsSorted(order) {
			t.Errorf("got the order %v", order)
		}
		q.empty(t)
	})
}
