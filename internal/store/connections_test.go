package store

import (
	"errors"
	"testing"
	"time"

	"rialto/a2a/a2avault"
	"rialto/a2a/a2avault/vaulttest"
	"rialto/bridge/directory"
	"rialto/oauth"
)

func TestSQLiteKeepsTheContractOfConnections(t *testing.T) { vaulttest.TestStore(t, openTemp(t)) }

func TestPostgreSQLKeepsTheContractOfConnections(t *testing.T) { vaulttest.TestStore(t, openSchema(t)) }

// What somebody has connected is for one account and one agent: another agent
// under the same name must not get it, nor may it outlive the account.
func TestConnectionsEndWithTheAgentAndTheAccount(t *testing.T) {
	for engine, db := range map[string]func(*testing.T) *DB{"SQLite": func(t *testing.T) *DB { return openTemp(t) }, "PostgreSQL": func(t *testing.T) *DB { return openSchema(t) }} {
		t.Run(engine, func(t *testing.T) {
			db, ctx, now := db(t), t.Context(), time.Now()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			connect := func() {
				t.Helper()
				must(db.PutConnection(ctx, a2avault.Row{Owner: "ann", Agent: "maps", Kind: a2avault.Bearer, Sealed: "x", Connected: now, Updated: now}))
			}
			gone := func(why string) {
				t.Helper()
				if _, err := db.Connection(ctx, "ann", "maps"); !errors.Is(err, a2avault.ErrNone) {
					t.Errorf("%s: got %v, want no connection", why, err)
				}
			}
			must(db.AddAccount(ctx, &oauth.Account{ID: "ann", Name: "ann", Created: now}))
			record := directory.StoredAgent{Name: "maps", Settings: []byte("{}"), Created: now, Changed: now}
			must(db.AddAgent(ctx, record, nil, 10))
			kept, err := db.KeptAgents(ctx)
			must(err)
			connect()
			record.Version = kept.Version
			must(db.ChangeAgent(ctx, record, false))
			if _, err := db.Connection(ctx, "ann", "maps"); err != nil {
				t.Errorf("an agent that stays where it is: %v", err)
			}
			kept, err = db.KeptAgents(ctx)
			must(err)
			record.Version = kept.Version
			must(db.ChangeAgent(ctx, record, true))
			gone("an agent that has moved")
			connect()
			must(db.RemoveAgent(ctx, "maps", now))
			gone("an agent that was removed")
			connect()
			must(db.RemoveAccount(ctx, "ann"))
			gone("an account that was removed")
		})
	}
}
