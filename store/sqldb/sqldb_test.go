package sqldb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"rialto/oauth/oauthtest"
	"rialto/store/storetest"
)

// openTemp opens a SQLite database that goes away with the test.
func openTemp(t *testing.T) *DB {
	t.Helper()
	return open(t, storetest.File(t, Open))
}

func open(t *testing.T, dsn string) *DB {
	t.Helper()
	db, err := Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// each runs a test against both engines. again opens the same database anew.
func each(t *testing.T, test func(t *testing.T, again func() *DB)) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "rialto.db")
		test(t, func() *DB { return open(t, path) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		dsn := oauthtest.PostgresSchema(t)
		test(t, func() *DB { return open(t, dsn) })
	})
}

func TestRowsAreThereAfterReopening(t *testing.T) {
	each(t, func(t *testing.T, again func() *DB) {
		db := again()
		if _, err := db.Write.ExecContext(t.Context(), `INSERT INTO used_once (hash, expires) VALUES ('a', 1)`); err != nil {
			t.Fatal(err)
		}
		var hash string
		if err := again().Read.QueryRowContext(t.Context(), `SELECT hash FROM used_once`).Scan(&hash); err != nil || hash != "a" {
			t.Errorf("after reopening: got %q, %v", hash, err)
		}
	})
}

func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	each(t, func(t *testing.T, again func() *DB) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := again().Read.PingContext(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestOnlyTheOwnerMayReadTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ri alto?#%41.db") // as hard to name in a URL as can be
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	db := open(t, "sqlite:"+path)
	if _, err := db.Write.ExecContext(t.Context(), `INSERT INTO used_once (hash, expires) VALUES ('a', 1)`); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("%s: got mode %o, want 600", filepath.Base(name), got)
		}
	}
}

func TestSQLiteIsSetUpForDurability(t *testing.T) {
	db := openTemp(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000",
	} {
		var got string
		if err := db.Write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", pragma, got, err, want)
		}
	}
	if _, err := db.Read.ExecContext(t.Context(), `DELETE FROM clients`); err == nil {
		t.Error("the read handle wrote")
	}
}

var errRefused = errors.New("refused")

func TestATransactionThatFailsLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, again func() *DB) {
		db := again()
		err := db.InTx(t.Context(), func(tx *Tx) error {
			if _, err := tx.ExecContext(t.Context(), `INSERT INTO accounts (id, name, password, created) VALUES ('a', 'a', 'a', 1)`); err != nil {
				return err
			}
			return errRefused
		})
		if err != errRefused {
			t.Errorf("got %v, want what the function returned", err)
		}
		var n int
		if err := db.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM accounts`).Scan(&n); n > 0 || err != nil {
			t.Errorf("got %d rows, %v, want none", n, err)
		}
	})
}

func TestOpenFailsForAnUnknownAddress(t *testing.T) {
	for _, dsn := range []string{filepath.Join(t.TempDir(), "no", "such", "directory.db"), "postgres://127.0.0.1:1/none?connect_timeout=1"} {
		if db, err := Open(t.Context(), dsn); err == nil {
			db.Close()
			t.Errorf("%s: got no error", dsn)
		}
	}
}
