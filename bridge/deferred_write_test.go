package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/ledger"
)

// book counts what is written into a ledger, and refuses new tasks while it is
// full.
type book struct {
	ledger.Store
	full         error
	added, saved atomic.Int64
}

func (l *book) AddTask(ctx context.Context, e *ledger.Record, lease ledger.Lease, most int) error {
	l.added.Add(1)
	if l.full != nil {
		return l.full
	}
	return l.Store.AddTask(ctx, e, lease, most)
}

func (l *book) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	l.saved.Add(1)
	return l.Store.SaveTask(ctx, e, replica)
}

// booked returns a rig whose ledger is a book.
func booked(t *testing.T, p peer, change func(*bridge.Bridge, *book)) (*rig, *book) {
	l := &book{}
	return newRigWith(t, "", map[string]peer{"one": p}, func(b *bridge.Bridge) {
		l.Store = b.Runner.Ledger
		b.Runner.Ledger = l
		change(b, l)
	}), l
}

func TestAnAnswerThatComesAtOnceIsOneWrite(t *testing.T) {
	agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return yield(&a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.Completed}})
	}}
	synctest.Test(t, func(t *testing.T) { // however slow the machine is
		r, l := booked(t, peer{agent, &a2a.Card{}}, func(*bridge.Bridge, *book) {})
		const calls = 20
		for range calls {
			got := r.call("send_task", `{"message":"go"}`)
			got.want(t, a2a.Completed, false)
			r.call("get_task", `{"task_id":"`+got.TaskID+`","wait":0}`).want(t, a2a.Completed, false)
		}
		if added, saved := l.added.Load(), l.saved.Load(); added != calls || saved > 0 {
			t.Errorf("got %d tasks written %d times more, want %d, and none", added, saved, calls)
		}
	})
}

// The agent is silent: the task is in the ledger nevertheless when its handle is given
// out.
func TestATaskIsWrittenBeforeItIsTold(t *testing.T) {
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error { <-ctx.Done(); return ctx.Err() })
	r := newRig(t, "", map[string]peer{"one": agent})
	got := r.call("send_task", `{"message":"go","wait":0}`)
	if got.TaskID == "" || got.State.Idle() {
		t.Fatalf("got %+v", got.TaskInfo)
	}
	e, err := r.db.Ledger.Task(t.Context(), "alice", got.TaskID)
	if err != nil || e.Task == nil {
		t.Fatalf("the ledger says %+v, %v, want the task and what it is called at the agent", e, err)
	}
}

// TestANamedMessageIsWrittenBeforeItLeaves holds that a call which may be made
// again is known before its agent can have heard of it.
func TestANamedMessageIsWrittenBeforeItLeaves(t *testing.T) {
	var r *rig
	agent := &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		tasks, err := r.db.Ledger.Summaries(ctx, "alice", ledger.Filter{Limit: 10})
		if err != nil || len(tasks) != 1 || tasks[0].State != a2a.Submitted {
			t.Errorf("when the message came the ledger had %+v, %v, want its task", tasks, err)
		}
		return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}})
	}}
	r = newRig(t, "", map[string]peer{"one": {agent, &a2a.Card{}}})
	r.call("send_task", `{"message":"go","message_id":"m"}`).want(t, a2a.Completed, false)
}

// canceled is a scripted agent that notes what it is to stop.
type canceled struct {
	*scripted
	ids chan a2a.TaskID
}

func (c canceled) Cancel(_ context.Context, id a2a.TaskID) (*a2a.Task, error) {
	c.ids <- id
	return &a2a.Task{ID: id, Status: a2a.Status{State: a2a.Canceled}}, nil
}

