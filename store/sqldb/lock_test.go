package sqldb_test

import (
	"os"
	"path/filepath"
	"testing"

	"rialto/store/sqldb"
)

// TestOneServerIsAloneOnAFile asks for several servers on one file; that a killed
// one's lock goes with it is tested with the program (cmd/rialto/internal/e2e, TestTasksOfKilled…).
func TestOneServerIsAloneOnAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	open := func(dsn string) *sqldb.DB {
		db, err := sqldb.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	is := func(name string, db *sqldb.DB, want bool) {
		t.Helper()
		if got, err := db.LockServer(t.Context()); got != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
		}
	}
	first, second := open(path), open(path)
	is("the first server", first, true)
	is("a second", second, false)
	is("the first, asked again", first, true)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	third := open(link)
	is("one that comes by a link", third, false)
	is("one with another database", open(filepath.Join(t.TempDir(), "other.db")), true)
	is("one in memory", open(sqldb.Memory), true)
	first.Close()
	next := open(path)
	is("when the first is gone, and others are not", next, false)
	for _, db := range []*sqldb.DB{second, third, next} {
		db.Close()
	}
	is("when all are gone", open(path), true)
}
