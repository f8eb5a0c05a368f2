package runner

import (
	"context"
	"time"

	"rialto/bridge/ledger"
)

// duplicate returns the follower of the task of a message that owner has sent before: a call
// that is repeated because its answer was lost finds its task. It is nil if the message is new.
func (r *Runner) duplicate(ctx context.Context, owner, agent, sum string) (*Follower, error) {
	if sum == "" {
		return nil, nil
	}
	handle, err := r.Ledger.SentTask(ctx, owner, agent, sum, r.Now())
	if err != nil || handle == "" {
		return nil, err
	}
	return r.rejoin(ctx, owner, handle)
}

// rejoin returns the follower of a task or, if this replica has none, one that reads
// the ledger until ctx ends.
func (r *Runner) rejoin(ctx context.Context, owner, handle string) (*Follower, error) {
	if f := r.live.get(handle); f != nil {
		return f, nil
	}
	e, err := r.Ledger.Task(ctx, owner, handle)
	if err != nil {
		return nil, err
	}
	f := &Follower{r: r, record: e, start: e.Clone(), heard: e.Task != nil, ended: e.Idle, changed: make(chan struct{}), saved: r.Now()}
	if !e.Idle {
		go f.readLedger(ctx)
	}
	return f, nil
}

// forgetSent lets a message be sent again that certainly has started nothing. Otherwise
// its repetition finds the failed task.
func (f *Follower) forgetSent(err error) {
	if f.record.Digest == "" || !ledger.Refused(err) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.r.running), writeBudget)
	defer cancel()
	if err := f.r.Ledger.ForgetSent(ctx, f.record); err != nil {
		f.r.Log.Error("forgetting a message that was refused", "task", f.record.Handle, "err", err)
	}
}

// readLedger follows a task in the ledger, and through the follower of this replica
// once there is one, until the task is idle or waits end.
func (f *Follower) readLedger(ctx context.Context) {
	woken, leave := f.r.waiters.add(f.start.Handle)
	defer leave()
	var news ledgerProgress
	for heard := f.start.Task != nil; ; {
		e, err := f.r.Ledger.Task(context.WithoutCancel(ctx), f.start.Owner, f.start.Handle)
		live := f.r.live.get(f.start.Handle)
		if err == nil && !e.Idle && live != nil {
			e = live.Wait(ctx, nil, func(string) {}, !heard)
		}
		over := err != nil || e.Idle || ctx.Err() != nil || f.r.waits.Err() != nil
		f.observe(e, over, &news)
		switch {
		case over:
			return
		case live != nil && !heard && e.Task != nil:
			heard = true // and now for its end
			continue
		}
		heard = e.Task != nil
		select {
		case <-ctx.Done():
		case <-f.r.waits.Done():
		case <-woken:
		case <-time.After(pollEvery):
		}
	}
}

// observe replaces the record; e is nil if it is not known.
func (f *Follower) observe(e *ledger.Record, over bool, news *ledgerProgress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e != nil {
		f.record, f.heard = e, e.Task != nil
		lines := news.lines(e)
		f.progress, f.progressCount = append(f.progress, lines...), f.progressCount+len(lines)
		f.progress = f.progress[max(0, len(f.progress)-notesKept):]
	}
	f.ended = over
	f.announce()
}
