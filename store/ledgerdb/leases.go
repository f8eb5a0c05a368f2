package ledgerdb

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// Heartbeat implements ledger.Leases. On PostgreSQL it keeps one of the connections, so that it
// need not wait while all others wait for a lock.
func (db *Store) Heartbeat(
	ctx context.Context, replica string, count int64,
) (map[string]int64, error) {
	if !db.sql.Postgres {
		return heartbeat(ctx, db.sql.Write, replica, count)
	}

	db.heart.mu.Lock()
	defer db.heart.mu.Unlock()
	if db.heart.conn == nil {
		conn, err := db.sql.Write.Conn(ctx)
		if err != nil {
			return nil, err
		}
		db.heart.conn = conn
	}

	all, err := heartbeat(ctx, db.heart.conn, replica, count)
	if err != nil {
		db.heart.conn.Close()
		db.heart.conn = nil
	}

	return all, err
}

// heartbeatConn is the connection for heartbeats on PostgreSQL.
type heartbeatConn struct {
	mu   sync.Mutex
	conn *sql.Conn // nil if there is none
}

func (h *heartbeatConn) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == nil {
		return nil
	}
	return h.conn.Close()
}

// querier is a pool or a connection.
type querier interface {
	sqldb.RowsQuerier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func heartbeat(
	ctx context.Context,
	q querier,
	replica string,
	count int64,
) (map[string]int64, error) {
	_, err := q.ExecContext(ctx, `
		INSERT INTO replicas (id, heartbeats) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET heartbeats = excluded.heartbeats`,
		replica, count)
	if err != nil {
		return nil, err
	}

	all := map[string]int64{}
	scan := func(r sqldb.Row) (id string, err error) {
		var count int64
		err = r.Scan(&id, &count)
		all[id] = count
		return id, err
	}
	_, err = sqldb.Select(ctx, q, scan, `SELECT id, heartbeats FROM replicas`)
	return all, err
}

// RemoveReplicas implements ledger.Leases.
func (db *Store) RemoveReplicas(ctx context.Context, last map[string]int64) error {
	for id, count := range last {
		err := sqldb.Exec(ctx, db.sql.Write, `
			DELETE FROM replicas WHERE id = $1 AND heartbeats <= $2`,
			id, count)
		if err != nil {
			return err
		}
	}
	return nil
}

// claiming returns the statement that takes tasks without a follower, and its first arguments.
func (db *Store) claiming(
	replica string, followed []string,
) (claim, free string, args []any, err error) {
	followed = append([]string{}, followed...) // not nil, which is no list in JSON
	these, list, err := handleList(db.sql, followed)
	free = `settled = 0 AND (
		holder NOT IN (SELECT id FROM replicas) OR holder = $2 AND handle NOT IN ` + these + `)`
	claim = `UPDATE tasks SET holder = $2 WHERE ` + free + ` AND handle `
	return claim, free, []any{list, replica}, err
}

// ClaimTasks implements ledger.Leases. The condition is in the outer WHERE as well: if two
// replicas chose the same rows, the second finds them held when it writes.
func (db *Store) ClaimTasks(
	ctx context.Context,
	replica string,
	followed []string,
	limit int,
) ([]*ledger.Record, error) {
	claim, free, args, err := db.claiming(replica, followed)
	if err != nil {
		return nil, err
	}

	claim += db.sql.InUnlocked(`SELECT handle FROM tasks WHERE ` + free + ` LIMIT $3`)
	return sqldb.Select(ctx, db.sql.Write, scanRecord,
		claim+` RETURNING `+recordColumns, append(args, limit)...)
}

// ClaimTask implements ledger.Leases.
func (db *Store) ClaimTask(
	ctx context.Context,
	handle, replica string,
	followed []string,
) ([]*ledger.Record, error) {
	claim, _, args, err := db.claiming(replica, followed)
	if err != nil {
		return nil, err
	}

	return sqldb.Select(ctx, db.sql.Write, scanRecord,
		claim+`= $3 RETURNING `+recordColumns, append(args, handle)...)
}

const awaitsPoll = `settled = 1 AND (state = 'auth-required' OR polled = 1)`

// DueTasks implements ledger.Leases. The condition is there twice as in ClaimTasks.
func (db *Store) DueTasks(ctx context.Context, now time.Time, limit int) ([]ledger.DuePoll, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}

	due := db.sql.InUnlocked(`
		SELECT handle FROM tasks WHERE ` + awaitsPoll + ` AND due <= $1 ORDER BY due LIMIT $2`)
	return sqldb.Select(ctx, db.sql.Write, scanDuePoll, `
		UPDATE tasks SET due = $1 + CASE
			WHEN $1 - updated < 32000 THEN 2000
			WHEN $1 - updated > 57600000 THEN 3600000
			ELSE ($1 - updated) / 16
		END
		WHERE `+awaitsPoll+` AND due <= $1 AND handle `+due+`
		RETURNING owner, handle, agent`,
		now, limit)
}

func scanDuePoll(r sqldb.Row) (d ledger.DuePoll, err error) {
	err = r.Scan(&d.Owner, &d.Handle, &d.Agent)
	return d, err
}

// MakeDue implements ledger.Leases.
func (db *Store) MakeDue(
	ctx context.Context, handle string, now time.Time,
) (*ledger.DuePoll, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}

	d := ledger.DuePoll{Handle: handle}
	err := db.sql.Write.QueryRowContext(ctx, `
		UPDATE tasks SET due = $1 WHERE handle = $2 AND `+awaitsPoll+`
		RETURNING owner, agent`,
		now, handle).Scan(&d.Owner, &d.Agent)
	if err != nil {
		return nil, sqldb.NoRow(err, nil)
	}

	return &d, nil
}
