package operator

import (
	"context"
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/audit"
)

// Task is somebody's task in a list.
type Task struct {
	ID      string    `json:"id"`
	OwnerID string    `json:"owner_id"`
	Owner   string    `json:"owner"` // the name of its account; "" if that is gone
	Client  string    `json:"client_id"`
	Agent   string    `json:"agent"`
	State   a2a.State `json:"state"`
	Message string    `json:"message"` // the beginning of what the agent said last
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

// TaskFilter chooses tasks. Empty fields do not filter.
type TaskFilter struct {
	Span
	OwnerID string
	Agent   string
	State   a2a.State
	Since   time.Time // created then or later
	Until   time.Time // created before
}

// TaskRows is what a store is asked for.
type TaskRows struct {
	OwnerID, Agent string
	State          a2a.State
	Since, Until   time.Time
	After          Mark
	Limit          int
}

var states = []a2a.State{
	a2a.Submitted, a2a.Working, a2a.InputRequired, a2a.AuthRequired, a2a.Completed, a2a.Canceled, a2a.Failed, a2a.Rejected, a2a.Unknown,
}

// Tasks returns a page of everybody's tasks, the latest first. It fails with
// ErrCursor, and with Invalid for a state that there is not.
func (s *Service) Tasks(ctx context.Context, f TaskFilter) (*Page[Task], error) {
	after, err := f.mark()
	if err != nil {
		return nil, err
	}
	if f.State != "" && !slices.Contains(states, f.State) {
		return nil, Invalid{"There is no state " + string(f.State) + "."}
	}
	rows, err := s.Store.ListTasks(ctx, TaskRows{
		OwnerID: f.OwnerID, Agent: f.Agent, State: f.State, Since: f.Since, Until: f.Until, After: after, Limit: f.size() + 1,
	})
	if err != nil {
		return nil, err
	}
	return paged(rows, f.size(), func(t *Task) Mark { return Mark{At: t.Created, ID: t.ID} }), nil
}

// Task returns a task whole, whosever it is, or ErrNotFound. What agents and
// people wrote in it is data: show it as text.
func (s *Service) Task(ctx context.Context, id string) (*ledger.Record, error) {
	e, err := s.Store.AnyTask(ctx, id)
	return e, found(err)
}

// CancelTask asks the agent to stop a task, whosever it is, and returns it as it
// then stands. It fails with ErrNotFound, with Invalid for a task that cannot be
// canceled now, and with an *a2a.Error where the agent refuses.
func (s *Service) CancelTask(ctx context.Context, by Actor, id string) (*ledger.Record, error) {
	e, err := s.Task(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Bridge == nil {
		return nil, Invalid{"Tasks can be canceled at the server only."}
	}
	if err := ledger.Cancelable(e); err != nil {
		return nil, Invalid{err.Error()}
	}
	owner := e.Owner
	e, err = s.Bridge.Cancel(ctx, owner, id)
	s.record(ctx, by, audit.TaskCanceled, id, "of "+owner, err)
	return e, found(err)
}
