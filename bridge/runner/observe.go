package runner

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// Observer receives what telemetry reports about tasks. Its methods must not block.
type Observer interface {
	// Trace returns the traceparent of the span in ctx, "" for none.
	Trace(ctx context.Context) string

	// Follow returns the context in which an agent is called for a task, and a function for the
	// end. resumed reports that the task's message was sent before, perhaps by another process.
	Follow(ctx context.Context, e *ledger.Record, resumed bool) (context.Context, func())

	// TakenOver counts a task that another process followed before.
	TakenOver()

	// Limited counts a message that is refused because of a limit.
	Limited(ctx context.Context)

	// FirstEvent reports the first event after a message, and Ended the last state of a task.
	FirstEvent(agent string, after time.Duration)
	Ended(agent string, s a2a.State, after time.Duration)
}

func traceOf(ctx context.Context, o Observer) string {
	if o == nil {
		return ""
	}
	return o.Trace(ctx)
}

// traced returns the context in which f calls its agent, and a function for its end.
func (f *Follower) traced(ctx context.Context, resumed bool) (context.Context, func()) {
	if f.r.Observer == nil {
		return ctx, func() {}
	}

	ctx, ended := f.r.Observer.Follow(ctx, f.start, resumed)
	return ctx, func() {
		ended()
		f.mu.Lock()
		defer f.mu.Unlock()
		observeEnd(f.r.Observer, f.record)
	}
}

// observeLimit reports err, and returns it, if it says that a limit is reached.
func observeLimit(ctx context.Context, o Observer, err error) error {
	_, limited := errors.AsType[*limitError](err)
	if o != nil && (limited || errors.Is(err, ledger.ErrTooManyTasks)) {
		o.Limited(ctx)
	}
	return err
}

func observeEnd(o Observer, e *ledger.Record) {
	if o != nil && e.State().Terminal() {
		o.Ended(e.Agent, e.State(), e.Updated.Sub(e.Created))
	}
}
