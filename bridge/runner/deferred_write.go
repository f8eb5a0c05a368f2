package runner

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/dberr"
)

// writtenWithin is how long a message may be on its way before its task is written.
// Most quick answers arrive within it, so that one write holds both.
const writtenWithin = 50 * time.Millisecond

// deferWrite starts a follower for the message that begins e. The follower writes the task into the
// ledger when the agent has answered, or after writtenWithin; the handle is not given out before.
// It is for messages without an id: a message with an id may be repeated, and its task must be
// found then. If so many tasks run that the ledger might refuse one, deferWrite returns nil.
func (r *Runner) deferWrite(
	ctx context.Context,
	conn directory.Conn,
	e *ledger.Record,
	req *a2a.SendRequest,
) (*Sent, error) {
	done, err := r.quotas.acquire(ctx, e)
	if err != nil {
		return nil, err
	}

	f := r.newFollower(conn, e, req)
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.running.Err() != nil || !r.live.setUnwritten(f, r.quotas.mostRunning(), r.Now()) {
		done()
		return nil, nil
	}

	r.quotas.enter(f, done)
	f.recorded = time.Time{}
	f.timer = time.AfterFunc(writtenWithin, func() { f.Save() })
	r.wg.Go(func() { f.live(req) })
	return sentBy(f), nil
}

// ErrNotRecorded says that the ledger refused a task whose message was sent.
type ErrNotRecorded struct{ error }

func (e ErrNotRecorded) Unwrap() error { return e.error }

// add writes the task for the first time. It is called with f.mu held.
func (f *Follower) add(ctx context.Context) {
	err := f.r.Ledger.AddTask(ctx, f.record, f.r.Replica, f.r.quotas.mostRunning())
	if away(err) {
		err = f.retryAdd(ctx, err)
	}

	var deferFrom time.Time
	if errors.Is(err, ledger.ErrTooManyTasks) ||
		away(err) { // so that the next messages do not leave in vain
		deferFrom = f.r.Now().Add(leaseFor)
	}

	f.r.live.written(f, deferFrom)
	if err != nil {
		f.markUnrecorded(err)
		return
	}

	f.recorded = f.record.Updated
	if f.state != unanswered {
		f.saved = f.r.Now()
	}

	f.r.Publisher.publish(f.record, ledger.AboutNew)
}

// away reports whether the ledger could not be reached, and so may or may not have the task.
func away(err error) bool {
	e, is := dberr.As(err)
	return is && !e.Overloaded
}

// retryAdd writes the task once more if the ledger does not have it: often only one connection
// broke, before or after the commit. It returns why if the ledger is still away.
func (f *Follower) retryAdd(ctx context.Context, why error) error {
	_, err := f.r.Ledger.Task(ctx, f.record.Owner, f.record.Handle)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrNoTask):
		return f.r.Ledger.AddTask(ctx, f.record, f.r.Replica, f.r.quotas.mostRunning())
	}
	return why
}

// markUnrecorded makes a new task unrecorded whose first write failed. It is called with f.mu held.
func (f *Follower) markUnrecorded(err error) {
	f.r.Log.Error(
		"writing a new task",
		"task", f.record.Handle,
		"agent", f.record.Agent,
		"err", err,
	)
	f.state = unrecorded
	f.recordErr = ErrNotRecorded{err}
	f.endStream()
	f.wakeWatchers()
}

// cancelUnrecorded cancels an unrecorded task, unless it has ended.
func (f *Follower) cancelUnrecorded() {
	f.mu.Lock()
	lost := f.recordErr
	ended := f.record.State().Terminal()
	f.mu.Unlock()
	id := f.taskID()
	if ended && away(lost) {
		f.saveUnrecorded()
		return
	}
	if lost == nil || ended || id == "" {
		return
	}

	ctx, cancel := context.WithTimeout(f.r.running, cancelBudget)
	defer cancel()
	if _, err := f.conn.Cancel(ctx, id); err != nil && f.r.running.Err() == nil {
		f.r.Log.Warn(
			"canceling a task that could not be written",
			"task", f.record.Handle,
			"agent", f.record.Agent,
			"err", err,
		)
	}
}

// saveUnrecorded writes the end of a task that the ledger may have after all: its commit may have
// arrived, and the answer to it not.
func (f *Follower) saveUnrecorded() {
	pause := retrying()
	for {
		ctx, cancel := f.r.writeContext()
		err := f.r.Ledger.SaveTask(ctx, f.record, f.r.Replica)
		cancel()
		if err == nil {
			f.r.Publisher.changed(f.record)
		}
		if !away(err) ||
			!pause.wait(f.r.running, 0) { // with ErrLeaseLost, the ledger does not have it
			return
		}
	}
}
