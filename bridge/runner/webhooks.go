package runner

import (
	"context"

	"rialto/a2a"
)

// Webhooks stores the webhooks of tasks; package push does. What they get comes from the ledger.
type Webhooks interface {
	// Accept reports as a2a.InvalidParams why a webhook may not be called. It may
	// ask the webhook itself.
	Accept(context.Context, *a2a.PushConfig) error

	// Add registers an accepted webhook for owner's task c.TaskID and returns it as
	// stored. It replaces the webhook with its ID.
	Add(ctx context.Context, owner string, c *a2a.PushConfig) (*a2a.PushConfig, error)

	// List returns the webhooks of owner's task, the first added first.
	List(ctx context.Context, owner, handle string) ([]*a2a.PushConfig, error)

	// Drop forgets one. One that is not there is forgotten already.
	Drop(ctx context.Context, owner, handle, id string) error
}
