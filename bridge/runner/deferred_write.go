package runner

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// writtenWithin is how long a message may be under way before the ledger has its
// task. Most answers that come at once come by then, and one write has both.
const writtenWithin = 10 * time.Millisecond

// deferWrite hands the message that starts e to a follower which writes the task into
// the ledger when the agent has answered, or soon. Nobody is told of the task
// before that. It is for messages that their callers gave no name: one with a name
// may come again, here or at another replica, and must be found then. Where so
// many tasks run that the ledger might refuse another, ahead does nothing and
// returns nil.
func (r *Runner) deferWrite(conn directory.Conn, e *ledger.Record, req *a2a.SendRequest) *Follower {
	f := r.newFollower(conn, e, req)
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.running.Err() != nil || !r.live.setUnwritten(f, r.mostRunning(), r.Now()) {
		return nil
	}
	f.unwritten, f.dirty = true, true
	f.timer = time.AfterFunc(writtenWithin, func() { f.Save() })
	r.wg.Go(func() { f.live(req) })
	return f
}

// ErrNotRecorded says that the ledger did not take a task whose message has left.
type ErrNotRecorded struct{ error }

func (e ErrNotRecorded) Unwrap() error { return e.error }

// add writes the task into the ledger for the first time, as it stands. It is
// called with f.mu held.
func (f *Follower) add(ctx context.Context) {
	err := f.r.Ledger.AddTask(ctx, f.record, f.r.lease(), f.r.mostRunning())
	var deferFrom time.Time
	if errors.Is(err, ledger.ErrTooManyTasks) {
		deferFrom = f.r.Now().Add(leaseFor)
	}
	f.r.live.written(f, deferFrom)
	if err != nil {
		f.giveUp(err)
		return
	}
	f.unwritten, f.dirty, f.written, f.saved = false, false, f.heard, f.r.Now()
	f.r.announceNew(f.record)
}

// giveUp gives up a task that the ledger did not take. It is called with f.mu held.
func (f *Follower) giveUp(err error) {
	f.r.Log.Error("writing a new task", "task", f.record.Handle, "agent", f.record.Agent, "err", err)
	f.lost, f.dirty = ErrNotRecorded{err}, false
	if f.record.Task != nil && f.hangUp != nil {
		f.hangUp()
	}
	f.announce()
}

// EnsureRecorded writes a task that the ledger does not have yet, and returns why it could
// not be written: then nobody may be told of it.
func (f *Follower) EnsureRecorded() error {
	f.Save()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// withdraw has the agent stop a task that the ledger did not take.
func (f *Follower) withdraw() {
	f.mu.Lock()
	lost, id := f.lost != nil, a2a.TaskID("")
	if f.record.Task != nil && !f.record.State().Terminal() {
		id = f.record.Task.ID
	}
	f.mu.Unlock()
	if !lost || id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(f.r.running, cancelBudget)
	defer cancel()
	if _, err := f.conn.Cancel(ctx, id); err != nil && f.r.running.Err() == nil {
		f.r.Log.Warn("canceling a task that could not be written", "task", f.record.Handle, "agent", f.record.Agent, "err", err)
	}
}
