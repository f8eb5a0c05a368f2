package bridge

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
)

// ErrNoTask says that no such task exists for this owner. Whether it exists
// for another is nobody's business.
var ErrNoTask = errors.New("no such task")

// ErrTaskBusy says that a task cannot take a message now: it is working, or
// it has ended.
var ErrTaskBusy = errors.New("the task takes no message now")

// ErrLeaseLost says that another replica follows the task by now.
var ErrLeaseLost = errors.New("another replica follows the task")

// Entry is one task in the ledger.
type Entry struct {
	Handle    string // the task_id that clients see
	Owner     string // the user it belongs to
	Client    string // through which it was sent
	Agent     string // the name of the agent that runs it
	MessageID string // of the latest message sent to it

	// Task is the task as last heard of, under the agent's own id. It is nil
	// until the agent has answered. An agent that answers with a message
	// instead of a task leaves a completed task without an id here.
	Task *a2a.Task

	// Failure says why there is no task, or no more of one.
	Failure *Failure

	// Settled is set when nothing more will come until the owner acts.
	Settled bool

	// Updated is another moment after each change. Both are whole milliseconds.
	Created, Updated time.Time
}

// Failure is a refusal or a breakdown that ended a task.
type Failure struct {
	Code    a2a.Code `json:"code"`
	Message string   `json:"message"`
	Remote  bool     `json:"remote,omitempty"` // the agent said so
}

// State tells where the task stands. A task that no agent has confirmed is
// submitted, and one whose pause was answered is working.
func (e *Entry) State() a2a.State {
	switch {
	case e.Failure != nil:
		return a2a.Failed
	case e.Task == nil:
		return a2a.Submitted
	case e.Task.Status.State.Interrupted() && !e.Settled:
		return a2a.Working
	default:
		return e.Task.Status.State
	}
}

// ContextID returns the conversation the task belongs to, as the agent named
// it; "" while it is not known.
func (e *Entry) ContextID() string {
	if e.Task == nil {
		return ""
	}
	return e.Task.ContextID
}

// Lease is a replica's claim to follow tasks until a moment.
type Lease struct {
	Replica string
	Until   time.Time
}

// Ledger keeps tasks. Its methods are the steps in the life of one; each is
// atomic, and all may be called concurrently, by several replicas that share
// one database.
type Ledger interface {
	// AddTask records a task before its message is sent, followed under l.
	AddTask(ctx context.Context, e *Entry, l Lease) error

	// ContinueTask opens a settled, interrupted task for the message named
	// messageID and follows it under l. Of any number of calls for one pause,
	// exactly one succeeds; the others get ErrTaskBusy. A task that is not
	// owner's is ErrNoTask.
	ContinueTask(ctx context.Context, owner, handle, messageID string, l Lease, now time.Time) error

	// SaveTask writes e.Task, e.Failure, e.Settled and e.Updated. It fails
	// with ErrLeaseLost, and writes nothing, when replica no longer follows
	// the task. A settled task is followed by nobody.
	SaveTask(ctx context.Context, e *Entry, replica string) error

	// Task returns owner's task, or ErrNoTask.
	Task(ctx context.Context, owner, handle string) (*Entry, error)

	// Tasks returns those of owner's tasks that f chooses, the latest created
	// first.
	Tasks(ctx context.Context, owner string, f TaskFilter) ([]*Entry, error)

	// HasContext reports whether owner has a task with agent in a
	// conversation.
	HasContext(ctx context.Context, owner, agent, contextID string) (bool, error)

	// RenewLeases extends the claims of l.Replica to l.Until.
	RenewLeases(ctx context.Context, l Lease) error

	// ClaimTasks hands the caller at most limit unsettled tasks whose lease
	// has run out, the longest abandoned first, now followed under l. Of any
	// number of parallel calls, each task goes to exactly one.
	ClaimTasks(ctx context.Context, l Lease, now time.Time, limit int) ([]*Entry, error)
}
