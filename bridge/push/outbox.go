package push

import (
	"context"
	"time"

	"rialto/a2a"
)

// Webhook is a webhook that is notified of the changes of a task.
type Webhook struct {
	Handle  string // of the task
	ID      string // unique among those of the task
	Host    string // of its address
	Sealed  string // the whole config, encrypted
	Created time.Time
}

// Notice is a change of a task that a webhook is to be notified of.
type Notice struct {
	Handle  string
	Hook    string // the ID of the Webhook
	Version int64  // orders the notices of one webhook
	Host    string
	Sealed  string // of the Webhook

	Task     *a2a.Task // after the change
	Attempts int       // that failed
	Failure  string    // of the last attempt
}

// Outbox stores webhooks and the notices that are not delivered yet. The store adds
// notices in the transaction that writes a task. Its methods are atomic, and may be
// called concurrently, by several replicas that share one database.
type Outbox interface {
	// AddHook adds h to owner's task, or replaces the webhook with its ID. It returns
	// ledger.ErrNoTask for a task that is not owner's, and ErrTooMany for one that has most others.
	AddHook(ctx context.Context, owner string, h Webhook, most int) error

	// Hooks returns the webhooks of owner's task, the first added first, or ledger.ErrNoTask.
	Hooks(ctx context.Context, owner, handle string) ([]Webhook, error)

	// DropHook deletes a webhook of owner's task with its notices, if it exists. It
	// returns ledger.ErrNoTask for a task that is not owner's.
	DropHook(ctx context.Context, owner, handle, id string) error

	// ClaimNotices leases to replica at most limit notices that are due, the longest due first, and
	// none for the hosts in except. Only the oldest notice of each webhook can be claimed. Of any
	// number of parallel calls, each notice goes to exactly one, until a moment by the clock of
	// replica; other replicas do not claim it as long as ledger.Leases counts replica's heartbeats.
	ClaimNotices(
		ctx context.Context,
		replica string,
		now, until time.Time,
		limit int,
		except []string,
	) ([]*Notice, error)

	// NoticeDelivered deletes a notice that replica has claimed.
	NoticeDelivered(ctx context.Context, n *Notice, replica string) error

	// NoticeFailed records why a notice that replica has claimed was not delivered,
	// and when to try again: never, if due is zero. It deletes the notice instead if
	// the task has not settled and there is a later notice.
	NoticeFailed(ctx context.Context, n *Notice, replica, failure string, due time.Time) error

	// NextNotice returns when a notice can be claimed next, and zero if none can.
	NextNotice(ctx context.Context) (time.Time, error)

	// ReleaseNotices makes the notices that replica has claimed due now.
	ReleaseNotices(ctx context.Context, replica string, now time.Time) error

	// DeadNotices returns at most limit notices that are not tried any more, the latest first.
	DeadNotices(ctx context.Context, limit int) ([]*Notice, error)

	// RetryDeadNotices makes the dead notices due again, and returns how many there were.
	RetryDeadNotices(ctx context.Context, now time.Time) (int, error)

	// DropDeadNotices deletes the dead notices whose task changed before a time.
	DropDeadNotices(ctx context.Context, before time.Time) error

	// NoticesAdded is ready after this process has added a notice.
	NoticesAdded() <-chan struct{}
}
