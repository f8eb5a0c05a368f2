package ledgerdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/internal/store/writebehind"

	"rialto/internal/store/sqldb"
)

var (
	_ ledger.Store  = (*Store)(nil)
	_ ledger.Lists  = (*Store)(nil)
	_ ledger.Leases = (*Store)(nil)
)

// entryColumns are those of an entry, and presentColumns those of one without what
// has been of its task, which may be more than the task itself.
const (
	entryColumns   = `handle, owner, client, agent, message_id, name, context_name, task, failure, past, settled, created, updated, asked`
	presentColumns = `handle, owner, client, agent, message_id, name, context_name, task, failure, NULL, settled, created, updated, asked`
)

// AddTask implements ledger.Store. A task that has ended counts for nothing, so
// its statement has no condition: SQLite then keeps no copies of the pages that it
// changes in case it has to undo a part.
func (db *Store) AddTask(ctx context.Context, e *ledger.Record, l ledger.Lease, most int) error {
	row, err := encodeEntry(e)
	if err != nil {
		return err
	}
	if e.Idle && e.Digest == "" && db.ended != nil {
		if err := db.ended.Add(ctx, e.Handle, &endedTask{row, toIndex(e)}); err != writebehind.ErrFull {
			return err
		}
	}
	query, args := addSettled[db.sql.Postgres], row.values(nil)
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
		db.queue.settled(e)
	}
	return err
}

const addTask = `INSERT INTO tasks (` + rowNames + `, settled, holder, lease_until) `

var (
	addSettled = sqldb.ForBoth(func(list sqldb.Parameters) string { return addTask + `VALUES (` + list(1, rowColumns) + `, 1, '', 0)` })
	addRunning = addTask + `SELECT ` + sqldb.Placeholders(1, rowColumns) + `, 0, $17, $18
		WHERE (SELECT count(*) FROM tasks WHERE owner = $2 AND settled = 0 AND lease_until > $12) < $19`
)

// ContinueTask implements ledger.Store. The WHERE clause is the lock: the
// state that lets a message in is left by the statement that lets it in.
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

// whyBusy says why e did not take a message: it is nobody's, it has the message
// already, or it takes none now.
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

// SaveTask implements ledger.Store. A task that no webhook watches, as most
// are, is written in one statement; it finds no row of one that is watched.
func (db *Store) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	row, err := encodeEntry(e)
	if err != nil {
		return err
	}
	args := []any{row.ContextID, row.State, row.Summary, row.Task, row.Failure, row.Past, sqldb.Flag(e.Idle), holder(e, replica), e.Updated.UnixMilli(), e.Handle, replica}
	n, err := sqldb.Changed(ctx, db.sql.Write, saveTask+` AND watched = 0`, args...)
	if err == nil && n == 0 {
		err = db.saveWatched(ctx, e, args)
	}
	if err == nil {
		db.queue.settled(e)
	}
	return err
}

// holder returns who follows a task that replica has written.
func holder(e *ledger.Record, replica string) string {
	if e.Idle {
		return ""
	}
	return replica
}

const saveTask = `
	UPDATE tasks SET context_id = $1, state = $2, summary = $3, task = $4, failure = $5, past = $6, settled = $7, holder = $8, updated = $9, indexed = 0
	WHERE handle = $10 AND holder = $11`

// saveWatched writes a task, and into the outbox what its webhooks are to be
// told, or neither.
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
		default: // whoever tells webhooks is awake already
		}
	}
	return err
}

// Task implements ledger.Store.
func (db *Store) Task(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	if db.ended != nil {
		if task, ok := db.ended.Find(handle); ok && task.Row.Owner == owner {
			return task.Row.entry(true), nil
		}
	}
	e, err := scanEntry(db.sql.Read.QueryRowContext(ctx, `SELECT `+entryColumns+` FROM tasks WHERE handle = $1 AND owner = $2`, handle, owner))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ledger.ErrNoTask
	}
	return e, err
}

// Summaries implements ledger.Lists. The row values compare as the index sorts, so
// that a page deep in a long list costs no more than the first.
func (db *Store) Summaries(ctx context.Context, owner string, f ledger.Filter) (tasks []ledger.Summary, err error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	l := &sqldb.Listing{}
	l.And("t.owner = ?", owner)
	created := listTasks(l, operator.Mark{At: f.After.Created, ID: f.After.Handle}, f.Agent, f.State)
	if !f.Since.IsZero() {
		l.And("t.created >= ?", sqldb.Millis(f.Since))
	}
	query := l.Text(`SELECT `+summaryColumns+` FROM tasks t`, created+` DESC, t.handle DESC`, f.Limit)
	rows, err := db.sql.Read.QueryContext(ctx, query, l.Args...)
	if err != nil {
		return nil, err
	}
	return scanSummaries(rows)
}

func scanSummaries(rows *sql.Rows) (tasks []ledger.Summary, err error) {
	defer rows.Close()
	for rows.Next() {
		var t ledger.Summary
		var created, updated int64
		if err := rows.Scan(&t.TaskID, &t.Agent, &t.ContextID, &t.State, &t.Asked, &t.Message, &created, &updated); err != nil {
			return nil, err
		}
		t.Created, t.Updated = sqldb.Time(created), sqldb.Time(updated)
		tasks = append(tasks, t)
	}
	return tasks, rows.Err()
}

