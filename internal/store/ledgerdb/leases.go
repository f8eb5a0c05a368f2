package ledgerdb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"rialto/bridge/ledger"
	"rialto/internal/store/sqldb"
)

// EndLeases implements ledger.Leases.
func (db *Store) EndLeases(ctx context.Context, replica string, now time.Time) error {
	_, err := db.sql.Write.ExecContext(ctx, `UPDATE tasks SET lease_until = $1 WHERE settled = 0 AND holder <> $2 AND lease_until > $1`, now.UnixMilli(), replica)
	return err
}

const claim = `UPDATE tasks SET holder = $1, lease_until = $2 WHERE settled = 0 AND lease_until <= $3 AND handle `

// ClaimTasks implements ledger.Leases. The condition is in the outer WHERE as well: if two
// replicas chose the same rows, the second finds them leased when it writes.
func (db *Store) ClaimTasks(ctx context.Context, l ledger.Lease, now time.Time, limit int) ([]*ledger.Record, error) {
	return scanRecords(db.sql.Write.QueryContext(ctx, claim+
		notHeld(db.sql, `SELECT handle FROM tasks WHERE settled = 0 AND lease_until <= $3 ORDER BY lease_until LIMIT $4`)+
		` RETURNING `+recordColumns, l.Replica, l.Until.UnixMilli(), now.UnixMilli(), limit))
}

// notHeld returns the condition that a column is among those that a query chooses. On
// PostgreSQL, rows that another transaction locks are left out: a replica whose machine
// is gone may lock a row for long. The array makes PostgreSQL choose once.
func notHeld(db *sqldb.DB, choice string) string {
	if db.Postgres {
		return `= ANY (ARRAY(` + choice + ` FOR UPDATE SKIP LOCKED))`
	}
	return `IN (` + choice + `)`
}

// ClaimTask implements ledger.Leases.
func (db *Store) ClaimTask(ctx context.Context, handle string, l ledger.Lease, now time.Time) ([]*ledger.Record, error) {
	return scanRecords(db.sql.Write.QueryContext(ctx, claim+`= $4 RETURNING `+recordColumns, l.Replica, l.Until.UnixMilli(), now.UnixMilli(), handle))
}

func scanRecords(rows *sql.Rows, err error) ([]*ledger.Record, error) {
	return sqldb.Collect(rows, err, func(r *sql.Rows) (*ledger.Record, error) { return scanRecord(r) })
}

// Tasks in auth-required have no holder; their lease_until is when they are due.
const waits = `settled = 1 AND state = 'auth-required'`

// DueTasks implements ledger.Leases. The condition is there twice as in ClaimTasks.
func (db *Store) DueTasks(ctx context.Context, now time.Time, limit int) ([]ledger.DuePoll, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	rows, err := db.sql.Write.QueryContext(ctx, `
		UPDATE tasks SET lease_until = $1 + CASE WHEN $1 - updated < 32000 THEN 2000 WHEN $1 - updated > 57600000 THEN 3600000 ELSE ($1 - updated) / 16 END
		WHERE `+waits+` AND lease_until <= $1 AND handle `+notHeld(db.sql, `SELECT handle FROM tasks WHERE `+waits+` AND lease_until <= $1 ORDER BY lease_until LIMIT $2`)+`
		RETURNING owner, handle, agent`, now.UnixMilli(), limit)
	return sqldb.Collect(rows, err, func(r *sql.Rows) (d ledger.DuePoll, err error) { return d, r.Scan(&d.Owner, &d.Handle, &d.Agent) })
}

// MakeDue implements ledger.Leases.
func (db *Store) MakeDue(ctx context.Context, handle string, now time.Time) (*ledger.DuePoll, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	d := ledger.DuePoll{Handle: handle}
	err := db.sql.Write.QueryRowContext(ctx, `UPDATE tasks SET lease_until = $1 WHERE handle = $2 AND `+waits+` RETURNING owner, agent`, now.UnixMilli(), handle).Scan(&d.Owner, &d.Agent)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &d, err
}

// renewed is how many leases one statement of SQLite renews. The number is fixed so that
// the statement is prepared once; a shorter list is padded with "".
const renewed = 50

// RenewLeases implements ledger.Leases.
func (db *Store) RenewLeases(ctx context.Context, l ledger.Lease, handles []string) error {
	if db.sql.Postgres {
		return renewOnPostgres(ctx, db.sql, l, handles)
	}
	for chunk := range slices.Chunk(handles, renewed) {
		args := []any{l.Until.UnixMilli(), l.Replica}
		for i := range renewed {
			handle := ""
			if i < len(chunk) {
				handle = chunk[i]
			}
			args = append(args, handle)
		}
		if _, err := db.sql.Write.ExecContext(ctx, renewalOfMany, args...); err != nil {
			return err
		}
	}
	return nil
}

const renewal = `UPDATE tasks SET lease_until = $1 WHERE settled = 0 AND holder = $2 AND handle `

var renewalOfMany = renewal + `IN (` + sqldb.Placeholders(3, renewed) + `)`

// renewOnPostgres renews the rows first that no transaction locks: one row that is locked
// for longer than a lease must not let all other leases expire.
func renewOnPostgres(ctx context.Context, db *sqldb.DB, l ledger.Lease, handles []string) error {
	if len(handles) == 0 {
		return nil
	}
	until := l.Until.UnixMilli()
	rows, err := db.Write.QueryContext(ctx, renewal+`= ANY (ARRAY(
		SELECT handle FROM tasks WHERE handle = ANY ($3) AND settled = 0 AND holder = $2 FOR UPDATE SKIP LOCKED))
		RETURNING handle`, until, l.Replica, handles)
	done, err := sqldb.Collect(rows, err, sqldb.Text)
	if err != nil {
		return err
	}
	slices.Sort(done)
	rest := slices.DeleteFunc(slices.Clone(handles), func(handle string) bool {
		_, ok := slices.BinarySearch(done, handle)
		return ok
	})
	if len(rest) == 0 {
		return nil
	}
	return renewLocked(ctx, db, until, l.Replica, rest)
}

// renewFor bounds the wait for locked rows. It is much less than a lease.
const renewFor = 2 * time.Second

// renewLocked waits for locked rows, but not for long. Mostly this replica locks them, as
// it writes them at that moment, and that may happen at each renewal.
func renewLocked(ctx context.Context, db *sqldb.DB, until int64, replica string, handles []string) error {
	err := db.InTx(ctx, func(t *sqldb.Tx) error {
		if _, err := t.ExecContext(ctx, `SET LOCAL statement_timeout = `+sqldb.InMillis(renewFor)); err != nil {
			return err
		}
		_, err := t.ExecContext(ctx, renewal+`= ANY ($3)`, until, replica, handles)
		return err
	})
	if sqldb.RefusedAs(err, "57014") || sqldb.RefusedAs(err, "55P03") { // query_canceled, lock_not_available: they are tried again next time
		return nil
	}
	return err
}
