package ledger

import (
	"context"
	"time"
)

// Store keeps tasks. Its methods are the steps in the life of a task. Each is
// atomic, and all may be called concurrently, by several replicas that share one
// database. The same holds for Lists and Leases.
type Store interface {
	// AddTask records a new task, held by replica unless it is idle. An owner with most running
	// tasks of replicas that live gets ErrTooManyTasks. Of any number of calls with the same
	// owner, agent and digest within RepeatsFor, exactly one succeeds; the others get
	// ErrDuplicate and change nothing. In the same step, the task gets e.Files; if another has one of
	// them, the error is an InputError and nothing changes. The same holds for ContinueTask.
	AddTask(ctx context.Context, e *Record, replica string, most int) error

	// ContinueTask resumes e, an idle interrupted task, for the message with messageID, held by
	// replica, and writes e.Revisions, which have the message. Of any number of calls for one pause,
	// exactly one succeeds; the others, and those whose e is of an earlier pause, get ErrTaskBusy.
	// A task of another owner is ErrNoTask.
	ContinueTask(ctx context.Context, e *Record, messageID, replica string, now time.Time) error

	// TaskByDigest returns the handle of the task that owner started or continued with a
	// message of this digest within RepeatsFor, or "".
	TaskByDigest(ctx context.Context, owner, agent, digest string, now time.Time) (string, error)

	// ForgetDigest lets the message of e be sent again, because its agent refused it.
	ForgetDigest(ctx context.Context, e *Record) error

	// SaveTask writes e.Task, e.Failure, e.Idle and e.Updated for the replica that holds the task,
	// or that sent it the message e.MessageID: the sender may have the agent's answer, and takes
	// the task back from a replica that claimed it. It fails with ErrLeaseLost, and writes nothing,
	// for any other replica, for an earlier message, and when the task is idle, unless it failed
	// and the failure is presumed, which the sender may replace. If the sender's clock is behind,
	// e.Updated is moved behind the change that it replaces. In the same step, e.Public() is put
	// into the outbox of each webhook of the task.
	SaveTask(ctx context.Context, e *Record, replica string) error

	// Task returns owner's task, or ErrNoTask.
	Task(ctx context.Context, owner, handle string) (*Record, error)

	// StoredBytes returns how many bytes the tasks of owner have or, if owner is "", those of agent.
	// Tasks up to SmallTask do not count.
	StoredBytes(ctx context.Context, owner, agent string) (int64, error)

	// DropTasks deletes at most limit tasks that became idle before a moment, and
	// returns how many: those of agent or, if agent is "", of all agents except these.
	DropTasks(
		ctx context.Context,
		before time.Time,
		agent string,
		except []string,
		limit int,
	) (int, error)
}

// Lists finds tasks of an owner.
type Lists interface {
	// Summaries returns those of owner's tasks that f chooses, the latest created first.
	Summaries(ctx context.Context, owner string, f Filter) ([]Summary, error)

	// Page returns the first of owner's tasks that f chooses, the latest changed
	// first, without their pasts.
	Page(ctx context.Context, owner string, f PageQuery) (*Page, error)

	// HasContext reports whether owner has a task with agent in a conversation.
	HasContext(ctx context.Context, owner, agent, contextID string) (bool, error)

	// ContextNamed returns the agent's id of a conversation that owner calls by this name, or by
	// that id; "" if owner has none with agent. Where the agent gave several, it is the latest.
	ContextNamed(ctx context.Context, owner, agent, name string) (string, error)

	// TaskNamed returns the handle of the latest task with agent that owner gave
	// this name, or ErrNoTask.
	TaskNamed(ctx context.Context, owner, agent, name string) (string, error)
}

// Leases says which replica follows a task, and which tasks are to be polled. A replica holds its
// tasks as long as it counts heartbeats; no lease depends on a clock.
type Leases interface {
	// Heartbeat records the latest heartbeat of replica, and returns those of all replicas.
	Heartbeat(ctx context.Context, replica string, count int64) (map[string]int64, error)

	// RemoveReplicas removes replicas whose heartbeats have not gone on since these. Their tasks
	// can be claimed from then on. The next heartbeat of a replica adds it again.
	RemoveReplicas(ctx context.Context, last map[string]int64) error

	// ClaimTasks returns at most limit running tasks without a follower, now held by replica:
	// those of replicas that are removed, and its own except followed. Of any number of parallel
	// calls of different replicas, each task goes to exactly one.
	ClaimTasks(ctx context.Context, replica string, followed []string, limit int) ([]*Record, error)

	// ClaimTask does the same with one task.
	ClaimTask(ctx context.Context, handle, replica string, followed []string) ([]*Record, error)

	// DueTasks returns at most limit tasks that are due for a poll, the longest due first: those in
	// auth-required, and those with an answer that the agent has not got, or perhaps not. Each is due
	// again after a sixteenth of the time since it changed, at least two seconds and at most an hour.
	// Of any number of parallel calls, each task goes to exactly one.
	// A task is due for the first time within ten seconds of its pause, or two if the agent has not
	// got the answer.
	DueTasks(ctx context.Context, now time.Time, limit int) ([]DuePoll, error)

	// MakeDue makes a task due now and returns it, or nil if it is none of DueTasks.
	MakeDue(ctx context.Context, handle string, now time.Time) (*DuePoll, error)
}

// DuePoll names a task that is due for a poll.
type DuePoll struct{ Owner, Handle, Agent string }

// Index finds tasks by their words. A task can be found a moment after it became idle.
type Index interface {
	// IndexTasks indexes at most so many idle tasks, fewer if they are large, and
	// reports whether there may be more.
	IndexTasks(ctx context.Context, most int) (more bool, err error)

	// FindTasks returns owner's tasks that contain all words, the latest first. The
	// words are from QueryWords; the last may be the beginning of a word.
	FindTasks(ctx context.Context, owner string, words []string, limit int) ([]Summary, error)
}
