package push

import (
	"context"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// Hook is a webhook that wants to be told of a task.
type Hook struct {
	Handle  string // of the task
	ID      string // unique among those of the task
	Host    string // whose patience it takes
	Sealed  string // where it is, and what it wants to see
	Created time.Time
}

// Notice is a change of a task that a webhook is to be told of.
type Notice struct {
	Handle  string
	Hook    string
	Version int64 // orders the notices of one webhook
	Host    string
	Sealed  string // of the Hook

	Task     *a2a.Task // as it stood after the change
	Attempts int       // that failed
	Failure  string    // of the last of them
}

// Outbox keeps webhooks, and what they are still to be told. It is filled by
// SaveTask of ledger.Store. Its methods are atomic, and may be called
// concurrently, by several replicas that share one database.
type Outbox interface {
	// AddHook adds h to owner's task, or replaces the one with its ID. A task
	// that is not owner's is ledger.ErrNoTask, one that has most others
	// ErrTooMany.
	AddHook(ctx context.Context, owner string, h Hook, most int) error

	// Hooks returns the webhooks of owner's task, the first added first, or
	// ledger.ErrNoTask.
	Hooks(ctx context.Context, owner, handle string) ([]Hook, error)

	// DropHook forgets a webhook of owner's task and what it was to be told. One
	// that is not there is forgotten already; a task that is not owner's is
	// ledger.ErrNoTask.
	DropHook(ctx context.Context, owner, handle, id string) error

	// ClaimNotices hands the caller at most limit notices that are due, the
	// longest due first, and none for the hosts in except. For each webhook only
	// the oldest can be had. Of any number of parallel calls, each notice goes to
	// exactly one, until l runs out.
	ClaimNotices(ctx context.Context, l ledger.Lease, now time.Time, limit int, except []string) ([]*Notice, error)

	// NoticeTold forgets a notice that replica holds: its webhook knows.
	NoticeTold(ctx context.Context, n *Notice, replica string) error

	// NoticeFailed records why a notice that replica holds was not told, and when
	// to try again: never, if due is zero. One whose task has not settled is
	// forgotten instead if there is a later one.
	NoticeFailed(ctx context.Context, n *Notice, replica, failure string, due time.Time) error

	// NextNotice returns when a notice can be claimed next, and zero if none can.
	NextNotice(ctx context.Context) (time.Time, error)

	// LetGoNotices makes what replica holds due now.
	LetGoNotices(ctx context.Context, replica string, now time.Time) error

	// DeadNotices returns the latest limit notices that nobody tries to tell any
	// more, the latest first.
	DeadNotices(ctx context.Context, limit int) ([]*Notice, error)

	// ReviveNotices makes the dead due again, and returns how many there were.
	ReviveNotices(ctx context.Context, now time.Time) (int, error)

	// DropNotices forgets the dead whose task changed before a moment.
	DropNotices(ctx context.Context, before time.Time) error

	// Noticed is ready after this process has put something into the outbox.
	Noticed() <-chan struct{}
}
