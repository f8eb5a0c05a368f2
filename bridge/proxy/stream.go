package proxy

import (
	"context"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

// yielder takes the events of a stream, and at the end an error.
type yielder = func(a2a.Event, error) bool

// streamSent yields the events after a message: first the task or, if the agent answers
// without one, its message. If the agent is silent for a while, the task is yielded as
// it was written. A repeated message yields its task.
func (f *Agent) streamSent(ctx context.Context, w *runner.Follower, yield yielder) {
	waiting, cancel := context.WithTimeout(ctx, runner.FirstWord)
	defer cancel()
	w.Wait(waiting, nil, func(string) {}, true)
	w.Save() // before the task is shown, the ledger knows it at the agent
	if err := w.Refusal(); err != nil {
		yield(nil, f.a2aError(err))
		return
	}
	opening := w.Opening()
	if opening == nil {
		f.streamRepeated(ctx, w.Snapshot(), yield)
		return
	}
	first, _, _ := w.EventAfter(0)
	switch first.(type) {
	case *a2a.Message:
		yield(w.Snapshot().PublicMessage(), nil)
		return
	case *a2a.Task:
	default: // a bare update, or nothing yet: the task stands where it began
		if !yield(opening, nil) {
			return
		}
	}
	f.streamEvents(ctx, w, 0, yield)
}

// streamRepeated yields the task of a repeated message.
func (f *Agent) streamRepeated(ctx context.Context, e *ledger.Record, yield yielder) {
	if e.AnsweredByMessage() {
		yield(e.PublicMessage(), nil)
		return
	}
	f.streamFrom(ctx, e, yield)
}

// streamFrom yields a task and then its events.
func (f *Agent) streamFrom(ctx context.Context, e *ledger.Record, yield yielder) {
	for {
		if w := f.proxy.Runner.Follower(e.Handle); w != nil && !e.Idle {
			now, next := w.Position()
			if yield(now.Public(), nil) && !now.State().Idle() {
				f.streamEvents(ctx, w, next, yield)
			}
			return
		}
		if !yield(e.Public(), nil) || e.Idle {
			return
		}
		var err error
		if e, err = f.proxy.Runner.AwaitUpdate(ctx, f.access(ctx), e); err != nil {
			yield(nil, f.a2aError(err))
			return
		}
	}
}

// streamEvents yields the events of a task from number n until the task is idle. A task that ends
// without an event, because its agent is lost or its output too large, ends with a status.
func (f *Agent) streamEvents(ctx context.Context, w *runner.Follower, n int, yield yielder) {
	for {
		e, next, changed := w.EventAfter(n)
		switch {
		case e == nil && changed == nil:
			end := w.Snapshot().Public()
			yield(&a2a.StatusUpdate{TaskID: end.ID, ContextID: end.ContextID, Status: end.Status}, nil)
			return
		case e == nil:
			select {
			case <-changed:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			case <-f.proxy.Runner.Stopping():
				yield(nil, f.a2aError(runner.ErrStopping))
				return
			}
		default:
			if !yield(e, nil) || settles(e) {
				return
			}
		}
		n = next
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
