package sqldb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAMissingDatabaseIsNotReplaced opens a path where only files beside a database are. An
// empty database was made there.
func TestAMissingDatabaseIsNotReplaced(t *testing.T) {
	for _, suffix := range companionSuffixes {
		path := filepath.Join(t.TempDir(), "rialto.db")
		if err := os.WriteFile(path+suffix, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := Open(t.Context(), path)
		if err == nil {
			db.Close()
			t.Fatalf("%s: got a new database", suffix)
		}
		for _, want := range []string{path + suffix, "restore", "begin anew"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q in it", suffix, err, want)
			}
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a file now", suffix)
		}
	}
}

// TestAnEmptyDatabaseIsNotTakenForANewOne opens a database that was cut to nothing, beside its key: the
// server started without accounts.
func TestAnEmptyDatabaseIsNotTakenForANewOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rialto.db")
	for _, file := range []string{path, path + ".key"} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := Open(t.Context(), path)
	if err == nil {
		db.Close()
		t.Fatal("got a new database")
	}
	if !strings.Contains(err.Error(), "is empty") || !strings.Contains(err.Error(), "from a backup") {
		t.Errorf("got %v, want that it is empty, and how to restore it", err)
	}
}

// TestNewerTablesAreRefused opens a database that a later version has migrated.
func TestNewerTablesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, again func() *DB) {
		db := again()
		if _, err := db.Write.DB.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, $1)`, true); err != nil {
			t.Fatal(err)
		}
		address := db.dsn
		if _, err := Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), "newer version of Rialto") {
			t.Errorf("got %v, want a refusal", err)
		}
	})
}
