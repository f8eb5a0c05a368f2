package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"rialto/a2a"
	"rialto/bridge"
)

var _ bridge.Ledger = (*DB)(nil)

const entryColumns = `handle, owner, client, agent, message_id, task, failure, settled, created, updated`

// AddTask implements bridge.Ledger.
func (db *DB) AddTask(ctx context.Context, e *bridge.Entry, l bridge.Lease) error {
	task, failure, err := encodeEntry(e)
	if err != nil {
		return err
	}
	_, err = db.write.ExecContext(ctx, `
		INSERT INTO tasks (handle, owner, client, agent, message_id, context_id, state, task, failure, settled, holder, lease_until, created, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $12, $13)`,
		e.Handle, e.Owner, e.Client, e.Agent, e.MessageID, e.ContextID(), e.State(), task, failure,
		l.Replica, l.Until.UnixMilli(), e.Created.UnixMilli(), e.Updated.UnixMilli())
	return err
}

// ContinueTask implements bridge.Ledger. The WHERE clause is the lock: the
// state that lets a message in is left by the statement that lets it in.
func (db *DB) ContinueTask(ctx context.Context, owner, handle, messageID string, l bridge.Lease, now time.Time) error {
	done, err := db.write.ExecContext(ctx, `
		UPDATE tasks SET settled = 0, state = $1, message_id = $2, holder = $3, lease_until = $4, updated = $5
		WHERE handle = $6 AND owner = $7 AND settled = 1 AND state IN ($8, $9)`,
		a2a.Working, messageID, l.Replica, l.Until.UnixMilli(), now.UnixMilli(), handle, owner, a2a.InputRequired, a2a.AuthRequired)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); n == 1 || err != nil {
		return err
	}
	if _, err := db.Task(ctx, owner, handle); err != nil {
		return err
	}
	return bridge.ErrTaskBusy
}

// SaveTask implements bridge.Ledger.
func (db *DB) SaveTask(ctx context.Context, e *bridge.Entry, replica string) error {
	task, failure, err := encodeEntry(e)
	if err != nil {
		return err
	}
	settled, holder := 0, replica
	if e.Settled {
		settled, holder = 1, ""
	}
	done, err := db.write.ExecContext(ctx, `
		UPDATE tasks SET context_id = $1, state = $2, task = $3, failure = $4, settled = $5, holder = $6, updated = $7
		WHERE handle = $8 AND holder = $9`,
		e.ContextID(), e.State(), task, failure, settled, holder, e.Updated.UnixMilli(), e.Handle, replica)
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err == nil && n == 0 {
		return bridge.ErrLeaseLost
	}
	return err
}

// Task implements bridge.Ledger.
func (db *DB) Task(ctx context.Context, owner, handle string) (*bridge.Entry, error) {
	row := db.read.QueryRowContext(ctx, `SELECT `+entryColumns+` FROM tasks WHERE handle = $1 AND owner = $2`, handle, owner)
	e, err := scanEntry(row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, bridge.ErrNoTask
	}
	return e, err
}

// Tasks implements bridge.Ledger. The row values compare as the index sorts, so
// that a page deep in a long list costs no more than the first.
func (db *DB) Tasks(ctx context.Context, owner string, f bridge.TaskFilter) (entries []*bridge.Entry, err error) {
	after := int64(math.MaxInt64)
	if f.After.Handle != "" {
		after = f.After.Created.UnixMilli()
	}
	since := int64(0)
	if !f.Since.IsZero() {
		since = f.Since.UnixMilli()
	}
	rows, err := db.read.QueryContext(ctx, `
		SELECT `+entryColumns+` FROM tasks
		WHERE owner = $1 AND (created, handle) < ($2, $3) AND created >= $4
		AND ($5 = '' OR agent = $5) AND ($6 = '' OR state = $6)
		ORDER BY created DESC, handle DESC LIMIT $7`,
		owner, after, f.After.Handle, since, f.Agent, string(f.State), f.Limit)
	if err != nil {
		return nil, err
	}
	return scanEntries(rows)
}

// HasContext implements bridge.Ledger.
func (db *DB) HasContext(ctx context.Context, owner, agent, contextID string) (bool, error) {
	var has bool
	err := db.read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM tasks WHERE owner = $1 AND agent = $2 AND context_id = $3)`,
		owner, agent, contextID).Scan(&has)
	return has, err
}

// RenewLeases implements bridge.Ledger.
func (db *DB) RenewLeases(ctx context.Context, l bridge.Lease) error {
	_, err := db.write.ExecContext(ctx, `UPDATE tasks SET lease_until = $1 WHERE settled = 0 AND holder = $2`, l.Until.UnixMilli(), l.Replica)
	return err
}

// ClaimTasks implements bridge.Ledger. The condition stands in the outer WHERE
// as well: of two replicas that chose the same rows, the second finds them
// leased when it gets to write.
func (db *DB) ClaimTasks(ctx context.Context, l bridge.Lease, now time.Time, limit int) (entries []*bridge.Entry, err error) {
	rows, err := db.write.QueryContext(ctx, `
		UPDATE tasks SET holder = $1, lease_until = $2
		WHERE settled = 0 AND lease_until <= $3 AND handle IN (
			SELECT handle FROM tasks WHERE settled = 0 AND lease_until <= $3 ORDER BY lease_until LIMIT $4)
		RETURNING `+entryColumns, l.Replica, l.Until.UnixMilli(), now.UnixMilli(), limit)
	if err != nil {
		return nil, err
	}
	return scanEntries(rows)
}

func scanEntries(rows *sql.Rows) (entries []*bridge.Entry, err error) {
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

func encodeEntry(e *bridge.Entry) (task, failure sql.NullString, err error) {
	if e.Task != nil {
		if task, err = encodeJSON(e.Task); err != nil {
			return task, failure, fmt.Errorf("encoding task %s: %w", e.Handle, err)
		}
	}
	if e.Failure != nil {
		failure, err = encodeJSON(e.Failure)
	}
	return task, failure, err
}

func encodeJSON(v any) (sql.NullString, error) {
	b, err := json.Marshal(v)
	return sql.NullString{String: string(b), Valid: true}, err
}

func scanEntry(row interface{ Scan(...any) error }) (*bridge.Entry, error) {
	var e bridge.Entry
	var task, failure sql.NullString
	var settled, created, updated int64
	err := row.Scan(&e.Handle, &e.Owner, &e.Client, &e.Agent, &e.MessageID, &task, &failure, &settled, &created, &updated)
	if err != nil {
		return nil, err
	}
	e.Settled, e.Created, e.Updated = settled == 1, time.UnixMilli(created), time.UnixMilli(updated)
	if task.Valid {
		if err := json.Unmarshal([]byte(task.String), &e.Task); err != nil {
			return nil, fmt.Errorf("decoding task %s: %w", e.Handle, err)
		}
	}
	if failure.Valid {
		if err := json.Unmarshal([]byte(failure.String), &e.Failure); err != nil {
			return nil, fmt.Errorf("decoding the failure of task %s: %w", e.Handle, err)
		}
	}
	return &e, nil
}
