package proxy

import (
	"cmp"
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
	e, err := sent.Accepted(ctx)
	err = cmp.Or(sent.Refusal(), err)
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
		f.streamFrom(ctx, e, endsTurn, yield)
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
	f.streamChanges(sent.Watch(ctx), endsTurn, yield)
}

// endsTurn reports whether the stream of a message ends when its task is in state s. One that waits
// for a grant may go on without a message (A2A 1.0 section 7.6.1).
func endsTurn(s a2a.State) bool { return s.Terminal() || s == a2a.InputRequired }

// streamFrom yields a task and then its events.
func (f *Agent) streamFrom(
	ctx context.Context, e *ledger.Record, ends func(a2a.State) bool, yield yielder,
) {
	changes := f.proxy.Runner.Watch(ctx, f.access(ctx), e.Handle, e.Updated)
	if !yield(e.Public(), nil) || ends(e.State()) {
		return
	}
	f.streamChanges(changes, ends, yield)
}

// streamChanges yields the events of changes until the task is in a state that ends them. A task that
// becomes idle without an event, because its agent is lost or its output too large, has a status.
func (f *Agent) streamChanges(
	changes iter.Seq2[runner.Change, error], ends func(a2a.State) bool, yield yielder,
) {
	for c, err := range changes {
		if err != nil {
			yield(nil, f.a2aError(err))
			return
		}
		e := c.Event()
		if c.Whole {
			e = c.Record().Public()
		}
		if c.Idle && !a2a.StateOf(e).Idle() {
			if e != nil && !yield(e, nil) {
				return
			}
			end := c.Record().Public()
			e = &a2a.StatusUpdate{TaskID: end.ID, ContextID: end.ContextID, Status: end.Status}
		}
		if e != nil && !yield(e, nil) {
			return
		}
		if ends(a2a.StateOf(e)) {
			return
		}
	}
}
