package ledgerdb

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/push"
	"rialto/store/sqldb"
)

// Outbox implements push.Outbox: the webhooks of tasks, and the notices that wait for them.
type Outbox struct{ tasks *Store }

var _ push.Outbox = Outbox{}

// Outbox returns the webhooks of the tasks in the store.
func (db *Store) Outbox() Outbox { return Outbox{db} }

// AddHook implements push.Outbox. SaveTask adds notices for the task from then on.
func (o Outbox) AddHook(ctx context.Context, owner string, h push.Webhook, most int) error {
	if err := o.tasks.flush(ctx); err != nil {
		return err
	}
	return o.tasks.sql.InTx(ctx, func(t *sqldb.Tx) error {
		err := sqldb.MustChange(ctx, t, ledger.ErrNoTask, `
			UPDATE tasks SET watched = 1 WHERE handle = $1 AND owner = $2`,
			h.Handle, owner)
		if err != nil {
			return err
		}
		return sqldb.MustChange(ctx, t, push.ErrTooMany, `
			INSERT INTO webhooks (handle, id, host, config, created)
			SELECT $1, $2, $3, $4, $5
			WHERE (SELECT count(*) FROM webhooks WHERE handle = $1 AND id <> $2) < $6
			ON CONFLICT (handle, id) DO UPDATE SET host = excluded.host, config = excluded.config`,
			h.Handle, h.ID, h.Host, h.Sealed, h.Created, most)
	})
}

// Hooks implements push.Outbox.
func (o Outbox) Hooks(ctx context.Context, owner, handle string) ([]push.Webhook, error) {
	if err := o.checkOwner(ctx, owner, handle); err != nil {
		return nil, err
	}

	scan := func(r sqldb.Row) (push.Webhook, error) {
		h := push.Webhook{Handle: handle}
		err := r.Scan(&h.ID, &h.Host, &h.Sealed, &h.Created)
		return h, err
	}
	return sqldb.Select(ctx, o.tasks.sql.Read, scan, `
		SELECT id, host, config, created FROM webhooks WHERE handle = $1 ORDER BY created, id`,
		handle)
}

// DropHook implements push.Outbox. The notices go with their webhook.
func (o Outbox) DropHook(ctx context.Context, owner, handle, id string) error {
	if err := o.checkOwner(ctx, owner, handle); err != nil {
		return err
	}
	return sqldb.Exec(ctx, o.tasks.sql.Write, `
		DELETE FROM webhooks WHERE handle = $1 AND id = $2`,
		handle, id)
}

func (o Outbox) checkOwner(ctx context.Context, owner, handle string) error {
	if err := o.tasks.flush(ctx); err != nil {
		return err
	}
	var one int
	err := o.tasks.sql.Read.QueryRowContext(ctx, `
		SELECT 1 FROM tasks WHERE handle = $1 AND owner = $2`,
		handle, owner).Scan(&one)
	return sqldb.NoRow(err, ledger.ErrNoTask)
}

// addNotices adds a notice of a changed task to the outbox for each of its webhooks. It is
// part of the transaction that writes the task. A report of progress that was not sent is
// replaced by the next, so a webhook that does not answer does not make the outbox grow.
func addNotices(ctx context.Context, t *sqldb.Tx, e *ledger.Record) (int64, error) {
	task, err := json.Marshal(e.Public())
	if err != nil {
		return 0, fmt.Errorf("encoding task %s for its webhooks: %w", e.Handle, err)
	}

	_, err = t.ExecContext(ctx, `
		DELETE FROM notices WHERE handle = $1 AND settled = 0 AND holder = '' AND dead = 0`,
		e.Handle)
	if err != nil {
		return 0, err
	}

	return sqldb.Changed(ctx, t, `
		INSERT INTO notices (handle, webhook, version, settled, task, host, due)
		SELECT handle, id, $2, $3, $4, host, $2 FROM webhooks WHERE handle = $1`,
		e.Handle, e.Updated, e.Idle, string(task))
}

// oldestNotices chooses the notices that are the oldest of their webhook.
const oldestNotices = ` FROM notices n WHERE n.dead = 0 AND NOT EXISTS (
	SELECT 1 FROM notices o
	WHERE o.handle = n.handle AND o.webhook = n.webhook AND o.dead = 0 AND o.version < n.version)`

// maxExcept is how many hosts a claim can leave out.
const maxExcept = 4

// ClaimNotices implements push.Outbox. The moment that they are due stands in
// the outer WHERE as well, as in ClaimTasks.
func (o Outbox) ClaimNotices(
	ctx context.Context,
	replica string,
	now, until time.Time,
	limit int,
	except []string,
) ([]*push.Notice, error) {
	args := []any{replica, until, now, limit}
	hosts := make([]string, maxExcept)
	copy(hosts, except)
	for _, host := range hosts {
		args = append(args, host)
	}

	claim := claimNotices[o.tasks.sql.Postgres]
	return sqldb.Select(ctx, o.tasks.sql.Write, scanNotice, claim, args...)
}

// claimNotices leaves out rows that another transaction locks on PostgreSQL, whose text is
// under true, as InUnlocked does. The WITH makes PostgreSQL choose once.
var claimNotices = map[bool]string{
	false: claimingNotices + `(` + dueNotices + `) RETURNING ` + noticeColumns,
	true: `WITH chosen AS MATERIALIZED (` + dueNotices + ` FOR UPDATE OF n SKIP LOCKED) ` +
		claimingNotices + `(SELECT handle, webhook, version FROM chosen) RETURNING ` + noticeColumns,
}

