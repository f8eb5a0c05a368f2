package runner

import (
	"context"
	"rialto/bridge/ledger"
)

// authorize returns ErrNoTask unless the task is owner's, and of an agent that the caller
// of ctx may know of. Requests get a task through Task or Current, which call it. Each
// query of the store names the owner as well, so a task of another owner is not found.
func (r *Runner) authorize(ctx context.Context, owner string, e *ledger.Record) error {
	if e.Owner != owner || r.Directory.Hides(ctx, e.Agent) {
		return ledger.ErrNoTask
	}
	return nil
}

// Task returns a task of owner's as the ledger has it, or ErrNoTask.
func (r *Runner) Task(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	e, err := r.Ledger.Task(ctx, owner, handle)
	if err == nil {
		err = r.authorize(ctx, owner, e)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Current returns a task of owner's as this replica knows it: from its follower, if it
// has one, with a channel that is closed at the next change, or from the ledger.
func (r *Runner) Current(ctx context.Context, owner, handle string) (*ledger.Record, <-chan struct{}, error) {
	if f := r.live.get(handle); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if err := r.authorize(ctx, owner, f.record); err != nil {
			return nil, nil, err
		}
		if !f.ended {
			return f.record.Clone(), f.changed, nil
		}
	}
	e, err := r.Task(ctx, owner, handle)
	return e, nil, err
}
