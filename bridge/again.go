package bridge

import (
	"context"
	"time"

	"rialto/bridge/ledger"
)

// again returns whoever follows the task of a message that owner has sent
// before: a call that is made again, because its answer was lost, finds the task
// that it has begun. It is nil if the message is new.
func (b *Bridge) again(ctx context.Context, owner, agent, sum string) (*follower, error) {
	if sum == "" {
		return nil, nil
	}
	handle, err := b.Ledger.SentTask(ctx, owner, agent, sum, b.Now())
	if err != nil || handle == "" {
		return nil, err
	}
	return b.rejoin(ctx, owner, handle)
}

// rejoin returns the follower of a task or, where there is none here, one that
// sees what the ledger hears of it for as long as ctx lasts.
func (b *Bridge) rejoin(ctx context.Context, owner, handle string) (*follower, error) {
	if f := b.follower(handle); f != nil {
		return f, nil
	}
	e, err := b.Ledger.Task(ctx, owner, handle)
	if err != nil {
		return nil, err
	}
	f := &follower{b: b, entry: e, start: e.Clone(), heard: e.Task != nil, ended: e.Idle, changed: make(chan struct{}), saved: b.Now()}
	if !e.Idle {
		go f.read(ctx)
	}
	return f, nil
}

// forget lets a message be sent again that provably has not begun anything.
// Where that is not known, its repetition finds the task that failed.
func (f *follower) forget(err error) {
	if f.entry.Digest == "" || !ledger.Refused(err) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.b.running), writeBudget)
	defer cancel()
	if err := f.b.Ledger.ForgetSent(ctx, f.entry); err != nil {
		f.b.Log.Error("forgetting a message that was refused", "task", f.entry.Handle, "err", err)
	}
}

// read follows a task by what the ledger hears of it, and by this replica's
// follower as soon as there is one, until the task has settled or nobody waits
// any more.
func (f *follower) read(ctx context.Context) {
	rung, leave := f.b.bells.enter(f.start.Handle)
	defer leave()
	for heard := f.start.Task != nil; ; {
		e, err := f.b.Ledger.Task(context.WithoutCancel(ctx), f.start.Owner, f.start.Handle)
		live := f.b.follower(f.start.Handle)
		if err == nil && !e.Idle && live != nil {
			e = live.wait(ctx, nil, func(string) {}, !heard)
		}
		over := err != nil || e.Idle || ctx.Err() != nil || f.b.waits.Err() != nil
		f.sees(e, over)
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
		case <-f.b.waits.Done():
		case <-rung:
		case <-time.After(pollEvery):
		}
	}
}

// sees takes over how the task stands; e is nil if that is not known.
func (f *follower) sees(e *ledger.Record, over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e != nil {
		f.entry, f.heard = e, e.Task != nil
	}
	f.ended = over
	f.announce()
}
