package a2a

import "context"

// Namer is an Agent that remembers the names that its callers give to tasks (SendRequest.Name),
// beyond the life of a process. It is found by type assertion.
type Namer interface {
	// TaskNamed returns the id of the latest task that the caller gave this name, or TaskNotFound.
	TaskNamed(ctx context.Context, name TaskID) (TaskID, error)
}
