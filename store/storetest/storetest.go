// Package storetest gives tests a database each that is there at once. It does
// not open it: tests do that through the door that the program uses.
package storetest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// template is what a new database holds, the same for all tests of a process.
var template struct {
	once  sync.Once
	bytes []byte
	err   error
}

// File returns the path of a SQLite database of the test's own, in which nothing
// was kept yet. open is store.Open: it makes and migrates the first, of which all
// others are copies, because to migrate takes ten times as long as to copy.
func File[DB io.Closer](t testing.TB, open func(context.Context, string) (DB, error)) string {
	t.Helper()
	template.once.Do(func() {
		template.bytes, template.err = migrated(filepath.Join(t.TempDir(), "template.db"), open)
	})
	if template.err != nil {
		t.Fatal(template.err)
	}
	path := filepath.Join(t.TempDir(), "rialto.db")
	if err := os.WriteFile(path, template.bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// migrated returns the file that open makes at path.
func migrated[DB io.Closer](path string, open func(context.Context, string) (DB, error)) ([]byte, error) {
	db, err := open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil { // which leaves all in one file
		return nil, err
	}
	return os.ReadFile(path)
}
