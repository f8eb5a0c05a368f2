package runner

import (
	"context"
	"errors"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"time"
)

// AwaitIdle returns a task once it is idle, or as it is when ctx ends. A task
// that another replica follows is read again regularly, and when that replica signals.
func (r *Runner) AwaitIdle(
	ctx context.Context, access directory.Access, handle string, progress func(string),
) (*ledger.Record, error) {
	woken, leave := r.waiters.add(handle)
	defer leave()
	var elsewhere ledgerProgress
	for {
		e, err := r.Task(context.WithoutCancel(ctx), access, handle)
		if err != nil || e.Idle {
			return e, err
		}
		if f := r.live.get(handle); f != nil {
			if e = f.Wait(ctx, nil, progress, false); e.Idle {
				return e, nil
			}
		} else {
			for _, line := range elsewhere.lines(e) {
				progress(line)
			}
		}
		select {
		case <-ctx.Done():
			return e, nil
		case <-r.waits.Done():
			return e, nil
		case <-woken:
		case <-time.After(pollEvery):
		}
	}
}

// NextChange returns a task once it is not the version that was seen.
func (r *Runner) NextChange(
	ctx context.Context, access directory.Access, handle string, seen time.Time,
) (*ledger.Record, error) {
	woken, leave := r.waiters.add(handle)
	defer leave()
	for {
		e, changed, err := r.Current(ctx, access, handle)
		if err != nil || !e.Updated.Equal(seen) {
			return e, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.waits.Done():
			return nil, context.Canceled
		case <-woken:
		case <-changed: // nil, and never ready, where another replica follows the task
		case <-time.After(pollEvery):
		}
	}
}

// pollEvery is how often a task that another replica follows is looked up.
const pollEvery = time.Second

// ErrStopping says that the server stops and waits for tasks no longer.
var ErrStopping = errors.New("the server is stopping")

// Stopping returns a channel that is closed when waits end.
func (r *Runner) Stopping() <-chan struct{} { return r.waits.Done() }

// AwaitUpdate waits until the ledger has another version of a task than seen, or this
// replica follows the task.
func (r *Runner) AwaitUpdate(
	ctx context.Context, access directory.Access, seen *ledger.Record,
) (*ledger.Record, error) {
	woken, leave := r.waiters.add(seen.Handle)
	defer leave()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.waits.Done():
			return nil, ErrStopping
		case <-woken:
		case <-tick.C:
		}
		e, err := r.Task(ctx, access, seen.Handle)
		if err != nil || !e.Updated.Equal(seen.Updated) || r.Follower(seen.Handle) != nil {
			return e, err
		}
	}
}
