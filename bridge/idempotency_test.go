package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2atest"
	"rialto/bridge"
	"rialto/bridge/ledger"
)

// counting is an agent that counts what it is sent, and asks before it does
// anything.
func counting(t *testing.T) (peer, *atomic.Int64) {
	var n atomic.Int64
	return running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		n.Add(1)
		if turn.Message.Text() == "ask" {
			turn.Ask("which?")
		} else {
			turn.Complete("did " + turn.Message.Text())
		}
		return nil
	}), &n
}

// TestACallThatIsMadeAgainIsTheSameCall makes calls of send_task again whose
// results got lost, at once and later, and calls that only look alike.
func TestACallThatIsMadeAgainIsTheSameCall(t *testing.T) {
	p, sent := counting(t)
	r := newRig(t, "", map[string]peer{"agent": p})
	const first = `{"message":"ask","message_id":"m1"}`
	asked := r.call("send_task", first)
	asked.want(t, a2a.InputRequired, false)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if again := r.call("send_task", first); again.TaskID != asked.TaskID || again.State != a2a.InputRequired {
				t.Errorf("got %+v, want the same task", again.TaskInfo)
			}
		})
	}
	wg.Wait()
	if n := sent.Load(); n != 1 {
		t.Fatalf("the agent got the message %d times", n)
	}
	second := fmt.Sprintf(`{"message":"it","message_id":"m2","task_id":%q}`, asked.TaskID)
	for range 3 {
		r.call("send_task", second).want(t, a2a.Completed, false)
	}
	if again := r.call("send_task", first); again.TaskID != asked.TaskID || again.State != a2a.Completed {
		t.Errorf("the first call, made again at the end: got %+v", again.TaskInfo)
	}
	if n := sent.Load(); n != 2 {
		t.Errorf("the agent got %d messages, want 2", n)
	}
	others := map[string]bool{asked.TaskID: true}
	for name, other := range map[string]*answer{
		"other words":   r.call("send_task", `{"message":"more","message_id":"m1"}`),
		"no name":       r.call("send_task", `{"message":"ask"}`),
		"somebody else": r.callAs("bob", "send_task", first, func(string) {}),
	} {
		if others[other.TaskID] {
			t.Errorf("%s: got the same task", name)
		}
		others[other.TaskID] = true
	}
}

// TestTwoOfOneCallStartOneTask makes calls at the same time, of which none has a
// result yet.
func TestTwoOfOneCallStartOneTask(t *testing.T) {
	p, sent := counting(t)
	r := newRig(t, "", map[string]peer{"agent": p})
	for i := range 10 {
		handles := make(chan string, 8)
		for range cap(handles) {
			go func() { handles <- r.call("send_task", fmt.Sprintf(`{"message":"x","message_id":"m%d"}`, i)).TaskID }()
		}
		one := <-handles
		for range cap(handles) - 1 {
			if other := <-handles; other != one {
				t.Errorf("got the tasks %s and %s", one, other)
			}
		}
	}
	if n := sent.Load(); n != 10 {
		t.Errorf("the agent got %d messages, want 10", n)
	}
}

// dawdling is a ledger that keeps who adds a task waiting once it is written.
type dawdling struct {
	ledger.Store
	goOn <-chan struct{}
}

func (l dawdling) AddTask(ctx context.Context, e *ledger.Record, replica string, most int) error {
	defer func() { <-l.goOn }()
	return l.Store.AddTask(ctx, e, replica, most)
}

// TestACallThatIsMadeAgainBeforeAnybodyFollowsIsAnsweredAsSoon makes a call again
// when its task is in the ledger, and the message has not yet left.
func TestACallThatIsMadeAgainBeforeAnybodyFollowsIsAnsweredAsSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		p := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
			turn.Working("on it")
			<-ctx.Done()
			return ctx.Err()
		})
		r := newRigWith(t, "", map[string]peer{"agent": p}, func(b *bridge.Bridge) { b.Runner.Ledger = dawdling{b.Runner.Ledger, goOn} })
		f, ctx, tasks := r.Proxy.Agent("agent"), as(t.Context(), "alice"), make(chan *a2a.Task)
		req := say("work")
		req.ReturnImmediately = true
		for range 2 {
			go func() {
				e, err := f.Send(ctx, req)
				task, ok := e.(*a2a.Task)
				if err != nil || !ok {
					t.Errorf("got %T, %v, want a task", e, err)
				}
				tasks <- task
			}()
			synctest.Wait()
		}
		began := time.Now()
		close(goOn)
		one, other := <-tasks, <-tasks
		if one == nil || other == nil || one.ID != other.ID {
			t.Errorf("got the tasks %+v and %+v", one, other)
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("they waited %v, want none", waited)
		}
	})
}

// A call that is repeated because the agent was busy must not return the first failure
// forever.
func TestAMessageThatWasRefusedMayBeSentAgain(t *testing.T) {
	s := &scripted{}
	s.answer = func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		switch len(s.got) {
		case 1:
			return yield(&a2a.Error{Code: a2a.Unavailable, Message: "busy", Remote: true})
		case 2:
			return yield(errors.New("the connection broke"))
		}
		return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}})
	}
	r := newRig(t, "", map[string]peer{"agent": {s, &a2a.Card{Capabilities: a2a.Capabilities{Streaming: true}}}})
	for i, want := range []string{"busy", "not known", "not known"} { // the third time it is not sent
		got := r.call("send_task", `{"message":"x","message_id":"m"}`)
		if !strings.Contains(got.Text, want) {
			t.Errorf("call %d: got %s, want %q", i+1, got.Text, want)
		}
	}
	if n := s.sent(); n != 2 {
		t.Errorf("the message was sent %d times, want twice", n)
	}
}

// The same for A2A callers, which give each message an id.
func TestAnA2ACallThatIsMadeAgainIsTheSameCall(t *testing.T) {
	p, n := counting(t)
	r := newRig(t, "", map[string]peer{"agent": p})
	f, ctx := r.Proxy.Agent("agent"), as(t.Context(), "alice")
	req := say("work")
	task := sent(t, f, ctx, req)
	if again := sent(t, f, ctx, req); again.ID != task.ID || again.Status.State != a2a.Completed {
		t.Errorf("got %+v, want the task %s", again, task.ID)
	}
	var states []a2a.State
	for e, err := range f.Stream(ctx, req) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *a2a.Task:
			states = append(states, e.Status.State)
		case *a2a.StatusUpdate:
			states = append(states, e.Status.State)
		}
	}
	if len(states) == 0 || states[len(states)-1] != a2a.Completed || n.Load() != 1 {
		t.Errorf("as a stream: got %v after %d messages, want the end after 1", states, n.Load())
	}
}

// TestAMessageThatWasTheAnswerIsTheAnswerAgain holds that no task is made up of an
// answer without one when the call is made again.
func TestAMessageThatWasTheAnswerIsTheAnswerAgain(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	r := newRig(t, "", map[string]peer{"agent": {agent, agent.Card()}})
	f, ctx, req := r.Proxy.Agent("agent"), as(t.Context(), "alice"), say("say hello")
	for range 2 {
		e, err := f.Send(ctx, req)
		if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() != "hello" {
			t.Errorf("got %T, %v, want a message", e, err)
		}
		for e, err := range f.Stream(ctx, req) {
			if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() != "hello" {
				t.Errorf("as a stream: got %T, %v, want a message", e, err)
			}
		}
	}
	if n := len(agent.Received()); n != 1 {
		t.Errorf("the agent got %d messages, want 1", n)
	}
}
