package a2avault_test

import (
	"path/filepath"
	"testing"

	"rialto/a2a/a2avault"
	"rialto/internal/store"
)

// newStore returns the store that the program uses: there is no other.
func newStore(t *testing.T) a2avault.Store {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
