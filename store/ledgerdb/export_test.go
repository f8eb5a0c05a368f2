package ledgerdb

import (
	"context"
	"testing"
	"time"

	"rialto/store/sqldb"
)

// Engines opens an empty ledger of each kind, for the tests of the contracts.
var Engines = map[string]func(*testing.T) *Store{
	"SQLite":       openTemp,
	"memory":       func(t *testing.T) *Store { return open(t, sqldb.Memory) },
	"write-behind": openWriteBehind,
	"PostgreSQL":   openSchema,
}

// AgeDigests makes the messages that were sent older.
func (db *Store) AgeDigests(ctx context.Context, by time.Duration) error {
	return sqldb.Exec(ctx, db.sql.Write, `UPDATE sent SET created = created - $1`, by.Milliseconds())
}
