package store_test

import (
	"testing"

	"rialto/internal/store"
	"rialto/internal/store/ledgerdb"
	"rialto/internal/store/oauthdb"
	"rialto/internal/store/recordsdb"
)

// each runs a test with an empty database of each engine.
func each(t *testing.T, test func(t *testing.T, empty func(*testing.T) *store.DB)) {
	for engine, dsn := range engines {
		t.Run(engine, func(t *testing.T) {
			test(t, func(t *testing.T) *store.DB { return open(t, dsn(t)) })
		})
	}
}

// all is a store of each contract that needs several.
type all struct {
	*oauthdb.Store
	ofTasks
	ofRecords
}

type (
	ofTasks   struct{ *ledgerdb.Store }
	ofRecords struct{ *recordsdb.Store }
)

func together(db *store.DB) all { return all{db.OAuth, ofTasks{db.Ledger}, ofRecords{db.Records}} }
