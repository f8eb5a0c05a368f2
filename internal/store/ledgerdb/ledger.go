package ledgerdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/store/sqldb"
	"rialto/internal/store/writebehind"
)

var (
	_ ledger.Store  = (*Store)(nil)
	_ ledger.Lists  = (*Store)(nil)
	_ ledger.Leases = (*Store)(nil)
)

// recordColumns are those of a record, and presentColumns those of a record without its
// revisions, which may be larger than the task.
const (
	recordColumns  = `handle, owner, client, agent, message_id, name, context_name, task, failure, past, settled, created, updated, asked`
	presentColumns = `handle, owner, client, agent, message_id, name, context_name, task, failure, NULL, settled, created, updated, asked`
)

// AddTask implements ledger.Store. The statement for a task that is idle has no
// condition, so SQLite keeps no copies of the pages that it changes.
func (db *Store) AddTask(ctx context.Context, e *ledger.Record, l ledger.Lease, most int) error {
	row, err := encodeRecord(e)
	if err != nil {
		return err
	}
	if e.Idle && e.Digest == "" && db.ended != nil {
		if err := db.ended.Add(ctx, e.Handle, &endedTask{row, toIndex(e)}); err != writebehind.ErrFull {
			return err
		}
	}
	query, args := addIdle[db.sql.Postgres], row.values(nil)
	if !e.Idle {
		query, args = addRunning, append(args, l.Replica, l.Until.UnixMilli(), most)
	}
	err = db.once(ctx, e, e.Updated, func(q sqldb.Querier) error {
		n, err := sqldb.Changed(ctx, q, query, args...)
		if err == nil && n == 0 {
			return ledger.ErrTooManyTasks
		}
		return err
	})
	if err == nil {
		db.queue.add(e)
	}
	return err
}

const addTask = `INSERT INTO tasks (` + rowNames + `, settled, holder, lease_until) `

var (
	addIdle    = sqldb.ForBoth(func(list sqldb.Parameters) string { return addTask + `VALUES (` + list(1, rowColumns) + `, 1, '', 0)` })
	addRunning = addTask + `SELECT ` + sqldb.Placeholders(1, rowColumns) + `, 0, $17, $18
		WHERE (SELECT count(*) FROM tasks WHERE owner = $2 AND settled = 0 AND lease_until > $12) < $19`
)

// ContinueTask implements ledger.Store. The WHERE clause is the lock: the statement
// leaves the state that lets a message in.
func (db *Store) ContinueTask(ctx context.Context, e *ledger.Record, messageID string, l ledger.Lease, now time.Time) error {
	if err := db.flush(ctx); err != nil {
		return err
	}
	err := db.once(ctx, e, now, func(q sqldb.Querier) error {
		n, err := sqldb.Changed(ctx, q, `
			UPDATE tasks SET settled = 0, state = $1, message_id = $2, holder = $3, lease_until = $4, updated = $5
			WHERE handle = $6 AND owner = $7 AND settled = 1 AND message_id = $8 AND state IN ($9, $10)`,
			string(a2a.Working), messageID, l.Replica, l.Until.UnixMilli(), now.UnixMilli(),
			e.Handle, e.Owner, e.MessageID, string(a2a.InputRequired), string(a2a.AuthRequired))
		if err == nil && n == 0 {
			return ledger.ErrTaskBusy
		}
		return err
	})
	if !errors.Is(err, ledger.ErrTaskBusy) {
		return err
	}
	return db.whyBusy(ctx, e, now)
}

// whyBusy returns why a task did not take a message: there is no such task, it has the
// message already, or it takes none now.
func (db *Store) whyBusy(ctx context.Context, e *ledger.Record, now time.Time) error {
	if _, err := db.Task(ctx, e.Owner, e.Handle); err != nil {
		return err
	}
	handle, err := db.SentTask(ctx, e.Owner, e.Agent, e.Digest, now)
	switch {
	case err != nil:
		return err
	case handle != "":
		return ledger.ErrDuplicate{Handle: handle}
	default:
		return ledger.ErrTaskBusy
	}
}

// SaveTask implements ledger.Store. Most tasks have no webhooks and are written in one
// statement; it finds no row of a task that has some.
func (db *Store) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	row, err := encodeRecord(e)
	if err != nil {
		return err
	}
	holder := replica
	if e.Idle {
		holder = ""
	}
	args := []any{row.ContextID, row.State, row.Summary, row.Task, row.Failure, row.Past, sqldb.Flag(e.Idle), holder, e.Updated.UnixMilli(), e.Handle, replica}
	n, err := sqldb.Changed(ctx, db.sql.Write, saveTask+` AND watched = 0`, args...)
	if err == nil && n == 0 {
		err = db.saveWatched(ctx, e, args)
	}
	if err == nil {
		db.queue.add(e)
	}
	return err
}

const saveTask = `
	UPDATE tasks SET context_id = $1, state = $2, summary = $3, task = $4, failure = $5, past = $6, settled = $7, holder = $8, updated = $9, indexed = 0
	WHERE handle = $10 AND holder = $11`

// saveWatched writes a task and the notices for its webhooks, or neither.
func (db *Store) saveWatched(ctx context.Context, e *ledger.Record, args []any) error {
	var notices int64
	err := db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		n, err := sqldb.Changed(ctx, t, saveTask, args...)
		if err == nil && n == 0 {
			return ledger.ErrLeaseLost
		}
		if err == nil {
			notices, err = notice(ctx, t, e)
		}
		return err
	})
	if err == nil && notices > 0 {
		select {
		case db.noticed <- struct{}{}:
		default: // the channel is ready already
		}
	}
	return err
}

// Task implements ledger.Store.
func (db *Store) Task(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	if db.ended != nil {
		if task, ok := db.ended.Find(handle); ok && task.Row.Owner == owner {
			return task.Row.record(true), nil
		}
	}
	return taskFound(scanRecord(db.sql.Read.QueryRowContext(ctx, `SELECT `+recordColumns+` FROM tasks WHERE handle = $1 AND owner = $2`, handle, owner)))
}

func taskFound(e *ledger.Record, err error) (*ledger.Record, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ledger.ErrNoTask
	}
	return e, err
}

func encodeJSON(v any) (sql.NullString, error) {
	b, err := json.Marshal(v)
	return sql.NullString{String: string(b), Valid: true}, err
}

func decodeJSON(from sql.NullString, into any) error {
	if !from.Valid {
		return nil
	}
	return json.Unmarshal([]byte(from.String), into)
}

func scanRecord(row sqldb.Row) (*ledger.Record, error) {
	e, _, err := scanSized(row)
	return e, err
}

// scanSized returns a record and the bytes of its task in the store, with its revisions
// if they are read.
func scanSized(row sqldb.Row) (*ledger.Record, int, error) {
	var r taskRow
	var settled int64
	err := row.Scan(&r.Handle, &r.Owner, &r.Client, &r.Agent, &r.MessageID, &r.Name, &r.ContextName, &r.Task, &r.Failure, &r.Past, &settled, &r.Created, &r.Updated, &r.Asked)
	if err != nil {
		return nil, 0, err
	}
	return r.record(settled == 1), len(r.Task.String) + len(r.Past.String), nil
}
