package ledgerdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/store/sqldb"
	"rialto/store/writebehind"
)

var (
	_ ledger.Store  = (*Store)(nil)
	_ ledger.Lists  = (*Store)(nil)
	_ ledger.Leases = (*Store)(nil)
)

// recordColumns are those of a record, and presentColumns those of a record without its
// revisions, which may be larger than the task.
const (
	recordColumns = `handle, owner, client, agent, message_id, name, context_name, task, failure,
		past, settled, created, updated, asked, trace, use_case`
	presentColumns = `handle, owner, client, agent, message_id, name, context_name, task, failure,
		NULL, settled, created, updated, asked, trace, use_case`
)

// AddTask implements ledger.Store. The statement for a task that is idle has no
// condition, so SQLite keeps no copies of the pages that it changes.
func (db *Store) AddTask(ctx context.Context, e *ledger.Record, replica string, most int) error {
	row, err := encodeRecord(e)
	if err != nil {
		return err
	}
	alone := e.Idle && e.Digest == "" && len(e.Files) == 0 // nothing else is written with it
	if alone && db.buffer != nil {
		if err := db.buffer.Add(
			ctx, e.Handle, &endedTask{row, newIndexEntry(e)},
		); err != writebehind.ErrFull {
			return err
		}
	}
	if alone && db.sql.Postgres {
		err = db.inserts.add(ctx, db.sql, row)
	} else {
		err = db.insert(ctx, e, row, replica, most)
	}
	if err == nil {
		db.queue.add(e)
	}
	return err
}

// insert inserts a task with a statement of its own.
func (db *Store) insert(
	ctx context.Context, e *ledger.Record, row *taskRow, replica string, most int,
) error {
	query := addIdle(db.sql, 1)
	args := row.values(nil)
	if !e.Idle {
		query = addRunning
		args = append(args, replica, most)
	}
	return db.deduplicate(ctx, e, e.Updated, func(q sqldb.Querier) error {
		return sqldb.MustChange(ctx, q, ledger.ErrTooManyTasks, query, args...)
	})
}

const addTask = `INSERT INTO tasks (` + rowNames + `, due, settled, holder, sender) `

// addIdle inserts n tasks that are idle.
func addIdle(db *sqldb.DB, n int) string {
	return addTask + `VALUES ` + db.Rows(n, rowColumns, `, 0, 1, '', ''`)
}

var addRunning = addTask + `
	SELECT ` + sqldb.Placeholders(1, rowColumns) + `, 0, 0, $20, $20
	WHERE (
		SELECT count(*) FROM tasks
		WHERE owner = $2 AND settled = 0 AND holder IN (SELECT id FROM replicas)
	) < $21`

// ContinueTask implements ledger.Store. The WHERE clause is the lock: the statement
// leaves the state that lets a message in.
func (db *Store) ContinueTask(
	ctx context.Context, e *ledger.Record, messageID, replica string, now time.Time,
) error {
	if err := db.flush(ctx); err != nil {
		return err
	}
	past, err := encodePast(e)
	if err != nil {
		return err
	}
	err = db.deduplicate(ctx, e, now, func(q sqldb.Querier) error {
		return sqldb.MustChange(ctx, q, ledger.ErrTaskBusy, `
			UPDATE tasks SET
				settled = 0, state = $1, message_id = $2, holder = $3, sender = $3, updated = $4,
				trace = $10, past = $11, polled = 0
			WHERE handle = $5 AND owner = $6 AND settled = 1 AND message_id = $7
			AND state IN ($8, $9)`,
			string(a2a.Working), messageID, replica, now, e.Handle, e.Owner, e.MessageID,
			string(a2a.InputRequired), string(a2a.AuthRequired), e.Trace, past)
	})
	if !errors.Is(err, ledger.ErrTaskBusy) {
		return err
	}

	return db.busyReason(ctx, e, now)
}

// busyReason returns why a task did not take a message: there is no such task, it has the
// message already, or it takes none now.
func (db *Store) busyReason(ctx context.Context, e *ledger.Record, now time.Time) error {
	if _, err := db.Task(ctx, e.Owner, e.Handle); err != nil {
		return err
	}

	handle, err := db.TaskByDigest(ctx, e.Owner, e.Agent, e.Digest, now)
	switch {
	case err != nil:
		return err
	case handle != "":
		return ledger.ErrDuplicate{Handle: handle}
	default:
		return ledger.ErrTaskBusy
	}
}

