package runner

import (
	"context"
	"errors"
	"iter"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// pollEvery is how often a task that no follower of this replica has is read.
const pollEvery = time.Second

// ErrStopping says that the server stops and waits for tasks no longer.
var ErrStopping = errors.New("the server is stopping")

// Change is one change of a task.
type Change struct {
	// Updated is the number of the change, for Watch: that of a later change is later.
	Updated time.Time

	// Whole reports that the change is known from the record alone, in which everything may
	// have changed: another replica follows the task, or the watcher has fallen behind.
	Whole bool

	Lines []string // progress, for people
	Idle  bool     // nothing changes until the owner acts

	event    a2a.Event      // of the agent
	follower *Follower      // that heard of it
	stored   *ledger.Record // at the time of the change, if that is known; nil is now
}

// wholeChange is a change that is known from the record alone.
func wholeChange(e *ledger.Record) Change {
	return Change{
		Updated: e.Updated,
		Whole:   true,
		Idle:    e.Idle,
		stored:  e,
	}
}

// Record returns a copy of the task. It may have changed since, unless the change is Whole.
func (c Change) Record() *ledger.Record {
	if c.stored != nil {
		return c.stored.Clone()
	}
	return c.follower.Snapshot()
}

// Event returns the event of the agent that made the change, under the ids that callers know.
// It is nil if the follower made the change, for example because the agent is lost, and if
// the change is known from the record alone.
func (c Change) Event() a2a.Event {
	if c.event == nil {
		return nil
	}
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	return c.follower.record.PublicEvent(c.event)
}

// Watch yields the changes of a task that are later than from, which is the Updated of a
// change or of a record. With the zero time it yields all that are kept. The changes are those
// that this replica has heard of from the agent, or what the ledger hears from another replica.
// Watch does not end with the task, which may be continued, and whose failure may have been
// presumed. It ends with an error: that of ctx, ErrStopping, or ErrNoTask.
func (r *Runner) Watch(
	ctx context.Context, access directory.Access, handle string, from time.Time,
) iter.Seq2[Change, error] {
	s := &Sent{
		Handle:   handle,
		runner:   r,
		access:   access,
		follower: r.live.get(handle), // which has the changes even if it ends before they are read
		from:     from,
	}
	return s.Watch(ctx)
}

// Watch yields the changes of the task since the message was sent, as Runner.Watch does.
func (s *Sent) Watch(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		r := s.runner
		woken, leave := r.waiters.add(s.Handle)
		defer leave()
		w := &watch{Sent: *s}
		for {
			changes, next, err := w.changes(ctx)
			if err != nil {
				yield(Change{}, err)
				return
			}
			for _, c := range changes {
				w.from = c.Updated
				if !yield(c, nil) {
					return
				}
			}
			if err := r.awaitChange(ctx, next, woken); err != nil {
				yield(Change{}, err)
				return
			}
		}
	}
}

// awaitChange waits until a task may have changed. next is that of its follower, nil if this
// replica has none.
func (r *Runner) awaitChange(ctx context.Context, next, woken <-chan struct{}) error {
	var poll <-chan time.Time
	if next == nil {
		poll = time.After(pollEvery)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-r.waiters.ctx.Done():
		return ErrStopping
	case <-next:
	case <-woken:
	case <-poll:
	}
	return nil
}

// watch is where a watcher stands.
type watch struct {
	Sent          // from is the last change that was yielded; follower is nil after it has ended
	read     bool // the ledger, or a change
	progress ledgerProgress
}

// changes returns the changes since w.from. next is closed at the next one; it is nil if this
// replica does not follow the task.
func (w *watch) changes(ctx context.Context) (all []Change, next <-chan struct{}, err error) {
	f := w.follower
	if f == nil {
		f = w.runner.live.get(w.Handle)
	}
	if f != nil {
		if err := w.runner.authorize(w.access, f.start); err != nil {
			return nil, nil, err
		}
		w.follower = f // it keeps its changes when it has ended
		all, next, err = f.changesAfter(w.from)
		w.read = w.read || len(all) > 0
		if next != nil || len(all) > 0 || err != nil {
			return all, next, err
		}
		w.follower = nil // it has ended, and the ledger knows what comes after it
	}
	e, err := w.runner.Task(context.WithoutCancel(ctx), w.access, w.Handle)
	if err != nil {
		return nil, nil, err
	}
	news := e.Updated.After(w.from)
	if !w.read { // where another clock was ahead, the cursor may be later than the ledger
		news = !e.Updated.Equal(w.from)
	}
	w.read = true
	if !news {
		return nil, nil, nil
	}
	c := wholeChange(e)
	c.Lines = w.progress.lines(e)
	return []Change{c}, nil, nil
}

// NextChange returns a task once it has changed since it was seen.
func (r *Runner) NextChange(
	ctx context.Context, access directory.Access, handle string, seen time.Time,
) (*ledger.Record, error) {
	for c, err := range r.Watch(ctx, access, handle, seen) {
		if err != nil {
			return nil, err
		}
		return c.Record(), nil
	}
	return nil, ErrStopping
}

// AwaitIdle returns a task once it is idle, or as it is when ctx or all waiting ends.
func (r *Runner) AwaitIdle(
	ctx context.Context, access directory.Access, handle string, progress func(string),
) (*ledger.Record, error) {
	s := &Sent{Handle: handle, runner: r, access: access}
	return s.AwaitIdle(ctx, progress)
}
