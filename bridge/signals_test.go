package bridge_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/ledger"
	"rialto/store"
	"rialto/store/storetest"
)

// hub carries signals between the replicas of a test.
type hub struct {
	mu   sync.Mutex
	ears []func(ledger.Signal)
}

func (h *hub) Send(_ context.Context, all ...ledger.Signal) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range all {
		for _, heard := range h.ears {
			heard(s)
		}
	}
	return nil
}

func (h *hub) Listen(ctx context.Context, heard func(ledger.Signal)) {
	h.mu.Lock()
	h.ears = append(h.ears, heard)
	h.mu.Unlock()
	<-ctx.Done()
}

// replicas are two bridges that share a ledger and a hub.
func replicas(t *testing.T, agent peer) (one, two *rig) {
	dsn, h := storetest.File(t, store.Open), &hub{}
	one = newRigWith(t, dsn, map[string]peer{"agent": agent}, func(b *bridge.Bridge) { b.Runner.Publisher.Signals = h; hooked(&rig{Bridge: b}) })
	two = newRigWith(t, dsn, map[string]peer{"agent": agent}, func(b *bridge.Bridge) { b.Runner.Publisher.Signals = h; hooked(&rig{Bridge: b}) })
	synctest.Wait() // both listen
	return one, two
}

// TestAnEndIsHeardOfAtTheOtherReplica holds that who waits there need not wait
// for the next look.
func TestAnEndIsHeardOfAtTheOtherReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		one, two := replicas(t, running(t, func(_ context.Context, turn *a2aexec.Turn) error {
			turn.Working("on it")
			<-finish
			turn.Complete("done")
			return nil
		}))
		task := one.call("send_task", `{"message":"work","wait":0}`)
		done := make(chan *answer)
		go func() { done <- two.call("get_task", `{"task_id":"`+task.TaskID+`"}`) }()
		time.Sleep(300 * time.Millisecond) // between two looks
		synctest.Wait()
		began := time.Now()
		close(finish)
		(<-done).want(t, a2a.Completed, false)
		if waited := time.Since(began); waited > 0 {
			t.Errorf("it waited %v, want none", waited)
		}
	})
}

// TestAPokeReachesTheReplicaThatFollows has the agent tell the other one.
func TestAPokeReachesTheReplicaThatFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, p := newMute(a2a.Working)
		one, two := replicas(t, p)
		task := one.call("send_task", `{"message":"work","wait":0}`)
		m.now <- &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}
		two.Runner.Wake(task.TaskID)
		one.call("get_task", `{"task_id":"`+task.TaskID+`"}`).want(t, a2a.Completed, false)
	})
}

// TestProgressReachesTheOtherReplica waits at one replica for a task that the other follows.
// Its progress was lost.
func TestProgressReachesTheOtherReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := make(chan string)
		one, two := replicas(t, running(t, func(_ context.Context, turn *a2aexec.Turn) error {
			for said := range step {
				turn.Working(said)
			}
			turn.Complete("done")
			return nil
		}))
		task := one.call("send_task", `{"message":"work","wait":0}`)
		heard, done := make(chan string, 10), make(chan *answer)
		go func() {
			done <- two.callAs("alice", "get_task", `{"task_id":"`+task.TaskID+`"}`, func(line string) { heard <- line })
		}()
		for _, said := range []string{"reading", "counting"} {
			step <- said
			if got := <-heard; got != said {
				t.Errorf("got %q, want %q", got, said)
			}
		}
		close(step)
		(<-done).want(t, a2a.Completed, false)
		if len(heard) > 0 {
			t.Errorf("got %d more lines, want the end", len(heard))
		}
	})
}
