package bridge_test

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/directory"
)

// tightLipped is an agent that takes a message, and then cannot or does not tell what
// became of it.
type tightLipped struct {
	*scripted
	refusal error
}

func (m tightLipped) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) { return nil, m.refusal }

func (m tightLipped) Subscribe(context.Context, a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return yield() // a stream that ends before it says anything
}

// TestAnAgentThatNeverTellsIsNotAskedForEver has the follower of a task give up
// after some time, and say why in the task.
func TestAnAgentThatNeverTellsIsNotAskedForEver(t *testing.T) {
	for name, c := range map[string]struct {
		refusal error
		open    time.Duration // after which the task is still at work
		ended   time.Duration // after which it is not
		words   string
	}{
		"it does not know the question": {&a2a.Error{Code: a2a.MethodNotFound, Message: "Method not found", Remote: true},
			0, 10 * time.Minute, "cannot tell how this task stands: Method not found"},
		"it is not reached": {&a2a.Error{Code: a2a.Unavailable, Message: "connection refused"},
			20 * time.Hour, 25 * time.Hour, "for 24 hours"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agent := tightLipped{&scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
					return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}})
				}}, c.refusal}
				var ahead atomic.Int64 // spares the test the seconds in between
				r := newRigWith(t, "", map[string]peer{"agent": {agent, &a2a.Card{Name: "Mute", Capabilities: a2a.Capabilities{Streaming: true}}}}, func(b *bridge.Bridge) {
					b.Runner.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				})
				id := r.call("send_task", `{"message":"work","wait":0}`).TaskID
				time.Sleep(time.Minute)
				ahead.Store(int64(c.open))
				time.Sleep(time.Minute)
				if got := r.call("get_task", `{"task_id":"`+id+`"}`); got.State != "working" {
					t.Errorf("after %s: got %+v, want it at work", c.open, got)
				}
				ahead.Store(int64(c.ended))
				time.Sleep(5 * time.Minute)
				if got := r.call("get_task", `{"task_id":"`+id+`"}`); got.State != "failed" || !strings.Contains(got.Text, c.words) {
					t.Errorf("after %s: got %+v, want that it failed for %q", c.ended, got, c.words)
				}
			})
		})
	}
}

// forgetful is an agent that works on its task, and does not say so at some looks. The
// looks are a letter each: whether it works, has ended, does not know the task, cannot
// tell, or is not reached.
type forgetful struct {
	*scripted
	looks atomic.Int64
	plan  string
}

func (f *forgetful) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) {
	switch look := int(f.looks.Add(1)); f.plan[min(look, len(f.plan))-1] {
	case 'u':
		return nil, &a2a.Error{Code: a2a.TaskNotFound, Message: "no such task", Remote: true}
	case 'c':
		return nil, &a2a.Error{Code: a2a.MethodNotFound, Message: "Method not found", Remote: true}
	case 'n':
		return nil, a2a.Errorf(a2a.Unavailable, "connection refused")
	case 'e':
		return &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}, nil
	default:
		return &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}}, nil
	}
}

// TestOneLookThatDoesNotFindATaskIsNoProof: an agent of several processes, or one that
// has just been started again, may not know a task once; it failed for good. What is
// counted in a row begins anew with an outage.
func TestOneLookThatDoesNotFindATaskIsNoProof(t *testing.T) {
	for name, c := range map[string]struct {
		plan  string // to its last letter
		state a2a.State
		words string
	}{
		"once":                       {"ue", a2a.Completed, ""},
		"thrice":                     {"uuue", a2a.Completed, ""},
		"thrice, and later again":    {"uuuwuuue", a2a.Completed, ""},
		"before and after an outage": {"uunuuue", a2a.Completed, ""},
		"for ever":                   {"uuuu", a2a.Failed, "The agent no longer knows this task."},
		"it cannot tell, before and after an outage": {strings.Repeat("c", 12) + "n" + strings.Repeat("c", 12) + "e", a2a.Completed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agent := &forgetful{plan: c.plan, scripted: &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
					return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}})
				}}}
				r := newRig(t, "", map[string]peer{"agent": {agent, &a2a.Card{Name: "Forgetful"}}})
				id := r.call("send_task", `{"message":"work"}`).TaskID
				time.Sleep(20 * time.Minute)
				got := r.call("get_task", `{"task_id":"`+id+`"}`)
				got.want(t, c.state, c.state == a2a.Failed)
				if !strings.Contains(got.Text, c.words) {
					t.Errorf("got %q, want %q", got.Text, c.words)
				}
				if n := int(agent.looks.Load()); n != len(c.plan) {
					t.Errorf("it was asked %d times, want %d", n, len(c.plan))
				}
			})
		})
	}
}

