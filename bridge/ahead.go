package bridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// writtenWithin is how long a message may be under way before the ledger has its
// task. Most answers that come at once come by then, and one write has both.
const writtenWithin = 10 * time.Millisecond

// ahead hands the message that starts e to a follower which writes the task into
// the ledger when the agent has answered, or soon. Nobody is told of the task
// before that. It is for messages that their callers gave no name: one with a name
// may come again, here or at another replica, and must be found then. Where so
// many tasks run that the ledger might refuse another, ahead does nothing and
// returns nil.
func (b *Bridge) ahead(conn directory.Conn, e *ledger.Record, req *a2a.SendRequest) *follower {
	f := b.newFollower(conn, e, req)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !b.enterAhead(f) {
		return nil
	}
	f.unwritten, f.dirty = true, true
	f.timer = time.AfterFunc(writtenWithin, func() { f.save() })
	b.wg.Go(func() { f.live(req) })
	return f
}

// enterAhead notes that f watches a task which the ledger does not have yet, if
// the ledger will take it: no more run here than may, so that none of a single owner
// do, and the ledger has not had too many lately, of other replicas or of a process
// that died.
func (b *Bridge) enterAhead(f *follower) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running.Err() != nil || len(b.live) >= b.mostRunning() || b.Now().Before(b.crowded) {
		return false
	}
	b.live[f.entry.Handle] = f
	b.early[f] = struct{}{}
	return true
}

// catchUp writes what the ledger does not have yet, where it could let in too many
// tasks because of that.
func (b *Bridge) catchUp() {
	b.mu.Lock()
	var early []*follower
	if len(b.live) > b.mostRunning() {
		early = slices.Collect(maps.Keys(b.early))
	}
	b.mu.Unlock()
	for _, f := range early {
		f.save()
	}
}

// noMoreEarly notes that the ledger has had its chance to take a task.
func (b *Bridge) noMoreEarly(f *follower, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.early, f)
	if errors.Is(err, ledger.ErrTooManyTasks) {
		b.crowded = b.Now().Add(leaseFor)
	}
}

// notWritten says that the ledger did not take a task whose message has left.
type notWritten struct{ error }

func (e notWritten) Unwrap() error { return e.error }

// add writes the task into the ledger for the first time, as it stands. It is
// called with f.mu held.
func (f *follower) add(ctx context.Context) {
	err := f.b.Ledger.AddTask(ctx, f.entry, f.b.lease(), f.b.mostRunning())
	f.b.noMoreEarly(f, err)
	if err != nil {
		f.lose(err)
		return
	}
	f.unwritten, f.dirty, f.written, f.saved = false, false, f.heard, f.b.Now()
	f.b.begun(f.entry)
}

// lose gives up a task that the ledger did not take. It is called with f.mu held.
func (f *follower) lose(err error) {
	f.b.Log.Error("writing a new task", "task", f.entry.Handle, "agent", f.entry.Agent, "err", err)
	f.lost, f.dirty = notWritten{err}, false
	if f.entry.Task != nil && f.hangUp != nil {
		f.hangUp()
	}
	f.announce()
}

// known writes a task that the ledger does not have yet, and returns why it could
// not be written: then nobody may be told of it.
func (f *follower) known() error {
	f.save()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// withdraw has the agent stop a task that the ledger did not take.
func (f *follower) withdraw() {
	f.mu.Lock()
	lost, id := f.lost != nil, a2a.TaskID("")
	if f.entry.Task != nil && !f.entry.State().Terminal() {
		id = f.entry.Task.ID
	}
	f.mu.Unlock()
	if !lost || id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(f.b.running, cancelBudget)
	defer cancel()
	if _, err := f.conn.Cancel(ctx, id); err != nil && f.b.running.Err() == nil {
		f.b.Log.Warn("canceling a task that could not be written", "task", f.entry.Handle, "agent", f.entry.Agent, "err", err)
	}
}
