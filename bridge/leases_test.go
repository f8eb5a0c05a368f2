package bridge_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/store"
	"rialto/store/storetest"
)

// away is the database of a replica that does not always reach it.
type away struct {
	ledger.Leases
	down atomic.Bool
}

func (a *away) Heartbeat(ctx context.Context, replica string, count int64) (map[string]int64, error) {
	if a.down.Load() {
		return nil, errors.New("connection refused")
	}
	return a.Leases.Heartbeat(ctx, replica, count)
}

// silent is an agent that says nothing for a time, and then all it has to say, with the same pause
// between its words.
func silent(long time.Duration, words ...a2a.Event) (*scripted, peer) {
	s := &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(yield func(a2a.Event, error) bool) {
			for _, e := range words {
				select {
				case <-time.After(long):
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}}
	return s, peer{tightLipped{s, a2a.Errorf(a2a.TaskNotFound, "no such task")}, &a2a.Card{Name: "Silent", Capabilities: a2a.Capabilities{Streaming: true}}}
}

func in(state a2a.State, text string) *a2a.Task {
	return &a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: state, Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}}}
}

// apart are two replicas, of which the clock of the second is ahead, and the link of each to
// the database.
func apart(t *testing.T, agent peer, ahead time.Duration) (rigs []*rig, links []*away) {
	dsn, h := storetest.File(t, store.Open), &hub{}
	for _, clock := range []time.Duration{0, ahead} {
		link := &away{}
		links = append(links, link)
		rigs = append(rigs, newRigWith(t, dsn, map[string]peer{"agent": agent}, func(b *bridge.Bridge) {
			link.Leases = b.Runner.Leases
			b.Runner.Leases, b.Runner.Publisher.Signals = link, h
			b.Runner.Replica += clock.String()
			b.Runner.Now = func() time.Time { return time.Now().Add(clock) }
		}))
	}
	synctest.Wait() // both listen
	return rigs, links
}

func (r *rig) is(t *testing.T, id string, state a2a.State, words string) {
	t.Helper()
	got := r.call("get_task", `{"task_id":"`+id+`","wait":0}`)
	if got.State != state || !strings.Contains(got.Text, words) {
		t.Fatalf("got %s, %s, want %s with %q", got.State, got.Text, state, words)
	}
}

// TestNobodyTakesTheTasksOfAReplicaThatLives has a replica whose clock is a minute ahead, or a
// minute behind, watch a task whose agent says nothing for long.
func TestNobodyTakesTheTasksOfAReplicaThatLives(t *testing.T) {
	for _, ahead := range []time.Duration{time.Minute, -time.Minute, time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agent, p := silent(2*time.Minute, in(a2a.Completed, "the answer"))
				rigs, _ := apart(t, p, ahead)
				id := rigs[0].call("send_task", `{"message":"work","message_id":"m","wait":0}`).TaskID
				for range 11 {
					time.Sleep(10 * time.Second)
					rigs[1].is(t, id, a2a.Submitted, "")
				}
				time.Sleep(20 * time.Second)
				rigs[1].is(t, id, a2a.Completed, "the answer")
				if agent.sent() != 1 {
					t.Errorf("the agent got %d messages, want 1", agent.sent())
				}
			})
		})
	}
}

// TestAReplicaIsHeardAgainAfterAnOutage has both replicas lose the database for long, and get it
// back at different moments.
func TestAReplicaIsHeardAgainAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := silent(2*time.Minute, in(a2a.Completed, "the answer"))
		rigs, links := apart(t, p, time.Minute)
		id := rigs[0].call("send_task", `{"message":"work","message_id":"m","wait":0}`).TaskID
		for range 3 {
			links[0].down.Store(true)
			links[1].down.Store(true)
			time.Sleep(15 * time.Second)
			links[1].down.Store(false)
			time.Sleep(7 * time.Second)
			links[0].down.Store(false)
			time.Sleep(3 * time.Second)
			rigs[1].is(t, id, a2a.Submitted, "")
		}
		time.Sleep(time.Minute)
		rigs[1].is(t, id, a2a.Completed, "the answer")
	})
}

// TestALateAnswerReplacesAPresumedFailure cuts a replica off until another one presumes that its
// message was lost. The answer comes nevertheless: everybody learns of it.
func TestALateAnswerReplacesAPresumedFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent, p := silent(40*time.Second, in(a2a.Completed, "the late answer"))
		rigs, links := apart(t, p, time.Minute)
		here, there := rigs[0], rigs[1]
		const message = `{"message":"work","message_id":"m","wait":0}`
		id := here.call("send_task", message).TaskID
		waits := make(chan *answer)
		go func() { waits <- here.call("get_task", `{"task_id":"`+id+`","wait":100}`) }()
		links[0].down.Store(true)
		time.Sleep(20 * time.Second)
		there.is(t, id, a2a.Failed, "not known")
		if got, err := there.db.Ledger.Task(t.Context(), "alice", id); err != nil || !got.Failure.Presumed {
			t.Errorf("got %+v, %v, want that the failure is presumed", got, err)
		}
		if got := there.call("send_task", message); got.TaskID != id || got.State != a2a.Failed {
			t.Errorf("the message again: got %+v, want the task as it is", got.TaskInfo)
		}
		there.call("send_task", `{"message":"go on","task_id":"`+id+`"}`).refused(t, "has ended (failed)")
		before, err := there.db.Ledger.Task(t.Context(), "alice", id)
		if err != nil {
			t.Fatal(err)
		}
		changed := make(chan *ledger.Record)
		go func() {
			e, err := there.Runner.NextChange(t.Context(), there.Directory.AccessOf(directory.Caller{User: "alice"}), id, before.Updated)
			if err != nil {
				t.Error(err)
			}
			changed <- e
		}()
		time.Sleep(25 * time.Second)
		(<-waits).want(t, a2a.Completed, false)
		if e := <-changed; e.State() != a2a.Completed || !e.Updated.After(before.Updated) {
			t.Errorf("the waiter for the next change got %+v, want the answer, after %s", e, before.Updated)
		}
		there.is(t, id, a2a.Completed, "the late answer")
		if got := there.call("send_task", message); got.TaskID != id || got.State != a2a.Completed || agent.sent() != 1 {
			t.Errorf("the message again: got %+v after %d messages, want the answer to one", got.TaskInfo, agent.sent())
		}
		time.Sleep(20 * time.Second) // until it is in the index
		if found := there.call("search", `{"query":"late"}`).Results; len(found) != 1 {
			t.Errorf("a search finds %+v, want the answer", found)
		}
	})
}

// TestTheSenderTakesItsTaskBack cuts a replica off after its agent has begun. The other replica
// asks the agent for the task, which answers only in its stream.
func TestTheSenderTakesItsTaskBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := silent(30*time.Second, in(a2a.Working, "on it"), in(a2a.Working, "still on it"), in(a2a.Completed, "the answer"))
		rigs, links := apart(t, p, time.Minute)
		begun := time.Now()
		at := func(second time.Duration) { time.Sleep(time.Until(begun.Add(second * time.Second))) }
		id := rigs[0].call("send_task", `{"message":"work","message_id":"m","wait":0}`).TaskID
		at(31)
		links[0].down.Store(true)
		at(55)
		rigs[1].is(t, id, a2a.Failed, "no longer knows")
		links[0].down.Store(false)
		at(61)
		rigs[1].is(t, id, a2a.Working, "")
		at(80)
		rigs[1].is(t, id, a2a.Working, "")
		at(91)
		rigs[1].is(t, id, a2a.Completed, "the answer")
	})
}