// The ledger refuses tasks whose messages were sent: the caller gets an error, and the
// task is canceled at the agent unless it has ended.
func TestATaskThatCannotBeWrittenIsCanceled(t *testing.T) {
	full := errors.New("disk full")
	for name, c := range map[string]struct {
		why   error
		state a2a.State
		stops bool
	}{
		"it works":     {full, a2a.Working, true},
		"it asks":      {full, a2a.InputRequired, true},
		"it has ended": {full, a2a.Completed, false},
	} {
		t.Run(name, func(t *testing.T) {
			agent := canceled{ids: make(chan a2a.TaskID, 1), scripted: &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
				return func(yield func(a2a.Event, error) bool) {
					if yield(&a2a.Task{ID: "t", Status: a2a.Status{State: c.state}}, nil) {
						<-ctx.Done() // the stream goes on
					}
				}
			}}}
			r, l := booked(t, peer{agent, &a2a.Card{Capabilities: a2a.Capabilities{Streaming: true}}}, func(_ *bridge.Bridge, l *book) { l.full = c.why })
			r.call("send_task", `{"message":"go"}`).refused(t, "could not be recorded")
			_, begin := taking(t, r)
			if got := read(t, begin(`{"message":"go"}`, "2026-07-28")); !strings.Contains(got.Text, "could not be recorded") {
				t.Errorf("as an MCP task: got %+v", got)
			}
			if c.stops {
				for range 2 {
					if id := <-agent.ids; id != "t" {
						t.Errorf("the agent was to stop %q", id)
					}
				}
			}
			r.Close()
			if n := l.added.Load(); n != 2 || len(agent.ids) > 0 {
				t.Errorf("two tasks were written %d times, and stopped %d times more", n, len(agent.ids))
			}
		})
	}
}

// asked is an agent that has to be asked how its task stands, which it works on
// until it is canceled.
type asked struct {
	scripted
	canceled chan a2a.TaskID
}

func (a *asked) Task(_ context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return &a2a.Task{ID: q.ID, Status: a2a.Status{State: a2a.Working}}, nil
}

func (a *asked) Cancel(_ context.Context, id a2a.TaskID) (*a2a.Task, error) {
	a.canceled <- id
	return &a2a.Task{ID: id, Status: a2a.Status{State: a2a.Canceled}}, nil
}

// TestATaskThatIsAskedForAndCannotBeWrittenIsCanceled has an agent end its answer
// before the ledger refuses the task.
func TestATaskThatIsAskedForAndCannotBeWrittenIsCanceled(t *testing.T) {
	agent := &asked{canceled: make(chan a2a.TaskID, 1)}
	agent.answer = func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return yield(&a2a.Task{ID: "theirs", Status: a2a.Status{State: a2a.Working}})
	}
	r, _ := booked(t, peer{agent, &a2a.Card{}}, func(_ *bridge.Bridge, l *book) { l.full = errors.New("disk full") })
	r.call("send_task", `{"message":"go"}`).refused(t, "could not be recorded")
	if id := <-agent.canceled; id != "theirs" {
		t.Errorf("canceled %q", id)
	}
}

// TestAMessageToOneTaskTooManyLeavesOnce has the ledger full of tasks that this
// replica does not know: it finds out once, and for a while it asks first.
func TestAMessageToOneTaskTooManyLeavesOnce(t *testing.T) {
	agent := canceled{ids: make(chan a2a.TaskID, 1), scripted: &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.InputRequired}})
	}}}
	r, _ := booked(t, peer{agent, &a2a.Card{}}, func(_ *bridge.Bridge, l *book) { l.full = ledger.ErrTooManyTasks })
	r.call("send_task", `{"message":"go"}`).refused(t, "could not be recorded")
	<-agent.ids
	for range 3 {
		r.call("send_task", `{"message":"go"}`).refused(t, "too many tasks running")
	}
	if n := agent.sent(); n != 1 {
		t.Errorf("the agent got %d messages, want 1", n)
	}
}

// TestNoMoreMessagesLeaveThanTasksMayRun makes as many calls as may run, and when
// their messages have left, but hardly all of their tasks are written, others.
func TestNoMoreMessagesLeaveThanTasksMayRun(t *testing.T) {
	const most, more = 3, 6
	heard, release := make(chan struct{}, most), make(chan struct{})
	agent := peer{&scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(yield func(a2a.Event, error) bool) {
			select {
			case heard <- struct{}{}:
				<-release
			default:
				t.Error("the agent heard of more tasks than may run")
			}
			yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}, nil)
		}
	}}, &a2a.Card{}}
	r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) { b.Runner.MaxRunning = most })
	var first, others sync.WaitGroup
	for range most {
		first.Go(func() { r.call("send_task", `{"message":"go"}`).want(t, a2a.Completed, false) })
	}
	for len(heard) < most {
		runtime.Gosched()
	}
	for i := range more {
		args := `{"message":"go"}`
		if i%2 == 0 {
			args = fmt.Sprintf(`{"message":"go","message_id":"m%d"}`, i)
		}
		others.Go(func() {
			if got := r.call("send_task", args); !strings.Contains(got.Text, "too many tasks running") {
				t.Errorf("got %+v, want too many tasks", got.TaskInfo)
			}
		})
	}
	others.Wait()
	close(release)
	first.Wait()
}
