package runner

import (
	"context"

	"rialto/a2a"
)

// Webhooks keeps whom to tell of tasks; package bridge/push does. What there is
// to tell comes from the ledger.
type Webhooks interface {
	// Accept reports as a2a.InvalidParams why a webhook may not be called. It may
	// ask the webhook itself.
	Accept(context.Context, *a2a.PushConfig) error

	// Add has a webhook, which was accepted, told of owner's task c.TaskID, and
	// returns it as kept. It replaces the one of that task with its ID.
	Add(ctx context.Context, owner string, c *a2a.PushConfig) (*a2a.PushConfig, error)

	// List returns the webhooks of owner's task, the first added first.
	List(ctx context.Context, owner, handle string) ([]*a2a.PushConfig, error)

	// Drop forgets one. One that is not there is forgotten already.
	Drop(ctx context.Context, owner, handle, id string) error
}
