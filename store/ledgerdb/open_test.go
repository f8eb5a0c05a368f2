package ledgerdb

import (
	"errors"
	"testing"

	"rialto/oauth/oauthtest"
	"rialto/store/sqldb"
	"rialto/store/storetest"
)

// openTemp opens a SQLite database that goes away with the test.
func openTemp(t *testing.T) *Store {
	t.Helper()
	return open(t, storetest.File(t, sqldb.Open))
}

// openSchema opens a PostgreSQL database that goes away with the test.
func openSchema(t *testing.T) *Store {
	t.Helper()
	return open(t, oauthtest.PostgresSchema(t))
}

func open(t testing.TB, dsn string) *Store {
	t.Helper()
	sql, err := sqldb.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), sql)
	if err != nil {
		t.Fatal(errors.Join(err, sql.Close()))
	}
	t.Cleanup(func() {
		if err := closeAll(db); err != nil {
			t.Error(err)
		}
	})
	return db
}

func closeAll(db *Store) error { return errors.Join(db.Close(), db.sql.Close()) }
