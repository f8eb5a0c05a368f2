package proxy

import (
	"context"
	"iter"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

// yielder takes the events of a stream, and at the end an error.
type yielder = func(a2a.Event, error) bool

// streamSent yields the events after a message: first the task or, if the agent answers
// without one, its message. If the agent is silent for a while, the task is yielded as
// it was written. A repeated message yields its task.
func (f *Agent) streamSent(ctx context.Context, sent *runner.Sent, yield yielder) {
	e, err := f.accepted(ctx, sent, true)
	if err != nil {
		yield(nil, f.a2aError(err))
		return
	}
	opening := sent.Opening()
	if e.AnsweredByMessage() {
		yield(e.PublicMessage(), nil)
		return
	}
	if opening == nil {
		f.streamFrom(ctx, e, yield)
		return
	}
	switch sent.FirstEvent().(type) {
	case *a2a.Message:
		yield(e.PublicMessage(), nil)
		return
	case *a2a.Task:
	default: // a bare update, or nothing yet
		if !yield(opening, nil) {
			return
		}
	}
	f.streamChanges(sent.Watch(ctx), yield)
}

// streamFrom yields a task and then its events.
func (f *Agent) streamFrom(ctx context.Context, e *ledger.Record, yield yielder) {
	changes := f.proxy.Runner.Watch(ctx, f.access(ctx), e.Handle, e.Updated)
	if !yield(e.Public(), nil) || e.Idle {
		return
	}
	f.streamChanges(changes, yield)
}

// streamChanges yields the events of changes until the task is idle. A task that ends without
// an event, because its agent is lost or its output too large, ends with a status.
func (f *Agent) streamChanges(changes iter.Seq2[runner.Change, error], yield yielder) {
	for c, err := range changes {
		if err != nil {
			yield(nil, f.a2aError(err))
			return
		}
		e := c.Event()
		if c.Whole {
			e = c.Record().Public()
		}
		if e != nil && !yield(e, nil) {
			return
		}
		if settles(e) {
			return
		}
		if c.Idle {
			end := c.Record().Public()
			yield(
				&a2a.StatusUpdate{TaskID: end.ID, ContextID: end.ContextID, Status: end.Status},
				nil,
			)
			return
		}
	}
}

func settles(e a2a.Event) bool {
	switch e := e.(type) {
	case *a2a.Task:
		return e.Status.State.Idle()
	case *a2a.StatusUpdate:
		return e.Status.State.Idle()
	default:
		return false
	}
}
