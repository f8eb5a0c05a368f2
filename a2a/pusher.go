package a2a

import "context"

// Pusher is an Agent that notifies webhooks of its tasks (A2A 1.0 section 3.1.7 to 3.1.10, 0.3
// section 7.5 to 7.8). It is found by type assertion; an agent that only learns by asking that it
// cannot do this answers PushNotSupported. Every method answers TaskNotFound for a task that is not
// there, or not the caller's.
type Pusher interface {
	// SetPush adds a config to the task that it names and returns it as kept. It
	// replaces the task's config with the same ID; a config without an ID gets one.
	// A URL that may not be called answers InvalidParams.
	SetPush(context.Context, *PushConfig) (*PushConfig, error)

	// Push returns a task's config. Without an id it is the first that was set:
	// callers before 0.2.5 name none. One that is not there answers TaskNotFound.
	Push(ctx context.Context, task TaskID, id string) (*PushConfig, error)

	// Pushes returns the configs of a task, the first set first.
	Pushes(ctx context.Context, task TaskID) ([]*PushConfig, error)

	// DropPush forgets a task's config. One that is not there is forgotten
	// already (A2A 1.0 section 3.1.10: deleting is idempotent).
	DropPush(ctx context.Context, task TaskID, id string) error
}

// PushConfig is a webhook to notify of a task, and how to authenticate there.
type PushConfig struct {
	TaskID TaskID // empty in a SendRequest, whose task it is for
	ID     string // unique among those of the task
	URL    string
	Token  string // sent back with each notification; "" is none

	// Authentication is what the webhook requires; nil is nothing.
	Authentication *PushAuthentication

	// Generation is that of the call which set it: notifications are written in it.
	Generation Generation

	// Name is what the caller calls the task, where that is not its ID (A2A
	// 0.1). Notifications name it so.
	Name TaskID
}

// PushAuthentication is how to authenticate at a webhook.
type PushAuthentication struct {
	Schemes     []string // HTTP authentication schemes such as "Bearer"; the preferred first
	Credentials string
}
