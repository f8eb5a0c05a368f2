package oauthdb_test

import (
	"context"
	"testing"
	"time"

	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/store/oauthdb"
	"rialto/store/sqldb"
)

func clientRoundTrip(b *storeTest) {
	c := b.client()
	got, err := b.s.Clients.Client(b.Context(), c.ID)
	b.must(err)
	equal(b, got, c)
	_, err = b.s.Clients.Client(b.Context(), "nobody")
	b.want(err, oauth.ErrNotFound)
}

func clientChangedOnce(b *storeTest) {
	c := b.client()
	counts := b.race(func(i int) error {
		changed := *c
		changed.Name, changed.ManageHash = string(rune('A'+i)), string(rune('A'+i))
		return b.s.Clients.UpdateClient(b.Context(), &changed, c.ManageHash)
	})
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	got, err := b.s.Clients.Client(b.Context(), c.ID)
	b.must(err)
	if got.Name != got.ManageHash {
		b.Errorf("got the name of one change and the token of another: %+v", got)
	}
	got.Name, got.URI, got.RedirectURIs, got.AuthMethod, got.SecretHash, got.GrantTypes = "n", "", []string{"https://b.example"}, "none", "", []string{"authorization_code"}
	got.Keys, got.KeysURI, got.Bound, got.ApplicationType = "", "", false, "web"
	b.must(b.s.Clients.UpdateClient(b.Context(), got, got.ManageHash))
	again, err := b.s.Clients.Client(b.Context(), c.ID)
	b.must(err)
	equal(b, again, got)
}

func clientRemoved(b *storeTest) {
	c, other := b.client(), b.client()
	g, kept := b.grant(c.ID), b.grant(other.ID)
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	b.must(b.s.Grants.AddGrant(b.Context(), kept))
	counts := b.race(func(int) error { return b.s.Clients.RemoveClient(b.Context(), c.ID, b.now) })
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	if b.live(g.ID) || !b.live(kept.ID) {
		b.Error("want the grants of the removed client to end, and no others")
	}
	b.want(b.s.Clients.UpdateClient(b.Context(), c, c.ManageHash), oauth.ErrNotFound)
}

func clientsListed(b *storeTest) {
	first, second, third := b.client(), b.client(), b.client()
	page, err := b.s.Clients.Clients(b.Context(), "", 2)
	b.must(err)
	equal(b, page, []*oauth.Client{first, second})
	page, err = b.s.Clients.Clients(b.Context(), second.ID, 2)
	b.must(err)
	equal(b, page, []*oauth.Client{third})
}

func clientEviction(b *storeTest) {
	used, oldest, newer := b.client(), b.client(), b.client()
	b.must(b.s.Grants.AddGrant(b.Context(), b.grant(used.ID)))
	b.now = b.now.Add(time.Second)
	last := &oauth.Client{ID: b.name("client"), RedirectURIs: []string{"https://a.example"}, Registered: b.now}
	b.must(b.s.Clients.AddClient(b.Context(), last, 3))
	_, err := b.s.Clients.Client(b.Context(), oldest.ID)
	b.want(err, oauth.ErrNotFound)
	for _, c := range []*oauth.Client{used, newer, last} {
		_, err := b.s.Clients.Client(b.Context(), c.ID)
		b.must(err)
	}
}

