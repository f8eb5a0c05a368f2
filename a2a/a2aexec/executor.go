// Package a2aexec runs a function as an a2a.Agent: it keeps the tasks, runs
// one turn for each message, and lets any number of callers follow.
//
// Tasks are kept in memory only; package bridge keeps a ledger of those that it calls.
// The package speaks no protocol: a2aserver serves its agents.
//
// Where A2A leaves a choice: every message starts or continues a task and is never answered
// by a message; the package generates task and context ids; a message that is sent twice
// with the same id and content is one turn.
package a2aexec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
)

// Executor runs a function as an a2a.Agent. Run is required; the zero values of the other
// fields are useful, and none may change once it is in use.
type Executor struct {
	// Run handles one message. Every follower sees the events of the Turn at once. If
	// it returns nil without ending the turn, the task is completed; an error fails the
	// task with its text. The context ends when the task is canceled, the turn takes
	// too long or the executor closes, but not when the caller disconnects.
	Run func(context.Context, *Turn) error

	Now func() time.Time // nil means time.Now
	Log *slog.Logger     // nil means slog.Default

	MaxTasks    int           // tasks kept; 0 means 1000
	MaxEvents   int           // events that one turn may emit; 0 means 10000
	MaxBacklog  int           // latest events a slow follower can catch up with; 0 means 256
	MaxHistory  int           // messages kept in a task's history; 0 means 100
	TurnTimeout time.Duration // 0 means 10 minutes

	mu     sync.Mutex
	tasks  map[a2a.TaskID]*record
	order  []*record          // the oldest first
	sent   map[digest]*record // the task of each recent message
	closed bool
	turns  sync.WaitGroup
}

const defaultTurnTimeout = 10 * time.Minute

// closeGrace is how long Close waits for functions that ignore their context.
const closeGrace = 10 * time.Second

// Send delivers a message (a2a.Agent).
func (e *Executor) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	d, err := e.deliver(ctx, req)
	if err != nil {
		return nil, err
	}
	if req.ReturnImmediately || d.turn == nil {
		return d.task.WithHistory(req.HistoryLength), nil
	}
	select {
	case <-d.turn.done:
		return d.turn.end.Clone().WithHistory(req.HistoryLength), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for task %s: %w", d.task.ID, context.Cause(ctx))
	}
}

// Stream delivers a message when the sequence is first read, and follows its task (a2a.Agent).
func (e *Executor) Stream(ctx context.Context, req *a2a.SendRequest) a2a.Events {
	return func(yield func(a2a.Event, error) bool) {
		d, err := e.deliver(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		d.record.follow(ctx, d.task.WithHistory(req.HistoryLength), d.next, endsTurn, yield)
	}
}

// Task returns a task as it stands (a2a.Agent).
func (e *Executor) Task(_ context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	r, err := e.find(q.ID)
	if err != nil {
		return nil, err
	}
	task, _ := r.snapshot()
	return task.WithHistory(q.HistoryLength), nil
}

// Cancel stops a task at once: it ends the function's context and drops its later events
// (a2a.Agent).
func (e *Executor) Cancel(_ context.Context, id a2a.TaskID) (*a2a.Task, error) {
	r, err := e.find(id)
	if err != nil {
		return nil, err
	}
	if err := r.end(a2a.Canceled, "", errCanceled); err != nil {
		return nil, err
	}
	task, _ := r.snapshot()
	return task, nil
}

// Subscribe follows a task that exists already, through its pauses (a2a.Agent).
func (e *Executor) Subscribe(ctx context.Context, id a2a.TaskID) a2a.Events {
	return func(yield func(a2a.Event, error) bool) {
		r, err := e.find(id)
		if err != nil {
			yield(nil, err)
			return
		}
		task, next := r.snapshot()
		if task.Status.State.Terminal() {
			yield(
				nil,
				a2a.Errorf(
					a2a.UnsupportedOperation, "task %s has ended; there is nothing to follow", id,
				),
			)
			return
		}
		r.follow(ctx, task, next, endsTask, yield)
	}
}

// Close refuses further messages, fails the tasks that are running and waits for their functions to
// return. It fails if one does not within ten seconds of its context's end.
func (e *Executor) Close() error {
	e.mu.Lock()
	e.closed = true
	records := slices.Clone(e.order)
	e.mu.Unlock()
	for _, r := range records {
		r.stop("the agent is shutting down", errClosed)
	}
	done := make(chan struct{})
	go func() {
		e.turns.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(closeGrace):
		return errors.New("closing the executor: a turn ignores the end of its context")
	}
}

var (
	errCanceled = errors.New("the task was canceled")
	errClosed   = errors.New("the executor was closed")
	errTooLong  = errors.New("the turn took too long")
	errTooMany  = errors.New("the turn emitted too many events")
	errPanicked = errors.New("the function panicked")
)

func (e *Executor) find(id a2a.TaskID) (*record, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.tasks[id]; r != nil {
		return r, nil
	}
	return nil, a2a.Errorf(
		a2a.TaskNotFound, "there is no task %q here; it may have been deleted", id,
	)
}

func (e *Executor) now() time.Time {
	if e.Now == nil {
		return time.Now().UTC()
	}
	return e.Now().UTC()
}

func (e *Executor) log() *slog.Logger {
	return cmp.Or(e.Log, slog.Default())
}

func newID() string { return uuid.NewString() }

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}
