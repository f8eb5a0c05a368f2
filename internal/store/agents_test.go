package store

import (
	"testing"
	"time"

	"rialto/bridge/directory"
)

func TestAnAgentIsNotAddedWithoutItsCard(t *testing.T) {
	db := openTemp(t)
	if _, err := db.write.ExecContext(t.Context(), `CREATE TRIGGER full BEFORE INSERT ON agent_cards BEGIN SELECT RAISE(ABORT, 'full'); END`); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	card := &directory.SeenCard{Agent: "maps", URL: "http://maps", Digest: "aa", Card: []byte(`{}`), Last: now}
	if err := db.AddAgent(t.Context(), directory.StoredAgent{Name: "maps", Settings: []byte(`{}`), Created: now, Changed: now}, card, 10); err == nil {
		t.Error("got no error")
	}
	kept, err := db.KeptAgents(t.Context())
	if err != nil || len(kept.Records) != 0 || kept.Version != 0 {
		t.Errorf("got %+v, %v, want no agent and version 0", kept, err)
	}
}
