package store_test

import (
	"testing"
	"time"

	"rialto/bridge/directory"
	"rialto/store"
	"rialto/store/sqldb"
	"rialto/store/storetest"
)

func TestAnAgentIsNotAddedWithoutItsCard(t *testing.T) {
	path := storetest.File(t, store.Open)
	db := open(t, path)
	sql, err := sqldb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer sql.Close()
	if _, err := sql.Write.ExecContext(t.Context(), `CREATE TRIGGER full BEFORE INSERT ON agent_cards BEGIN SELECT RAISE(ABORT, 'full'); END`); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	card := &directory.SeenCard{Agent: "maps", URL: "http://maps", Digest: "aa", Card: []byte(`{}`), Last: now}
	if err := db.Records.AddAgent(t.Context(), directory.StoredAgent{Name: "maps", Settings: []byte(`{}`), Created: now, Changed: now}, card, 10); err == nil {
		t.Error("got no error")
	}
	kept, err := db.Records.KeptAgents(t.Context())
	if err != nil || len(kept.Records) != 0 || kept.Version != 0 {
		t.Errorf("got %+v, %v, want no agent and version 0", kept, err)
	}
}
