package recordsdb_test

import (
	"errors"
	"testing"
	"time"

	"rialto/bridge/directory"
)

// testConnectors holds the store to what directory.AgentStore says of connectors.
func testConnectors(t *testing.T, db directory.AgentStore) {
	ctx := t.Context()
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	put := func(name string, version int64, most int) error {
		c := directory.StoredConnector{Name: name, Settings: []byte(`{"title":"` + name + `"}`), Version: version, Changed: at}
		return db.PutConnector(ctx, c, most)
	}
	if err := put("sales", 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := put("sales", 0, 2); !errors.Is(err, directory.ErrConnectorExists) {
		t.Errorf("added twice: got %v", err)
	}
	if err := put("legal", 0, 1); !errors.Is(err, directory.ErrTooManyConnectors) {
		t.Errorf("one too many: got %v", err)
	}
	kept, err := db.KeptAgents(ctx)
	if err != nil || len(kept.Connectors) != 1 || kept.Connectors[0].Version != kept.Version || !kept.Connectors[0].Created.Equal(at) {
		t.Fatalf("got %+v, %v", kept, err)
	}
	version := kept.Version
	if err := put("sales", version, 1); err != nil {
		t.Error(err)
	}
	if err := put("sales", version, 1); !errors.Is(err, directory.ErrConnectorChanged) {
		t.Errorf("changed from an older version: got %v", err)
	}
	if now, err := db.AgentsVersion(ctx); err != nil || now != version+1 {
		t.Errorf("got version %d, %v, want %d: failures change nothing", now, err, version+1)
	}
	if err := db.RemoveConnector(ctx, "sales"); err != nil {
		t.Error(err)
	}
	if err := db.RemoveConnector(ctx, "sales"); !errors.Is(err, directory.ErrNoConnector) {
		t.Errorf("removed twice: got %v", err)
	}
}