// TestAForgottenTaskEndsAMinuteAfterTheOutage: the agent loses its tasks while it is away for an hour. The
// pauses of the outage went on after it, so that its tasks ran for four more minutes.
func TestAForgottenTaskEndsAMinuteAfterTheOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := &returning{back: time.Now().Add(time.Hour), scripted: &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
			return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}})
		}}}
		r := newRig(t, "", map[string]peer{"agent": {agent, &a2a.Card{Name: "Returning"}}})
		id := r.call("send_task", `{"message":"work","wait":0}`).TaskID
		time.Sleep(time.Until(agent.back) + time.Minute)
		r.call("get_task", `{"task_id":"`+id+`","wait":0}`).want(t, a2a.Failed, true)
	})
}

// returning cannot be reached until it is back, and then knows no task.
type returning struct {
	*scripted
	back time.Time
}

func (a *returning) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) {
	if time.Now().Before(a.back) {
		return nil, a2a.Errorf(a2a.Unavailable, "connection refused")
	}
	return nil, &a2a.Error{Code: a2a.TaskNotFound, Message: "no such task", Remote: true}
}

// TestATaskIsFollowedToWhereItsAgentHasMoved: the agent is deployed again at another
// place, or in another generation, while a task is open.
func TestATaskIsFollowedToWhereItsAgentHasMoved(t *testing.T) {
	for name, refusal := range map[string]error{
		"the old place knows nothing": &a2a.Error{Code: a2a.MethodNotFound, Message: "404 Not Found", Remote: true},
		"the connection is refused":   a2a.Errorf(a2a.Unavailable, "connection refused"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				was := peer{tightLipped{&scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
					return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}})
				}}, refusal}, &a2a.Card{Name: "Mover", Version: "1"}}
				is := peer{&forgetful{plan: "we", scripted: &scripted{}}, &a2a.Card{Name: "Mover", Version: "2"}}
				var moved atomic.Bool
				var dialled atomic.Int64
				r := newRigWith(t, "", map[string]peer{"agent": was}, func(b *bridge.Bridge) {
					b.Directory.Dialer = dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
						if dialled.Add(1); moved.Load() {
							return is, nil
						}
						return was, nil
					})
				})
				id := r.call("send_task", `{"message":"work","wait":0}`).TaskID
				time.Sleep(3 * time.Minute)
				if n := dialled.Load(); n < 2 || n > 4 {
					t.Errorf("its card was read %d times in three minutes, want 2 to 4", n)
				}
				moved.Store(true)
				time.Sleep(3 * time.Minute)
				r.call("get_task", `{"task_id":"`+id+`"}`).want(t, a2a.Completed, false)
			})
		})
	}
}

// TestAFollowerLeavesAnAgentInPeaceThatAsksForIt counts how often a busy agent is asked.
func TestAFollowerLeavesAnAgentInPeaceThatAsksForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := &looked{refusal: &a2a.Error{Code: a2a.Unavailable, Message: "busy", Remote: true, RetryAfter: 5 * time.Minute}}
		looks.scripted = &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
			return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}})
		}}
		r := newRig(t, "", map[string]peer{"agent": {looks, &a2a.Card{Name: "Busy", Capabilities: a2a.Capabilities{Streaming: true}}}})
		r.call("send_task", `{"message":"work","wait":0}`)
		time.Sleep(12 * time.Minute)
		if n := looks.n.Load(); n != 3 {
			t.Errorf("it was asked %d times in twelve minutes, want 3", n)
		}
	})
}

// looked counts the looks at its task.
type looked struct {
	*scripted
	refusal error
	n       atomic.Int64
}

func (l *looked) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) {
	l.n.Add(1)
	return nil, l.refusal
}

func (l *looked) Subscribe(context.Context, a2a.TaskID) iter.Seq2[a2a.Event, error] {
	l.n.Add(1)
	return yield(l.refusal)
}
