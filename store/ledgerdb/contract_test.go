package ledgerdb_test

import (
	"testing"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/store/ledgerdb"
)

// TestContracts runs the contracts of the stores of tasks, of push notifications,
// of the search index and of shares with each engine.
func TestContracts(t *testing.T) {
	for engine, open := range ledgerdb.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Run("ledger", func(t *testing.T) {
				testLedger(t, func(t *testing.T) Ledger {
					db := open(t)
					return Ledger{Store: db, Lists: db, Leases: db}
				})
			})
			t.Run("outbox", func(t *testing.T) {
				testOutbox(t, func(t *testing.T) Watched {
					db := open(t)
					return struct {
						*ledgerdb.Store
						ledgerdb.Outbox
					}{db, db.Outbox()}
				})
			})
			t.Run("index", func(t *testing.T) { testIndex(t, func(t *testing.T) Indexed { return open(t) }) })
			t.Run("shares", func(t *testing.T) {
				testShares(t, func(t *testing.T) Sharing {
					db := open(t)
					return struct {
						ledger.Store
						documents.ShareStore
					}{db, db.Shares()}
				})
			})
			t.Run("uploads", func(t *testing.T) {
				testUploads(t, func(t *testing.T) Uploading {
					db := open(t)
					return struct {
						*ledgerdb.Store
						ledgerdb.Uploads
					}{db, db.Uploads()}
				})
			})
		})
	}
}
