package ledgerdb

import (
	"context"

	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// Unfinished returns how many tasks have not ended, by agent and state. Both parts read partial indexes.
func (db *Store) Unfinished(ctx context.Context) ([]ledger.Count, error) {
	return sqldb.Select(ctx, db.sql.Read, scanCount, `
		SELECT agent, state, count(*) FROM tasks WHERE settled = 0 GROUP BY agent, state
		UNION ALL
		SELECT agent, state, count(*) FROM tasks
		WHERE settled = 1 AND state <> 'completed' AND state IN ('input-required', 'auth-required')
		GROUP BY agent, state`)
}

func scanCount(r sqldb.Row) (c ledger.Count, err error) {
	err = r.Scan(&c.Agent, &c.State, &c.Tasks)
	return c, err
}

// StoredBytes implements ledger.Store. The sum reads a partial index, which has the large tasks alone.
func (db *Store) StoredBytes(ctx context.Context, owner, agent string) (n int64, err error) {
	if err := db.flush(ctx); err != nil {
		return 0, err
	}

	query := `SELECT COALESCE(sum(size), 0) FROM tasks WHERE owner = $1 AND size > 0`
	of := owner
	if owner == "" {
		query = `SELECT COALESCE(sum(size), 0) FROM tasks WHERE agent = $1 AND size > 0`
		of = agent
	}

	return n, db.sql.Read.QueryRowContext(ctx, query, of).Scan(&n)
}