// unleased chooses the notices that no other replica holds that lives. Its lease ends by its own
// clock, and ours may be ahead.
const unleased = `(holder IN ('', $1) OR holder NOT IN (SELECT id FROM replicas))`

var dueNotices = `
	SELECT n.handle, n.webhook, n.version` + oldestNotices + `
	AND n.due <= $3 AND ` + unleased + `
	AND n.host NOT IN (` + sqldb.Placeholders(5, maxExcept) + `)
	ORDER BY n.due LIMIT $4`

const claimingNotices = `
	UPDATE notices SET holder = $1, due = $2 WHERE dead = 0 AND due <= $3 AND ` + unleased + `
	AND (handle, webhook, version) IN `

const noticeColumns = `handle, webhook, version, host, task, attempts, failure,
	(SELECT config FROM webhooks h WHERE h.handle = notices.handle AND h.id = notices.webhook)`

func scanNotice(r sqldb.Row) (*push.Notice, error) {
	var n push.Notice
	var task []byte
	err := r.Scan(
		&n.Handle,
		&n.Hook,
		&n.Version,
		&n.Host,
		&task,
		&n.Attempts,
		&n.Failure,
		&n.Sealed,
	)
	if json.Unmarshal(task, &n.Task) != nil {
		// One damaged row must not hold up the others: its webhook gets the ID.
		n.Task = &a2a.Task{ID: a2a.TaskID(n.Handle), Status: a2a.Status{State: a2a.Unknown}}
	}

	return &n, err
}

// NoticeDelivered implements push.Outbox.
func (o Outbox) NoticeDelivered(ctx context.Context, n *push.Notice, replica string) error {
	return sqldb.Exec(ctx, o.tasks.sql.Write, `
		DELETE FROM notices WHERE handle = $1 AND webhook = $2 AND version = $3 AND holder = $4`,
		n.Handle, n.Hook, n.Version, replica)
}

// NoticeFailed implements push.Outbox.
func (o Outbox) NoticeFailed(
	ctx context.Context,
	n *push.Notice,
	replica, failure string,
	due time.Time,
) error {
	return o.tasks.sql.InTx(ctx, func(t *sqldb.Tx) error {
		gone, err := sqldb.Changed(ctx, t, `
			DELETE FROM notices
			WHERE handle = $1 AND webhook = $2 AND version = $3 AND holder = $4 AND settled = 0
			AND EXISTS (
				SELECT 1 FROM notices o WHERE o.handle = $1 AND o.webhook = $2 AND o.version > $3)`,
			n.Handle, n.Hook, n.Version, replica)
		if err != nil || gone > 0 {
			return err
		}
		return sqldb.Exec(ctx, t, `
			UPDATE notices
			SET holder = '', due = $5, attempts = attempts + 1, failure = $6, dead = $7
			WHERE handle = $1 AND webhook = $2 AND version = $3 AND holder = $4`,
			n.Handle, n.Hook, n.Version, replica, due, failure, due.IsZero())
	})
}

// NextNotice implements push.Outbox.
func (o Outbox) NextNotice(ctx context.Context) (time.Time, error) {
	var due time.Time
	err := o.tasks.sql.Read.QueryRowContext(ctx, `
		SELECT n.due`+oldestNotices+` ORDER BY n.due LIMIT 1`).Scan(&due)
	return due, sqldb.NoRow(err, nil)
}

// ReleaseNotices implements push.Outbox.
func (o Outbox) ReleaseNotices(ctx context.Context, replica string, now time.Time) error {
	return sqldb.Exec(ctx, o.tasks.sql.Write, `
		UPDATE notices SET holder = '', due = $1 WHERE dead = 0 AND holder = $2`,
		now, replica)
}

// DeadNotices implements push.Outbox.
func (o Outbox) DeadNotices(ctx context.Context, limit int) ([]*push.Notice, error) {
	return sqldb.Select(ctx, o.tasks.sql.Read, scanNotice, `
		SELECT `+noticeColumns+` FROM notices WHERE dead = 1 ORDER BY version DESC LIMIT $1`,
		limit)
}

// CountNotices returns how many notices wait to be delivered, and how many are dead.
func (o Outbox) CountNotices(ctx context.Context) (pending, dead int64, err error) {
	err = o.tasks.sql.Read.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM notices WHERE dead = 0),
			(SELECT count(*) FROM notices WHERE dead = 1)`).Scan(&pending, &dead)
	return pending, dead, err
}

// RetryDeadNotices implements push.Outbox.
func (o Outbox) RetryDeadNotices(ctx context.Context, now time.Time) (int, error) {
	n, err := sqldb.Changed(ctx, o.tasks.sql.Write, `
		UPDATE notices SET dead = 0, attempts = 0, due = $1 WHERE dead = 1`,
		now)
	return int(n), err
}

// DropDeadNotices implements push.Outbox.
func (o Outbox) DropDeadNotices(ctx context.Context, before time.Time) error {
	return sqldb.Exec(ctx, o.tasks.sql.Write, `
		DELETE FROM notices WHERE dead = 1 AND version < $1`,
		before)
}

// NoticesAdded implements push.Outbox.
func (o Outbox) NoticesAdded() <-chan struct{} { return o.tasks.noticed }
