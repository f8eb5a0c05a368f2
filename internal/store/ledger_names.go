package store

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"rialto/bridge"
)

// ContextNamed implements bridge.Ledger.
func (db *DB) ContextNamed(ctx context.Context, owner, agent, name string) (id string, err error) {
	err = db.read.QueryRowContext(ctx, `
		SELECT context_id FROM tasks
		WHERE owner = $1 AND agent = $2 AND context_id <> '' AND (context_id = $3 OR context_name = $3)
		ORDER BY created DESC, handle DESC LIMIT 1`, owner, agent, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// TaskNamed implements bridge.Ledger.
func (db *DB) TaskNamed(ctx context.Context, owner, agent, name string) (handle string, err error) {
	if name == "" {
		return "", bridge.ErrNoTask
	}
	err = db.read.QueryRowContext(ctx, `
		SELECT handle FROM tasks WHERE owner = $1 AND agent = $2 AND name = $3 AND name <> ''
		ORDER BY created DESC, handle DESC LIMIT 1`, owner, agent, name).Scan(&handle)
	if errors.Is(err, sql.ErrNoRows) {
		return "", bridge.ErrNoTask
	}
	return handle, err
}

// pageWhere chooses the tasks of a page, on whichever page they are.
const pageWhere = ` FROM tasks
	WHERE owner = $1 AND ($2 = '' OR agent = $2) AND ($3 = '' OR context_id = $3 OR context_name = $3)
	AND ($4 = '' OR state = $4) AND updated >= $5`

// Page implements bridge.Ledger.
func (db *DB) Page(ctx context.Context, owner string, f bridge.PageFilter) (*bridge.Page, error) {
	choice := []any{owner, f.Agent, f.ContextID, string(f.State), ms(f.Since)}
	p := &bridge.Page{}
	if err := db.read.QueryRowContext(ctx, `SELECT count(*)`+pageWhere, choice...).Scan(&p.Total); err != nil {
		return nil, err
	}
	after := int64(math.MaxInt64)
	if f.After.Handle != "" {
		after = f.After.Created.UnixMilli()
	}
	rows, err := db.read.QueryContext(ctx, `SELECT `+entryColumns+pageWhere+`
		AND (updated, handle) < ($6, $7) ORDER BY updated DESC, handle DESC LIMIT $8`,
		append(choice, after, f.After.Handle, f.Limit+1)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for bytes := 0; rows.Next(); {
		if p.More = len(p.Entries) == f.Limit || bytes > f.MaxBytes; p.More {
			break
		}
		e, size, err := scanSized(rows)
		if err != nil {
			return nil, err
		}
		p.Entries = append(p.Entries, e)
		bytes += size
	}
	return p, rows.Err()
}
