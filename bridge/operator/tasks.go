package operator

import (
	"context"
	"errors"
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/audit"
	"rialto/internal/i18n"
)

// Task is the task of any account in a list.
type Task struct {
	ID      string    `json:"id"`
	OwnerID string    `json:"owner_id"`
	Owner   string    `json:"owner"` // the name of its account; "" if the account was removed
	Client  string    `json:"client_id"`
	Agent   string    `json:"agent"`
	State   a2a.State `json:"state"`
	Asked   string    `json:"asked,omitempty"` // the beginning of the request
	Message string    `json:"message"`         // the beginning of the agent's last message
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`

	Failure *ledger.Failure `json:"-"` // Message is its beginning; nil if an agent said it
}

// TaskFilter chooses tasks. Empty fields do not filter.
type TaskFilter struct {
	Span
	OwnerID string
	Agent   string
	State   a2a.State
	Text    string    // in the request, in any letter case, or the whole ID; of the latest MostSearched
	Since   time.Time // created then or later
	Until   time.Time // created before
	Changed time.Time // changed then or later; a task that has ended changes no more
}

// Table implements Query.
func (f *TaskFilter) Table() *Table { return tables()["tasks"] }

// Read implements Query.
func (f *TaskFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	f.Span = span
	return untyped(s.Tasks(ctx, *f))
}

// MostSearched bounds the tasks in whose requests, and the events in which, a text is looked for.
const MostSearched = 2000

// States are the states of tasks.
var States = []a2a.State{
	a2a.Submitted,
	a2a.Working,
	a2a.InputRequired,
	a2a.AuthRequired,
	a2a.Completed,
	a2a.Failed,
	a2a.Canceled,
	a2a.Rejected,
	a2a.Unknown,
}

// Tasks returns a page of the tasks of all accounts, the latest first. It fails with
// ErrCursor, and with an Error for an unknown state.
func (s *Service) Tasks(ctx context.Context, f TaskFilter) (*Page[Task], error) {
	if f.State != "" && !slices.Contains(States, f.State) {
		return nil, errState.with(string(f.State))
	}
	return list(ctx, s, f, s.TaskStore.ListTasks, s.TaskStore.CountTasks, func(t *Task) Mark {
		return Mark{At: t.Created, ID: t.ID}
	})
}

// Count returns how many tasks match the filter, up to MostTotal.
func (f TaskFilter) Count(ctx context.Context, s *Service) (int, error) {
	return s.TaskStore.CountTasks(ctx, f, MostTotal)
}

// Task returns a task of any account, or ErrNotFound. What agents and users wrote in
// it is untrusted: show it as text.
func (s *Service) Task(ctx context.Context, id string) (*ledger.Record, error) {
	e, err := s.TaskStore.AnyTask(ctx, id)
	return e, refusal(err)
}

// CancelTask asks the agent to cancel a task of any account, and returns the task
// after that. It fails with ErrNotFound, with an Error for a task that cannot be
// canceled now, and with an *a2a.Error if the agent refuses.
func (s *Service) CancelTask(ctx context.Context, by Actor, id string) (*ledger.Record, error) {
	e, err := s.Task(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Bridge == nil {
		return nil, errNoServer
	}

	owner := e.Owner
	e, err = s.Bridge.Proxy.Cancel(
		ctx, s.Bridge.Directory.AccessOf(directory.Caller{User: owner}), id,
	)
	if _, refused := errors.AsType[ledger.NotCancelable](err); refused {
		return nil, Refuse("not_cancelable", i18n.Of(err))
	}
	return e, record(ctx, s.Audit, by, audit.TaskCanceled, id, owner, refusal(err))
}
