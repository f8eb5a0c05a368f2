package a2avault_test

import (
	"testing"

	"rialto/a2a/a2avault"
	"rialto/store"
	"rialto/store/storetest"
)

// newStore returns the store that the program uses: there is no other.
func newStore(t *testing.T) a2avault.Store {
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Records
}