// SaveTask implements ledger.Store. Most tasks have no webhooks and were not claimed by another
// replica: they are written in one statement, which finds no row of the others.
func (db *Store) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	row, err := encodeRecord(e)
	if err != nil {
		return err
	}

	holder := replica
	known := e.Failure == nil || !e.Failure.Presumed
	if e.Idle {
		holder = ""
	}

	args := []any{
		row.ContextID,
		row.State,
		row.Summary,
		row.Task,
		row.Failure,
		row.Past,
		e.Idle,
		holder,
		e.Updated,
		e.Handle,
		replica,
		e.MessageID,
		e.Idle && known,
		row.Size,
		e.AwaitsPoll(),
		firstPoll(e),
	}
	n, err := sqldb.Changed(ctx, db.sql.Write, saveTask+` AND watched = 0`, args...)
	if err == nil && n == 0 {
		err = db.saveInSteps(ctx, e, replica, args)
	}
	if err == nil {
		db.queue.add(e)
	}

	return err
}

const saveTask = `
	UPDATE tasks SET
		context_id = $1, state = $2, summary = $3, task = $4, failure = $5, past = $6,
		settled = $7, holder = $8, updated = $9, due = $16,
		indexed = 0, size = $14, polled = $15,
		sender = CASE WHEN $13 = 1 THEN '' ELSE sender END
	WHERE handle = $10 AND holder = $11 AND message_id = $12`

// firstPoll returns when the agent of a task is first polled: soon, if it has not got the answer.
func firstPoll(e *ledger.Record) time.Time {
	if e.Undelivered() {
		return e.Updated.Add(2 * time.Second)
	}
	return e.Updated.Add(10 * time.Second)
}

// updatedArg is the number of e.Updated among the arguments of saveTask.
const updatedArg = 8

// saveInSteps writes a task that has webhooks, with the notices for them, or that another
// replica has claimed from the sender of its message.
func (db *Store) saveInSteps(ctx context.Context, e *ledger.Record, replica string, args []any) error {
	var notices int64
	err := db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		n, err := sqldb.Changed(ctx, t, saveTask, args...)
		if err == nil && n == 0 {
			err = reclaim(ctx, t, e, replica)
			if err == nil {
				args[updatedArg] = e.Updated
				err = sqldb.Exec(ctx, t, saveTask, args...)
			}
		}
		if err == nil {
			notices, err = addNotices(ctx, t, e)
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

// reclaim gives a task back to the replica that sent it the message e.MessageID, and moves
// e.Updated behind what another replica wrote meanwhile, whose clock may be ahead.
func reclaim(ctx context.Context, t *sqldb.Tx, e *ledger.Record, replica string) error {
	var updated time.Time
	err := t.QueryRowContext(ctx, `
		UPDATE tasks SET holder = $1 WHERE handle = $2 AND message_id = $3 AND sender = $1
		RETURNING updated`,
		replica, e.Handle, e.MessageID).Scan(&updated)
	if !e.Updated.After(updated) {
		e.Updated = updated.Add(time.Millisecond)
	}
	return sqldb.NoRow(err, ledger.ErrLeaseLost)
}

// Task implements ledger.Store.
func (db *Store) Task(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	if db.buffer != nil {
		if task, ok := db.buffer.Find(handle); ok && task.Row.Owner == owner {
			return task.Row.record(true), nil
		}
	}

	done, err := db.sql.Queue.Acquire(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer done()
	return orNoTask(scanRecord(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+recordColumns+` FROM tasks WHERE handle = $1 AND owner = $2`,
		handle, owner)))
}

func orNoTask(e *ledger.Record, err error) (*ledger.Record, error) {
	return e, sqldb.NoRow(err, ledger.ErrNoTask)
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
	var idle bool
	err := row.Scan(
		&r.Handle,
		&r.Owner,
		&r.Client,
		&r.Agent,
		&r.MessageID,
		&r.Name,
		&r.ContextName,
		&r.Task,
		&r.Failure,
		&r.Past,
		&idle,
		&r.Created,
		&r.Updated,
		&r.Asked,
		&r.Trace,
		&r.UseCase,
	)
	if err != nil {
		return nil, 0, err
	}
	return r.record(idle), len(r.Task.String) + len(r.Past.String), nil
}