// EndLeases implements ledger.Leases.
func (db *Store) EndLeases(ctx context.Context, replica string, now time.Time) error {
	_, err := db.sql.Write.ExecContext(ctx, `UPDATE tasks SET lease_until = $1 WHERE settled = 0 AND holder <> $2 AND lease_until > $1`, now.UnixMilli(), replica)
	return err
}

// ClaimTasks implements ledger.Leases. The condition stands in the outer WHERE
// as well: of two replicas that chose the same rows, the second finds them
// leased when it gets to write.
func (db *Store) ClaimTasks(ctx context.Context, l ledger.Lease, now time.Time, limit int) (entries []*ledger.Record, err error) {
	rows, err := db.sql.Write.QueryContext(ctx, `
		UPDATE tasks SET holder = $1, lease_until = $2
		WHERE settled = 0 AND lease_until <= $3 AND handle `+db.notHeld(`
			SELECT handle FROM tasks WHERE settled = 0 AND lease_until <= $3 ORDER BY lease_until LIMIT $4`)+`
		RETURNING `+entryColumns, l.Replica, l.Until.UnixMilli(), now.UnixMilli(), limit)
	if err != nil {
		return nil, err
	}
	return scanEntries(rows)
}

// notHeld returns the condition that a column is among those that a query chooses.
// PostgreSQL leaves out what another transaction holds: a row that a replica holds whose
// machine is gone must keep nobody from the others. The array is there to choose once.
func (db *Store) notHeld(choice string) string {
	if db.sql.Postgres {
		return `= ANY (ARRAY(` + choice + ` FOR UPDATE SKIP LOCKED))`
	}
	return `IN (` + choice + `)`
}

// ClaimTask implements ledger.Leases.
func (db *Store) ClaimTask(ctx context.Context, handle string, l ledger.Lease, now time.Time) ([]*ledger.Record, error) {
	rows, err := db.sql.Write.QueryContext(ctx, `
		UPDATE tasks SET holder = $1, lease_until = $2
		WHERE settled = 0 AND lease_until <= $3 AND handle = $4
		RETURNING `+entryColumns, l.Replica, l.Until.UnixMilli(), now.UnixMilli(), handle)
	if err != nil {
		return nil, err
	}
	return scanEntries(rows)
}

// What waits in auth-required nobody follows: lease_until is when it is due.
const waits = `settled = 1 AND state = 'auth-required'`

// DueTasks implements ledger.Leases. The condition stands twice as in ClaimTasks.
func (db *Store) DueTasks(ctx context.Context, now time.Time, limit int) (due []ledger.DuePoll, err error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	rows, err := db.sql.Write.QueryContext(ctx, `
		UPDATE tasks SET lease_until = $1 + CASE WHEN $1 - updated < 32000 THEN 2000 WHEN $1 - updated > 57600000 THEN 3600000 ELSE ($1 - updated) / 16 END
		WHERE `+waits+` AND lease_until <= $1 AND handle `+db.notHeld(`SELECT handle FROM tasks WHERE `+waits+` AND lease_until <= $1 ORDER BY lease_until LIMIT $2`)+`
		RETURNING owner, handle, agent`, now.UnixMilli(), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var w ledger.DuePoll
		if err := rows.Scan(&w.Owner, &w.Handle, &w.Agent); err != nil {
			return nil, err
		}
		due = append(due, w)
	}
	return due, rows.Err()
}

// MakeDue implements ledger.Leases.
func (db *Store) MakeDue(ctx context.Context, handle string, now time.Time) (*ledger.DuePoll, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	w := ledger.DuePoll{Handle: handle}
	err := db.sql.Write.QueryRowContext(ctx, `UPDATE tasks SET lease_until = $1 WHERE handle = $2 AND `+waits+` RETURNING owner, agent`, now.UnixMilli(), handle).Scan(&w.Owner, &w.Agent)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &w, nil
}

func scanEntries(rows *sql.Rows) (entries []*ledger.Record, err error) {
	defer rows.Close()
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

func encodeJSON(v any) (sql.NullString, error) {
	b, err := json.Marshal(v)
	return sql.NullString{String: string(b), Valid: true}, err
}

func scanEntry(row sqldb.Row) (*ledger.Record, error) {
	e, _, err := scanSized(row)
	return e, err
}

// scanSized returns an entry and how many bytes its task has in the store, with
// its past if that is read.
func scanSized(row sqldb.Row) (*ledger.Record, int, error) {
	var r taskRow
	var settled int64
	err := row.Scan(&r.Handle, &r.Owner, &r.Client, &r.Agent, &r.MessageID, &r.Name, &r.ContextName, &r.Task, &r.Failure, &r.Past, &settled, &r.Created, &r.Updated, &r.Asked)
	if err != nil {
		return nil, 0, err
	}
	return r.entry(settled == 1), len(r.Task.String) + len(r.Past.String), nil
}

func decodeJSON(from sql.NullString, into any) error {
	if !from.Valid {
		return nil
	}
	return json.Unmarshal([]byte(from.String), into)
}