// TestARegistrationDoesNotWaitForAnother locks the oldest client, as a registration does that removes it. Another one
// removes the next. On two replicas, registrations had waited for each other, for up to ten seconds.
func TestARegistrationDoesNotWaitForAnother(t *testing.T) {
	db, err := sqldb.Open(t.Context(), oauthtest.PostgresSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b := &storeTest{T: t, s: oauthdb.New(db), now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	oldest, newer := b.client(), b.client()
	last := &oauth.Client{ID: b.name("client"), RedirectURIs: []string{"https://a.example"}, Registered: b.now}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // less than PostgreSQL waits
	defer cancel()
	b.must(db.InTx(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM clients WHERE id = $1 FOR UPDATE`, oldest.ID); err != nil {
			return err
		}
		return b.s.Clients.AddClient(ctx, last, 2)
	}))
	_, err = b.s.Clients.Client(t.Context(), newer.ID)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Clients.Client(t.Context(), oldest.ID)
	b.must(err)
}

func accountNames(b *storeTest) {
	counts := b.race(func(i int) error {
		return b.s.Accounts.AddAccount(b.Context(), &oauth.Account{ID: string(rune('A' + i)), Name: "ada", Password: "x", Created: b.now})
	})
	equal(b, counts, map[error]int{nil: 1, oauth.ErrExists: parallel - 1})
	a := b.account()
	got, err := b.s.Accounts.Account(b.Context(), a.Name)
	b.must(err)
	equal(b, got, a)
	got, err = b.s.Accounts.AccountOf(b.Context(), a.ID)
	b.must(err)
	equal(b, got, a)
	_, err = b.s.Accounts.AccountOf(b.Context(), a.Name)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Accounts.Account(b.Context(), "ada")
	b.must(err)
	_, err = b.s.Accounts.Account(b.Context(), "nobody")
	b.want(err, oauth.ErrNotFound)
}

func (b *storeTest) session(a *oauth.Account) *oauth.Session {
	b.Helper()
	s := &oauth.Session{Hash: b.name("session"), AccountID: a.ID, Name: a.Name, Created: b.now, Expires: b.now.Add(time.Hour)}
	b.must(b.s.Sessions.AddSession(b.Context(), s))
	return s
}

func passwordEndsSessions(b *storeTest) {
	a, other := b.account(), b.account()
	s, kept := b.session(a), b.session(other)
	b.must(b.s.Accounts.SetPassword(b.Context(), a.ID, "another hash", time.Time{}))
	_, err := b.s.Sessions.Session(b.Context(), s.Hash, b.now)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Sessions.Session(b.Context(), kept.Hash, b.now)
	b.must(err)
	got, err := b.s.Accounts.Account(b.Context(), a.Name)
	b.must(err)
	equal(b, got.Password, "another hash")
	equal(b, got.ID, a.ID)
	b.want(b.s.Accounts.SetPassword(b.Context(), "nobody", "x", time.Time{}), oauth.ErrNotFound)

	_, g := b.family()
	for _, revoked := range []time.Time{{}, b.now} {
		b.must(b.s.Accounts.SetPassword(b.Context(), g.AccountID, "a third hash", revoked))
		after, err := b.s.Grants.Grant(b.Context(), g.ID)
		b.must(err)
		equal(b, after.Revoked, revoked)
	}
}

func removedAccount(b *storeTest) {
	token, g := b.family()
	s := b.session(&oauth.Account{ID: g.AccountID})
	b.must(b.s.Accounts.RemoveAccount(b.Context(), g.Name))
	_, err := b.s.Grants.Grant(b.Context(), g.ID)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Sessions.Session(b.Context(), s.Hash, b.now)
	b.want(err, oauth.ErrNotFound)
	_, _, err = b.s.Codes.Refresh(b.Context(), token.Hash)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Codes.Rotate(b.Context(), b.rotation(token))
	b.want(err, oauth.ErrNotFound)
	b.want(b.s.Accounts.RemoveAccount(b.Context(), g.Name), oauth.ErrNotFound)
}

func sessionEnds(b *storeTest) {
	s := b.session(b.account())
	got, err := b.s.Sessions.Session(b.Context(), s.Hash, b.now)
	b.must(err)
	equal(b, got, s)
	_, err = b.s.Sessions.Session(b.Context(), s.Hash, s.Expires)
	b.want(err, oauth.ErrNotFound)
	b.must(b.s.Sessions.EndSession(b.Context(), s.Hash))
	b.must(b.s.Sessions.EndSession(b.Context(), s.Hash))
	_, err = b.s.Sessions.Session(b.Context(), s.Hash, b.now)
	b.want(err, oauth.ErrNotFound)
}

func sessionsEnd(b *storeTest) {
	a, other := b.account(), b.account()
	first, second, theirs := b.session(a), b.session(a), b.session(other)
	b.must(b.s.Accounts.EndSessions(b.Context(), a.ID))
	for _, ended := range []*oauth.Session{first, second} {
		_, err := b.s.Sessions.Session(b.Context(), ended.Hash, b.now)
		b.want(err, oauth.ErrNotFound)
	}
	_, err := b.s.Sessions.Session(b.Context(), theirs.Hash, b.now)
	b.must(err)
}

func administrator(b *storeTest) {
	g := b.grant("client")
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	s := b.session(&oauth.Account{ID: g.AccountID})
	for _, admin := range []bool{true, false} {
		b.must(b.s.Accounts.SetAdmin(b.Context(), g.AccountID, admin))
		a, err := b.s.Accounts.Account(b.Context(), g.Name)
		b.must(err)
		session, err := b.s.Sessions.Session(b.Context(), s.Hash, b.now)
		b.must(err)
		got, err := b.s.Grants.Grant(b.Context(), g.ID)
		b.must(err)
		if a.Admin != admin || session.Admin != admin || got.Admin != admin {
			b.Errorf("got %t, %t, %t, want %t", a.Admin, session.Admin, got.Admin, admin)
		}
	}
	b.want(b.s.Accounts.SetAdmin(b.Context(), "nobody", true), oauth.ErrNotFound)
}

func disabledAccount(b *storeTest) {
	a := &oauth.Account{ID: b.name("account"), Name: "gone", Password: "x", Disabled: true, Created: b.now}
	b.must(b.s.Accounts.AddAccount(b.Context(), a))
	s := b.session(a)
	_, err := b.s.Sessions.Session(b.Context(), s.Hash, b.now)
	b.want(err, oauth.ErrNotFound)
	g := b.grant("client")
	g.AccountID = a.ID
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	if b.live(g.ID) {
		b.Error("the grant of a disabled account is alive")
	}
}

func requestRoundTrip(b *storeTest) {
	r := b.request()
	got, err := b.s.Requests.Request(b.Context(), r.Handle, b.now)
	b.must(err)
	equal(b, got, r)
	_, err = b.s.Requests.Request(b.Context(), r.Handle, r.Expires)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Requests.Request(b.Context(), "nothing", b.now)
	b.want(err, oauth.ErrNotFound)
}

func requestAnsweredOnce(b *storeTest) {
	r := b.request()
	grants := make([]*oauth.Grant, parallel)
	for i := range grants {
		grants[i] = b.grant(r.ClientID)
	}
	counts := b.race(func(i int) error {
		if i%4 == 0 {
			return b.s.Requests.Deny(b.Context(), r.Handle)
		}
		c := &oauth.Code{Hash: grants[i].ID, ClientID: r.ClientID, Expires: r.Expires}
		return b.s.Requests.Approve(b.Context(), r.Handle, grants[i], c)
	})
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	recorded := 0
	for _, g := range grants {
		if _, err := b.s.Grants.Grant(b.Context(), g.ID); err == nil {
			recorded++
		}
	}
	if recorded > 1 {
		b.Errorf("got %d grants, want one at most", recorded)
	}
}
