package ledgerdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"rialto/store/sqldb"
)

// DropTasks implements ledger.Store. It finds the tasks before it begins to write, so
// that others write meanwhile, and agent by agent: there may be a million tasks of
// another that are as old and kept for longer.
func (db *Store) DropTasks(
	ctx context.Context,
	before time.Time,
	agent string,
	except []string,
	limit int,
) (n int, err error) {
	if err := db.flush(ctx); err != nil {
		return 0, err
	}

	agents := []string{agent}
	if agent == "" {
		agents, err = agentsOfTasks(ctx, db.sql)
		if err != nil {
			return 0, err
		}
	}

	var old []string
	for _, name := range agents {
		if slices.Contains(except, name) || len(old) >= limit {
			continue
		}
		found, err := oldTasks(ctx, db.sql, name, before, limit-len(old))
		if err != nil {
			return 0, err
		}
		old = append(old, found...)
	}

	if len(old) == 0 {
		return 0, nil
	}

	err = db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		n, err = dropOld(ctx, db.sql, t, old, before)
		return err
	})
	return n, err
}

// agentsOfTasks returns the names of the agents that have tasks, each with one look at an index.
func agentsOfTasks(ctx context.Context, db *sqldb.DB) (names []string, err error) {
	for last := ""; ; {
		var next sql.NullString
		err := db.Read.QueryRowContext(ctx, `
			SELECT min(agent) FROM tasks WHERE agent > $1`,
			last).Scan(&next)
		if err != nil || !next.Valid {
			return names, err
		}
		last = next.String
		names = append(names, last)
	}
}

func oldTasks(
	ctx context.Context,
	db *sqldb.DB,
	agent string,
	before time.Time,
	limit int,
) ([]string, error) {
	return sqldb.Select(ctx, db.Read, sqldb.Value[string], `
		SELECT handle FROM tasks WHERE agent = $1 AND created < $2 AND updated < $2 AND settled = 1
		ORDER BY created, handle LIMIT $3`,
		agent, before, limit)
}

// dropOld forgets those of the tasks that are still old, and returns how many.
func dropOld(
	ctx context.Context,
	db *sqldb.DB,
	t *sqldb.Tx,
	old []string,
	before time.Time,
) (int, error) {
	these, list, err := handleList(db, old)
	if err != nil {
		return 0, err
	}
	free := db.InUnlocked(`
		SELECT handle FROM tasks WHERE handle IN ` + these + ` AND settled = 1 AND updated < $2`)
	dropped, err := sqldb.Select(ctx, t, sqldb.Value[string], `
		DELETE FROM tasks WHERE settled = 1 AND updated < $2 AND handle `+free+`
		RETURNING handle`,
		list, before)
	if err != nil || len(dropped) == 0 {
		return 0, err
	}
	these, list, err = handleList(db, dropped)
	if err != nil {
		return 0, err
	}
	return len(dropped), dropFromIndex(ctx, db, t, these, []any{list})
}

// handleList returns a query for a list of handles, and its argument, the first.
func handleList(db *sqldb.DB, list []string) (query string, arg any, err error) {
	if db.Postgres {
		return `(SELECT unnest($1::text[]))`, list, nil
	}
	text, err := json.Marshal(list)
	return `(SELECT value FROM json_each($1))`, string(text), err
}
