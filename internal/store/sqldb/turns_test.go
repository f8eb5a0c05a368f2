package sqldb

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurnsAreSharedBetweenUsers has one user wait with a hundred slow statements.
func TestTurnsAreSharedBetweenUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(8)
		var wg sync.WaitGroup
		use := func(user string, long time.Duration) time.Duration {
			begun := time.Now()
			done, err := turns.Take(t.Context(), user)
			if err != nil {
				t.Error(err)
				return 0
			}
			time.Sleep(long)
			done()
			return time.Since(begun)
		}
		for range 100 {
			wg.Go(func() { use("alice", time.Second) })
		}
		synctest.Wait()
		for range 20 {
			if took := use("bob", time.Millisecond); took > time.Millisecond {
				t.Errorf("bob waited %s for alice", took)
			}
		}
		wg.Wait()
		if turns.free != 8 || len(turns.users) != 0 || len(turns.waiting) != 0 {
			t.Errorf("got %d free, %v, %d waiting", turns.free, turns.users, len(turns.waiting))
		}
	})
}

// TestNobodyStarves has two users fill all turns and queue for more; a third comes last and
// waits for one statement.
func TestNobodyStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2)
		var wg sync.WaitGroup
		use := func(user string) time.Duration {
			begun := time.Now()
			done, err := turns.Take(t.Context(), user)
			if err != nil {
				t.Error(err)
				return 0
			}
			defer done()
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
	})
}

// TestACallerWhoLeavesGivesTheTurnBack cancels one that waits.
func TestACallerWhoLeavesGivesTheTurnBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		done, err := turns.Take(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { _, err := turns.Take(ctx, "bob"); left <- err }()
		synctest.Wait()
		leave()
		if err := <-left; err != context.Canceled {
			t.Errorf("got %v", err)
		}
		done()
		if turns.free != 1 || len(turns.waiting) != 0 {
			t.Errorf("got %d free, %d waiting", turns.free, len(turns.waiting))
		}
	})
}
