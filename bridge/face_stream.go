package bridge

import (
	"context"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// yielder takes the events of a stream, and an error last.
type yielder = func(a2a.Event, error) bool

// tell yields what becomes of a message that was just delivered: first the task
// or, where the agent gives no task, its message, then the events. An agent that
// says nothing for a while leaves the caller with the task as it was written.
// One whose message was sent before tells how its task stands.
func (f *Face) tell(ctx context.Context, w *follower, yield yielder) {
	waiting, cancel := context.WithTimeout(ctx, firstWord)
	defer cancel()
	w.wait(waiting, nil, func(string) {}, true)
	w.save() // before the task is shown, the ledger knows it at the agent
	if err := w.refusal(); err != nil {
		yield(nil, f.refuse(err))
		return
	}
	if w.message == nil {
		f.tellAgain(ctx, w.snapshot(), yield)
		return
	}
	first, _, _ := w.after(0)
	switch first.(type) {
	case *a2a.Message:
		yield(w.snapshot().PublicMessage(), nil)
		return
	case *a2a.Task:
	default: // a bare update, or nothing yet: the task stands where it began
		t := w.start.Public()
		t.History = append(t.History, w.start.WithPublicIDs(*w.message))
		if !yield(t, nil) {
			return
		}
	}
	f.events(ctx, w, 0, yield)
}

// tellAgain yields what has become of a message that was sent before.
func (f *Face) tellAgain(ctx context.Context, e *ledger.Record, yield yielder) {
	if e.AnsweredByMessage() {
		yield(e.PublicMessage(), nil)
		return
	}
	f.follow(ctx, e, yield)
}

// follow yields a task as it stands, and then its events.
func (f *Face) follow(ctx context.Context, e *ledger.Record, yield yielder) {
	for {
		if w := f.bridge.follower(e.Handle); w != nil && !e.Idle {
			now, next := w.place()
			if yield(now.Public(), nil) && !now.State().Idle() {
				f.events(ctx, w, next, yield)
			}
			return
		}
		if !yield(e.Public(), nil) || e.Idle {
			return
		}
		var err error
		if e, err = f.changed(ctx, e); err != nil {
			yield(nil, f.refuse(err))
			return
		}
	}
}

// changed returns a task that another replica follows when the ledger has heard
// more of it, or when this replica has taken it up.
func (f *Face) changed(ctx context.Context, seen *ledger.Record) (*ledger.Record, error) {
	rung, leave := f.bridge.bells.enter(seen.Handle)
	defer leave()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.bridge.waits.Done():
			return nil, errStopping
		case <-rung:
		case <-tick.C:
		}
		e, err := f.entry(ctx, a2a.TaskID(seen.Handle))
		if err != nil || !e.Updated.Equal(seen.Updated) || f.bridge.follower(seen.Handle) != nil {
			return e, err
		}
	}
}

// events yields the events of a task from number n on until one settles it. A
// task that ends without an event, because its agent is lost or said too much,
// is told of as a status.
func (f *Face) events(ctx context.Context, w *follower, n int, yield yielder) {
	for {
		e, next, changed := w.after(n)
		switch {
		case e == nil && changed == nil:
			end := w.snapshot().Public()
			yield(&a2a.StatusUpdate{TaskID: end.ID, ContextID: end.ContextID, Status: end.Status}, nil)
			return
		case e == nil:
			select {
			case <-changed:
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			case <-f.bridge.waits.Done():
				yield(nil, f.refuse(errStopping))
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

// place returns the entry as it stands, and the number of the event after it.
func (f *follower) place() (*ledger.Record, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.entry.Clone(), f.log.next
}

// after returns event n under the ids that callers know, and the number after
// it; or, where n was dropped, the task as it stands. Where n has not happened
// it returns no event, and what is closed at the next change: nil if there will
// be none.
func (f *follower) after(n int) (a2a.Event, int, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.log.event(n); ok {
		return f.entry.PublicEvent(e), n + 1, nil
	}
	switch {
	case n < f.log.next:
		return f.entry.Public(), f.log.next, nil
	case f.ended:
		return nil, n, nil
	default:
		return nil, n, f.changed
	}
}
