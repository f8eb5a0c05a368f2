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
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/dberr"
)

// book counts what is written into a ledger, and refuses new tasks while it is
// full.
type book struct {
	ledger.Store
	full         error
	added, saved atomic.Int64
}

func (l *book) AddTask(ctx context.Context, e *ledger.Record, replica string, most int) error {
	l.added.Add(1)
	if l.full != nil {
		return l.full
	}
	return l.Store.AddTask(ctx, e, replica, most)
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
		r.call("send_task", `{"message":"go"}`).refused(t, "too many tasks running (limits.tasks_per_user)")
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
	r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) { b.Runner.Limits.TasksPerUser = most })
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

// cut is a ledger whose connection breaks at the first writes of tasks.
type cut struct {
	ledger.Store
	breaks  atomic.Int64  // how many writes fail
	commits bool          // what was written is there nevertheless
	away    chan struct{} // closed when the ledger can be reached again; nil if it can
	saved   chan error    // has what SaveTask returned
}

var errBroken = &dberr.Error{Cause: errors.New("connection reset by peer")}

func (l *cut) AddTask(ctx context.Context, e *ledger.Record, replica string, most int) error {
	if l.breaks.Add(-1) < 0 {
		return l.Store.AddTask(ctx, e, replica, most)
	}
	if l.commits {
		if err := l.Store.AddTask(ctx, e, replica, most); err != nil {
			return err
		}
	}
	return errBroken
}

func (l *cut) Task(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	select {
	case <-l.away:
	default:
		if l.away != nil {
			return nil, errBroken
		}
	}
	return l.Store.Task(ctx, owner, handle)
}

func (l *cut) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	err := l.Store.SaveTask(ctx, e, replica)
	l.saved <- err
	return err
}

// newCut returns a rig whose ledger is cut, with an agent that says nothing until it is released.
func newCut(t *testing.T, change func(*cut)) (r *rig, agent *scripted, release chan struct{}) {
	release = make(chan struct{})
	agent = &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(yield func(a2a.Event, error) bool) {
			<-release
			yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}, nil)
		}
	}}
	l := &cut{saved: make(chan error, 10)}
	change(l)
	return newRigWith(t, "", map[string]peer{"one": {agent, &a2a.Card{}}}, func(b *bridge.Bridge) {
		l.Store = b.Runner.Ledger
		b.Runner.Ledger = l
	}), agent, release
}

// TestATaskOutlivesABrokenConnection breaks the connection at the first write of a task, before or
// after the commit. The task was given up, though its message had been sent.
func TestATaskOutlivesABrokenConnection(t *testing.T) {
	for _, commits := range []bool{false, true} {
		t.Run(fmt.Sprint("after the commit: ", commits), func(t *testing.T) {
			r, agent, release := newCut(t, func(l *cut) { l.breaks.Store(1); l.commits = commits })
			close(release)
			got := r.call("send_task", `{"message":"go"}`)
			got.want(t, a2a.Completed, false)
			r.call("get_task", `{"task_id":"`+got.TaskID+`","wait":0}`).want(t, a2a.Completed, false)
			if n := agent.sent(); n != 1 {
				t.Errorf("the agent got %d messages, want 1", n)
			}
		})
	}
}

// TestNoMessageLeavesDuringAnOutage sends while no task can be written: each message reached the
// agent, and its answer was dropped.
func TestNoMessageLeavesDuringAnOutage(t *testing.T) {
	r, agent, release := newCut(t, func(l *cut) { l.breaks.Store(1000) })
	close(release)
	r.call("send_task", `{"message":"go"}`).refused(t, "could not be recorded")
	for range 3 {
		r.call("send_task", `{"message":"go"}`).refused(t, "not available")
	}
	if n := agent.sent(); n != 1 {
		t.Errorf("the agent got %d messages, want 1", n)
	}
}

// TestTheEndOfATaskThatWasGivenUpIsWritten breaks the connection after the commit, for longer than
// the caller waits. The task is in the ledger, and was failed though its agent finished it.
func TestTheEndOfATaskThatWasGivenUpIsWritten(t *testing.T) {
	var ledgerOf *cut
	r, _, release := newCut(t, func(l *cut) { l.breaks.Store(1); l.commits, l.away, ledgerOf = true, make(chan struct{}), l })
	r.call("send_task", `{"message":"go"}`).refused(t, "could not be recorded")
	close(ledgerOf.away)
	close(release)
	if err := <-ledgerOf.saved; err != nil {
		t.Error(err)
	}
	tasks, err := r.db.Ledger.Summaries(t.Context(), "alice", ledger.Filter{Limit: 10})
	if err != nil || len(tasks) != 1 || tasks[0].State != a2a.Completed {
		t.Errorf("got %+v, %v, want the task, completed", tasks, err)
	}
}

// TestAnAgentIsNotBlamedForTheDatabase dials an agent whose card cannot be noted. The answer once
// said that the agent cannot be reached, and advised the model to choose another.
func TestAnAgentIsNotBlamedForTheDatabase(t *testing.T) {
	r := newRigWith(t, "", map[string]peer{"one": {&scripted{}, &a2a.Card{}}}, func(b *bridge.Bridge) {
		b.Runner.Directory.Dialer = dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
			return nil, fmt.Errorf("noting the card: %w", errBroken)
		})
	})
	for range 2 {
		r.call("send_task", `{"message":"go"}`).refused(t, "database is not available")
	}
}
