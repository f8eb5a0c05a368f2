package store_test

import (
	"errors"
	"testing"
	"time"

	"rialto/a2a/a2avault"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/oauth"
	"rialto/store"
)

// A connection is of one account and one agent: another agent under the same name must
// not get it, and it ends with the account.
func TestConnectionsEndWithTheAgentAndTheAccount(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		db, ctx, now := open(t), t.Context(), time.Now()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		connect := func() {
			t.Helper()
			must(db.Records.PutConnection(ctx, a2avault.Row{Owner: "ann", Agent: "maps", Kind: a2avault.Bearer, Sealed: "x", Connected: now, Updated: now}))
		}
		gone := func(why string) {
			t.Helper()
			if _, err := db.Records.Connection(ctx, "ann", "maps"); !errors.Is(err, a2avault.ErrNone) {
				t.Errorf("%s: got %v, want no connection", why, err)
			}
		}
		must(db.OAuth.Accounts.AddAccount(ctx, &oauth.Account{ID: "ann", Name: "ann", Created: now}))
		record := directory.StoredAgent{Name: "maps", Settings: []byte("{}"), Created: now, Changed: now}
		must(db.Records.AddAgent(ctx, record, nil, 10))
		kept, err := db.Records.KeptAgents(ctx)
		must(err)
		connect()
		record.Version = kept.Version
		must(db.Records.ChangeAgent(ctx, record, false))
		if _, err := db.Records.Connection(ctx, "ann", "maps"); err != nil {
			t.Errorf("an agent that stays where it is: %v", err)
		}
		kept, err = db.Records.KeptAgents(ctx)
		must(err)
		record.Version = kept.Version
		must(db.Records.ChangeAgent(ctx, record, true))
		gone("an agent that has moved")
		connect()
		must(db.Records.RemoveAgent(ctx, "maps", now))
		gone("an agent that was removed")
		connect()
		must(db.OAuth.Accounts.RemoveAccount(ctx, "ann"))
		gone("an account that was removed")
	})
}

// TestUnusualTextsAreStored writes and reads what agents and
// clients may call their things.
func TestUnusualTextsAreStored(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		db := open(t)
		for _, odd := range []string{"a\x00b", "c\xffd", "ñ\x00"} {
			c := &oauth.Client{ID: odd, Name: odd, RedirectURIs: []string{"https://a.example"}, Registered: time.Now()}
			if err := db.OAuth.Clients.AddClient(t.Context(), c, 10); err != nil {
				t.Errorf("writing %q: %v", odd, err)
			}
			if got, err := db.OAuth.Clients.Client(t.Context(), odd); err != nil || len(got.RedirectURIs) != 1 {
				t.Errorf("reading %q: %+v, %v", odd, got, err)
			}
			if _, err := db.OAuthLists.ListClients(t.Context(), operator.ClientFilter{Text: odd}, operator.Rows{Limit: 10}); err != nil {
				t.Errorf("looking for %q: %v", odd, err)
			}
		}
	})
}
