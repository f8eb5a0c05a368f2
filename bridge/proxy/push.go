package proxy

import (
	"context"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

var _ a2a.Pusher = (*Agent)(nil)

// SetPush registers a webhook for a task (a2a.Pusher).
func (f *Agent) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	e, err := f.pushable(ctx, c.TaskID)
	if err != nil {
		return nil, f.a2aError(err)
	}
	if err := f.proxy.Runner.Webhooks.Accept(ctx, c); err != nil {
		return nil, f.a2aError(err)
	}

	kept, err := f.proxy.Runner.Webhooks.Add(ctx, e.Owner, runner.PushConfigFor(e, c))
	if err != nil {
		return nil, f.a2aError(err)
	}

	return kept, nil
}

// Push returns a task's config (a2a.Pusher).
func (f *Agent) Push(ctx context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
	all, err := f.Pushes(ctx, task)
	if err != nil {
		return nil, err
	}

	for _, c := range all {
		if id == "" || c.ID == id {
			return c, nil
		}
	}

	return nil, a2a.Errorf(a2a.TaskNotFound, "the task has no such push notification config")
}

// Pushes returns the configs of a task (a2a.Pusher).
func (f *Agent) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	e, err := f.pushable(ctx, task)
	if err != nil {
		return nil, f.a2aError(err)
	}
	all, err := f.proxy.Runner.Webhooks.List(ctx, e.Owner, e.Handle)
	if err != nil {
		return nil, f.a2aError(err)
	}
	return all, nil
}

// DropPush deletes a config (a2a.Pusher).
func (f *Agent) DropPush(ctx context.Context, task a2a.TaskID, id string) error {
	e, err := f.pushable(ctx, task)
	if err == nil {
		err = f.proxy.Runner.Webhooks.Drop(ctx, e.Owner, e.Handle, id)
	}
	if err != nil {
		return f.a2aError(err)
	}
	return nil
}

// pushable returns the task of the caller, and an error if there are no webhooks.
func (f *Agent) pushable(ctx context.Context, task a2a.TaskID) (*ledger.Record, error) {
	if f.proxy.Runner.Webhooks == nil {
		return nil, runner.ErrNoPush
	}
	return f.record(ctx, task)
}
