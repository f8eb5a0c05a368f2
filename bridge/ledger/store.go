package ledger

import (
	"context"
	"time"
)

// Lease is a replica's claim to follow tasks until a moment.
type Lease struct {
	Replica string
	Until   time.Time
}

// Store keeps tasks. Its methods are the steps in the life of a task. Each is
// atomic, and all may be called concurrently, by several replicas that share one
// database. The same holds for Lists and Leases.
type Store interface {
	// AddTask records a new task, followed under l unless it has settled. An owner
	// who has most tasks unsettled already, under leases that have not run out by
	// e.Updated, gets ErrTooManyTasks for another. Of any number of calls with one owner, agent and digest, exactly one succeeds; the
	// others get SentBefore, and change nothing, for as long as RepeatsFor. The
	// same goes for ContinueTask.
	AddTask(ctx context.Context, e *Record, l Lease, most int) error

	// ContinueTask opens e, a settled, interrupted task, for the message named
	// messageID and follows it under l. Of any number of calls for one pause,
	// exactly one succeeds; the others, and those whose e is of an earlier
	// pause, get ErrTaskBusy. A task that is not e.Owner's is ErrNoTask.
	ContinueTask(ctx context.Context, e *Record, messageID string, l Lease, now time.Time) error

	// SentTask returns the handle of the task that owner's message to an agent has
	// started or continued, told by its digest, or "" if there is none, or it was
	// sent longer ago than RepeatsFor.
	SentTask(ctx context.Context, owner, agent, digest string, now time.Time) (string, error)

	// ForgetSent lets the message of e be sent again: its agent has refused it.
	ForgetSent(ctx context.Context, e *Record) error

	// SaveTask writes e.Task, e.Failure, e.Settled and e.Updated. It fails
	// with ErrLeaseLost, and writes nothing, when replica no longer follows
	// the task. A settled task is followed by nobody. In the same step, what
	// e.Shown() returns is put into the outbox for each webhook of the task.
	SaveTask(ctx context.Context, e *Record, replica string) error

	// Task returns owner's task, or ErrNoTask.
	Task(ctx context.Context, owner, handle string) (*Record, error)

	// DropTasks forgets tasks that settled before a moment, at most limit, and
	// returns how many: those of agent or, where that is "", of all agents except
	// these.
	DropTasks(ctx context.Context, before time.Time, agent string, except []string, limit int) (int, error)
}

// Lists finds tasks of an owner.
type Lists interface {
	// Summaries returns those of owner's tasks that f chooses, the latest created
	// first.
	Summaries(ctx context.Context, owner string, f Filter) ([]Summary, error)

	// Page returns the first of owner's tasks that f chooses, the latest changed
	// first, without their pasts.
	Page(ctx context.Context, owner string, f PageQuery) (*Page, error)

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
}

// Leases says which replica follows a task, and which tasks are to be polled.
type Leases interface {
	// RenewLeases extends the claims of l.Replica on the tasks to l.Until.
	// What it does not name runs out, and is taken up again.
	RenewLeases(ctx context.Context, l Lease, handles []string) error

	// EndLeases has the leases of all replicas but one run out now: of the others
	// none lives.
	EndLeases(ctx context.Context, replica string, now time.Time) error

	// ClaimTasks hands the caller at most limit unsettled tasks whose lease
	// has run out, the longest abandoned first, now followed under l. Of any
	// number of parallel calls, each task goes to exactly one.
	ClaimTasks(ctx context.Context, l Lease, now time.Time, limit int) ([]*Record, error)

	// ClaimTask does so with one task, if it is such a one.
	ClaimTask(ctx context.Context, handle string, l Lease, now time.Time) ([]*Record, error)

	// DueTasks hands the caller at most limit tasks in auth-required that are due to be
	// looked at, the longest due first. Each is due again after a sixteenth of the time
	// since it changed, two seconds at least and an hour at most. Of any number of
	// parallel calls, each task goes to exactly one. Within ten seconds of its pause a
	// task is due for the first time.
	DueTasks(ctx context.Context, now time.Time, limit int) ([]DuePoll, error)

	// MakeDue makes a task due now and returns it, or nil if it is not in auth-required.
	MakeDue(ctx context.Context, handle string, now time.Time) (*DuePoll, error)
}

// DuePoll names a task in auth-required.
type DuePoll struct{ Owner, Handle, Agent string }

// Index finds tasks by what they hold. It runs behind the ledger: a task can
// be found a moment after it has settled.
type Index interface {
	// IndexTasks makes at most so many settled tasks findable, fewer where they are
	// large, and reports whether there may be more of them.
	IndexTasks(ctx context.Context, most int) (more bool, err error)

	// FindTasks returns owner's tasks that hold all of the words, the latest
	// first. The words are as Words makes them; the last may be the beginning
	// of one.
	FindTasks(ctx context.Context, owner string, words []string, limit int) ([]Summary, error)
}
