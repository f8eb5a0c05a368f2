package bridge

import (
	"context"
	"fmt"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

var _ a2a.Pusher = (*Face)(nil)

// SetPush has a webhook told of a task (a2a.Pusher).
func (f *Face) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	e, err := f.pushable(ctx, c.TaskID)
	if err != nil {
		return nil, f.refuse(err)
	}
	if err := f.bridge.Webhooks.Accept(ctx, c); err != nil {
		return nil, f.refuse(err)
	}
	kept, err := f.bridge.Webhooks.Add(ctx, e.Owner, named(e, c))
	if err != nil {
		return nil, f.refuse(err)
	}
	return kept, nil
}

// Push returns a task's config (a2a.Pusher).
func (f *Face) Push(ctx context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
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
func (f *Face) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	e, err := f.pushable(ctx, task)
	if err != nil {
		return nil, f.refuse(err)
	}
	all, err := f.bridge.Webhooks.List(ctx, e.Owner, e.Handle)
	if err != nil {
		return nil, f.refuse(err)
	}
	return all, nil
}

// DropPush forgets a config (a2a.Pusher).
func (f *Face) DropPush(ctx context.Context, task a2a.TaskID, id string) error {
	e, err := f.pushable(ctx, task)
	if err == nil {
		err = f.bridge.Webhooks.Drop(ctx, e.Owner, e.Handle, id)
	}
	if err != nil {
		return f.refuse(err)
	}
	return nil
}

// pushable returns the caller's task with this agent, and refuses every task
// where no webhook is told.
func (f *Face) pushable(ctx context.Context, task a2a.TaskID) (*ledger.Record, error) {
	if f.bridge.Webhooks == nil {
		return nil, errNoPush
	}
	return f.entry(ctx, task)
}

// named returns c for the webhook of e, which callers of 0.1 call as they like.
func named(e *ledger.Record, c *a2a.PushConfig) *a2a.PushConfig {
	of := *c
	of.TaskID = a2a.TaskID(e.Handle)
	if c.Generation == a2a.V01 {
		of.Name = a2a.TaskID(e.Name)
	}
	return &of
}

var errNoPush = a2a.Errorf(a2a.PushNotSupported, "this agent sends no push notifications")

// acceptPush refuses the webhook that a message brings, before anything is
// written.
func (f *Face) acceptPush(ctx context.Context, c *a2a.PushConfig) error {
	switch {
	case c == nil:
		return nil
	case f.bridge.Webhooks == nil:
		return errNoPush
	default:
		return f.bridge.Webhooks.Accept(ctx, c)
	}
}

// watch has the webhook that came with a message told of its task. It is the
// caller's: the agent does not get to see it.
func (b *Bridge) watch(ctx context.Context, e *ledger.Record, req *a2a.SendRequest) error {
	if req.Push == nil {
		return nil
	}
	_, err := b.Webhooks.Add(ctx, e.Owner, named(e, req.Push))
	if err != nil {
		return fmt.Errorf("writing the webhook down: %w", err)
	}
	req.Push = nil
	return nil
}
