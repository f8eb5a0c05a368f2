package recordsdb_test

import (
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/oauth/oauthtest"
	"rialto/store"
	"rialto/store/ledgerdb"
	"rialto/store/recordsdb"
	"rialto/store/storetest"
)

var now = time.UnixMilli(1_800_000_000_000)

// each runs a test with an empty database of each engine.
func each(t *testing.T, test func(t *testing.T, open func(*testing.T) *store.DB)) {
	for engine, dsn := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return storetest.File(t, store.Open) },
		"memory":     func(*testing.T) string { return store.Memory },
		"PostgreSQL": func(t *testing.T) string { return oauthtest.PostgresSchema(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			test(t, func(t *testing.T) *store.DB {
				db, err := store.Open(t.Context(), dsn(t))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { db.Close() })
				return db
			})
		})
	}
}

func TestCards(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		testCards(t, func(t *testing.T) directory.CardStore { return open(t).Records })
	})
}

func TestAgents(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		testAgents(t, func(t *testing.T) registered {
			db := open(t)
			return struct {
				*recordsdb.Store
				tasks
			}{db.Records, tasks{db.Ledger}}
		})
	})
}

// tasks is the ledger, one level deeper than the records.
type tasks struct{ *ledgerdb.Store }

func TestConnections(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) { testConnections(t, open(t).Records) })
}
