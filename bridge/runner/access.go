package runner

import (
	"context"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// authorize returns ErrNoTask unless the task belongs to the user of a call, and is of an
// agent that the call may know of. Requests get a task through Task or Current, which call
// it. Each query of the store names the owner as well, so a task of another owner is not
// found.
func (r *Runner) authorize(a directory.Access, e *ledger.Record) error {
	if e.Owner != a.User() || !r.Directory.AllowsTasks(a, e.Agent) {
		return ledger.ErrNoTask
	}
	return nil
}

// Task returns a task as the ledger has it, or ErrNoTask if it is not for the call.
func (r *Runner) Task(
	ctx context.Context, a directory.Access, handle string,
) (*ledger.Record, error) {
	e, err := r.Ledger.Task(ctx, a.User(), handle)
	if err == nil {
		err = r.authorize(a, e)
	}
	if err != nil {
		return nil, err
	}

	return e, nil
}

// Current returns a task as this replica knows it: from its follower, if it has one, or from
// the ledger.
func (r *Runner) Current(
	ctx context.Context, a directory.Access, handle string,
) (*ledger.Record, error) {
	if f := r.live.get(handle); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if err := r.authorize(a, f.record); err != nil {
			return nil, err
		}
		if !f.ignoresEvents() {
			return f.record.Clone(), nil
		}
	}
	return r.Task(ctx, a, handle)
}
