package ledgerdb

import (
	"context"
	"slices"
	"time"

	"rialto/bridge/ledger"

	"rialto/internal/store/sqldb"
)

// renewed is how many leases one statement of SQLite renews. The number is fixed so
// that the statement is, too; a shorter list is filled up with handles of no task.
const renewed = 50

// RenewLeases implements ledger.Leases.
func (db *Store) RenewLeases(ctx context.Context, l ledger.Lease, handles []string) error {
	if db.sql.Postgres {
		return db.renewFree(ctx, l, handles)
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

// renewFree renews what nobody else holds first: a row that is held for longer than a
// lease, by a machine that is gone or by a person, must not have all others run out.
func (db *Store) renewFree(ctx context.Context, l ledger.Lease, handles []string) error {
	if len(handles) == 0 {
		return nil
	}
	until := l.Until.UnixMilli()
	rows, err := db.sql.Write.QueryContext(ctx, renewal+`= ANY (ARRAY(
		SELECT handle FROM tasks WHERE handle = ANY ($3) AND settled = 0 AND holder = $2 FOR UPDATE SKIP LOCKED))
		RETURNING handle`, until, l.Replica, handles)
	done, err := sqldb.Collect(rows, err, scanHandle)
	if err != nil {
		return err
	}
	got := make(map[string]bool, len(done))
	for _, handle := range done {
		got[handle] = true
	}
	rest := slices.DeleteFunc(slices.Clone(handles), func(handle string) bool { return got[handle] })
	if len(rest) == 0 {
		return nil
	}
	return db.renewRest(ctx, until, l.Replica, rest)
}

// renewFor bounds the wait for rows that are held. It is much less than a lease.
const renewFor = 2 * time.Second

// renewRest waits for rows that somebody holds, but not for long. Mostly that is this
// replica, which writes them at that moment, and there may be such a moment each time.
func (db *Store) renewRest(ctx context.Context, until int64, replica string, handles []string) error {
	err := db.sql.InTx(ctx, func(t *sqldb.Tx) error {
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
