package store_test

import (
	"testing"

	"rialto/a2a/a2avault/vaulttest"
	"rialto/bridge/bridgetest"
	"rialto/bridge/directory"
	"rialto/internal/store"
	"rialto/internal/store/ledgerdb"
	"rialto/internal/store/oauthdb"
	"rialto/internal/store/recordsdb"
	"rialto/oauth/oauthtest"
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

func TestTheContractOfOAuth(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		oauthtest.TestStore(t, func(t *testing.T) oauthtest.Store { return oauthtest.StoreOf(open(t).OAuth) })
	})
}

func TestTheContractOfCards(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		bridgetest.TestCards(t, func(t *testing.T) directory.CardStore { return open(t).Records })
	})
}

func TestTheContractOfAgents(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		bridgetest.TestAgents(t, func(t *testing.T) bridgetest.Registered { return together(open(t)) })
	})
}

func TestTheContractOfConnections(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) { vaulttest.TestStore(t, open(t).Records) })
}
