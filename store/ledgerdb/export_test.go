package ledgerdb

import (
	"testing"

	"rialto/store/sqldb"
)

// Engines opens an empty ledger of each kind, for the tests of the contracts.
var Engines = map[string]func(*testing.T) *Store{
	"SQLite":       openTemp,
	"memory":       func(t *testing.T) *Store { return open(t, sqldb.Memory) },
	"write-behind": openWriteBehind,
	"PostgreSQL":   openSchema,
}
