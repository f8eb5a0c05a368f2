package bridge

import (
	"context"
	"errors"
	"time"
)

// ErrNoTask says that no such task exists for this owner. Whether it exists
// for another is nobody's business.
var ErrNoTask = errors.New("no such task")

// ErrTaskBusy says that a task cannot take a message now: it is working, or
// it has ended.
var ErrTaskBusy = errors.New("the task takes no message now")

// ErrTooManyTasks says that the owner has as many tasks running as one may.
var ErrTooManyTasks = errors.New("too many tasks are running")

// ErrLeaseLost says that another replica follows the task by now.
var ErrLeaseLost = errors.New("another replica follows the task")

// Lease is a replica's claim to follow tasks until a moment.
type Lease struct {
	Replica string
	Until   time.Time
}

// Ledger keeps tasks. Its methods are the steps in the life of one; each is
// atomic, and all may be called concurrently, by several replicas that share
// one database.
type Ledger interface {
	// AddTask records a new task, followed under l unless it has settled. An owner
	// who has most tasks unsettled already, under leases that have not run out by
	// e.Updated, gets ErrTooManyTasks for another. Of any number of calls with one owner, agent and digest, exactly one succeeds; the
	// others get SentBefore, and change nothing, for as long as RepeatsFor. The
	// same goes for ContinueTask.
	AddTask(ctx context.Context, e *Entry, l Lease, most int) error

	// ContinueTask opens e, a settled, interrupted task, for the message named
	// messageID and follows it under l. Of any number of calls for one pause,
	// exactly one succeeds; the others, and those whose e is of an earlier
	// pause, get ErrTaskBusy. A task that is not e.Owner's is ErrNoTask.
	ContinueTask(ctx context.Context, e *Entry, messageID string, l Lease, now time.Time) error

	// SentTask returns the handle of the task that owner's message to an agent has
	// started or continued, told by its digest, or "" if there is none, or it was
	// sent longer ago than RepeatsFor.
	SentTask(ctx context.Context, owner, agent, digest string, now time.Time) (string, error)

	// ForgetSent lets the message of e be sent again: its agent has refused it.
	ForgetSent(ctx context.Context, e *Entry) error

	// SaveTask writes e.Task, e.Failure, e.Settled and e.Updated. It fails
	// with ErrLeaseLost, and writes nothing, when replica no longer follows
	// the task. A settled task is followed by nobody. In the same step, what
	// e.Shown() returns is put into the outbox for each webhook of the task.
	SaveTask(ctx context.Context, e *Entry, replica string) error

	// Task returns owner's task, or ErrNoTask.
	Task(ctx context.Context, owner, handle string) (*Entry, error)

	// Tasks returns those of owner's tasks that f chooses, the latest created
	// first.
	Tasks(ctx context.Context, owner string, f TaskFilter) ([]TaskSummary, error)

	// HasContext reports whether owner has a task with agent in a
	// conversation.
	HasContext(ctx context.Context, owner, agent, contextID string) (bool, error)

	// ContextNamed returns the agent's id of a conversation that owner calls by
	// this name, or by that id; "" if owner has none with agent. Where the agent
	// gave several, it is the latest.
	ContextNamed(ctx context.Context, owner, agent, name string) (string, error)

	// TaskNamed returns the handle of the latest task with agent that owner gave
	// this name, or ErrNoTask.
	TaskNamed(ctx context.Context, owner, agent, name string) (string, error)

	// Page returns the first of owner's tasks that f chooses, the latest changed
	// first, without their pasts.
	Page(ctx context.Context, owner string, f PageFilter) (*Page, error)

	// RenewLeases extends the claims of l.Replica on the tasks to l.Until.
	// What it does not name runs out, and is taken up again.
	RenewLeases(ctx context.Context, l Lease, handles []string) error

	// EndLeases has the leases of all replicas but one run out now: of the others
	// none lives.
	EndLeases(ctx context.Context, replica string, now time.Time) error

	// ClaimTasks hands the caller at most limit unsettled tasks whose lease
	// has run out, the longest abandoned first, now followed under l. Of any
	// number of parallel calls, each task goes to exactly one.
	ClaimTasks(ctx context.Context, l Lease, now time.Time, limit int) ([]*Entry, error)

	// ClaimTask does so with one task, if it is such a one.
	ClaimTask(ctx context.Context, handle string, l Lease, now time.Time) ([]*Entry, error)

	// DueTasks hands the caller at most limit tasks in auth-required that are due to be
	// looked at, the longest due first. Each is due again after a sixteenth of the time
	// since it changed, two seconds at least and an hour at most. Of any number of
	// parallel calls, each task goes to exactly one. Within ten seconds of its pause a
	// task is due for the first time.
	DueTasks(ctx context.Context, now time.Time, limit int) ([]Waiting, error)

	// LookSoon makes a task due now and returns it, or nil if it is not in auth-required.
	LookSoon(ctx context.Context, handle string, now time.Time) (*Waiting, error)

	// DropTasks forgets tasks that settled before a moment, at most limit, and
	// returns how many: those of agent or, where that is "", of all agents except
	// these.
	DropTasks(ctx context.Context, before time.Time, agent string, except []string, limit int) (int, error)
}
