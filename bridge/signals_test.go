package bridge_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/ledger"
	"rialto/internal/store"
	"rialto/internal/store/storetest"
	"rialto/mcp"
)

// hub carries signals between the replicas of a test.
type hub struct {
	mu   sync.Mutex
	ears []func(ledger.Signal)
}

func (h *hub) Send(_ context.Context, s ledger.Signal) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, heard := range h.ears {
		heard(s)
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
	one = newRigWith(t, dsn, map[string]peer{"agent": agent}, func(b *bridge.Bridge) { b.Runner.Signals = h; hooked(&rig{Bridge: b}) })
	two = newRigWith(t, dsn, map[string]peer{"agent": agent}, func(b *bridge.Bridge) { b.Runner.Signals = h; hooked(&rig{Bridge: b}) })
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

// TestAnAnswerOfAClientReachesTheOtherReplica holds that it comes as it was sent, and
// that one that no notification can carry goes nowhere.
func TestAnAnswerOfAClientReachesTheOtherReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := newMute(a2a.Working)
		one, two := replicas(t, p)
		var got []mcp.Reply
		two.Runner.Replied = func(to string, body []byte) { got = append(got, mcp.Reply{To: to, Body: body}) }
		one.Runner.PassOn("q", []byte(`{"id":"a"}`))
		one.Runner.PassOn("q", []byte(`"`+strings.Repeat("x", 8000)+`"`))
		synctest.Wait()
		if len(got) != 1 || got[0].To != "q" || string(got[0].Body) != `{"id":"a"}` {
			t.Errorf("got %+v", got)
		}
	})
}

// TestAnswersLeaveRoomForEnds: clients can send answers to nothing, as many as they like.
func TestAnswersLeaveRoomForEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, finish := &slowHub{let: make(chan struct{})}, make(chan struct{})
		agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
			turn.Working("on it")
			<-finish
			turn.Complete("done")
			return nil
		})
		r := newRigWith(t, "", map[string]peer{"agent": agent}, func(b *bridge.Bridge) { b.Runner.Signals = slow })
		for range 1000 {
			r.Runner.PassOn("made up", []byte(`{}`))
			synctest.Wait() // the first is on its way
		}
		id := r.call("send_task", `{"message":"x","wait":0}`).TaskID
		time.Sleep(time.Second)
		close(finish)
		r.call("get_task", `{"task_id":"`+id+`"}`).want(t, a2a.Completed, false)
		close(slow.let)
		synctest.Wait()
		if !slices.ContainsFunc(slow.sent, func(s ledger.Signal) bool { return s.About == ledger.AboutLedger && s.Handle == id }) {
			t.Errorf("of %d signals none tells that the task has ended", len(slow.sent))
		}
	})
}

// slowHub takes nothing until it is let.
type slowHub struct {
	let  chan struct{}
	sent []ledger.Signal
}

func (h *slowHub) Send(_ context.Context, s ledger.Signal) error {
	<-h.let
	h.sent = append(h.sent, s)
	return nil
}

func (h *slowHub) Listen(ctx context.Context, _ func(ledger.Signal)) { <-ctx.Done() }
