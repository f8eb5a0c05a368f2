package oauthdb_test

import (
	"testing"
	"time"

	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/store/oauthdb"
	"rialto/store/sqldb"
	"rialto/store/storetest"
)

// drop drops what has expired at now, with the periods that tests use.
func (b *storeTest) drop(now time.Time) {
	b.Helper()
	b.must(b.s.Expired.DropExpired(b.Context(), oauth.Expiry{
		Now:     now,
		Grants:  now.Add(-30 * 24 * time.Hour),
		Clients: now.Add(-24 * time.Hour),
		Grace:   2 * time.Minute,
	}))
}

func dropExpired(b *storeTest) {
	session, request := b.session(b.account()), b.request()
	untaken, lost := b.code()
	token, g := b.family()
	used := b.rotation(token)
	_, err := b.s.Codes.Rotate(b.Context(), used)
	b.must(err)
	b.must(b.s.Keys.AddKey(b.Context(), oauth.SealedKey{Seq: 1, KeyID: "k", Active: b.now, Expires: b.now.Add(time.Hour)}, b.now))

	document := b.document(b.now)

	b.drop(b.now)
	_, err = b.s.Documents.Document(b.Context(), document.ID)
	b.must(err)
	_, err = b.s.Sessions.Session(b.Context(), session.Hash, b.now)
	b.must(err)
	_, err = b.s.Requests.Request(b.Context(), request.Handle, b.now)
	b.must(err)
	_, err = b.s.Grants.Grant(b.Context(), lost.ID)
	b.must(err)
	again, err := b.s.Codes.Rotate(b.Context(), b.rotation(token))
	b.must(err)
	equal(b, again, used.Sealed)

	b.drop(b.now.Add(24 * time.Hour))
	_, err = b.s.Documents.Document(b.Context(), document.ID)
	b.want(err, oauth.ErrNotFound)
	// The following is read as of now, and is gone nevertheless.
	_, err = b.s.Sessions.Session(b.Context(), session.Hash, b.now)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Requests.Request(b.Context(), request.Handle, b.now)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Grants.Grant(b.Context(), lost.ID)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Codes.TakeCode(b.Context(), untaken.Hash, untaken.ClientID, nil, b.now)
	b.want(err, oauth.ErrNotFound)
	_, _, err = b.s.Codes.Refresh(b.Context(), token.Hash)
	b.want(err, oauth.ErrNotFound)
	keys, err := b.s.Keys.Keys(b.Context(), b.now)
	b.must(err)
	equal(b, len(keys), 0)
	if !b.live(g.ID) {
		b.Error("a grant that is alive was dropped")
	}
}

func dropClients(b *storeTest) {
	never, deciding, granted := b.client(), b.client(), b.client()
	r := &oauth.Request{Handle: b.name("handle"), ClientID: deciding.ID, Expires: b.now.Add(48 * time.Hour)}
	b.must(b.s.Requests.AddRequest(b.Context(), r))
	g := b.grant(granted.ID)
	b.must(b.s.Grants.AddGrant(b.Context(), g))

	b.drop(b.now.Add(23 * time.Hour))
	_, err := b.s.Clients.Client(b.Context(), never.ID)
	b.must(err)

	b.drop(b.now.Add(25 * time.Hour))
	_, err = b.s.Clients.Client(b.Context(), never.ID)
	b.want(err, oauth.ErrNotFound)
	for _, c := range []*oauth.Client{deciding, granted} {
		_, err := b.s.Clients.Client(b.Context(), c.ID)
		b.must(err)
	}

	b.must(b.s.Grants.RevokeGrant(b.Context(), g.ID, b.now))
	b.drop(b.now.Add(31 * 24 * time.Hour))
	_, err = b.s.Clients.Client(b.Context(), granted.ID)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Grants.Grant(b.Context(), g.ID)
	b.want(err, oauth.ErrNotFound)
}

// TestUnknownNamesAreBounded drops guesses for names without an account, when they are too many.
func TestUnknownNamesAreBounded(t *testing.T) {
	for engine, dsn := range map[string]func() string{
		"SQLite":     func() string { return storetest.File(t, sqldb.Open) },
		"PostgreSQL": func() string { return oauthtest.PostgresSchema(t) },
	} {
		db, err := sqldb.Open(t.Context(), dsn())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, many := range []string{`SELECT 'known', 0, 100, 1`, `
			WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 11000)
			SELECT 'unknown ' || x, 1, 90, x FROM i`} {
			if err := sqldb.Exec(t.Context(), db.Write, `INSERT INTO guesses (key, unknown, n, at) `+many); err != nil {
				t.Fatal(err)
			}
		}
		if err := oauthdb.New(db).Expired.DropExpired(t.Context(), oauth.Expiry{Now: time.Now()}); err != nil {
			t.Fatal(err)
		}
		var known, unknown, oldest int
		err = db.Read.QueryRowContext(t.Context(), `
			SELECT SUM(1 - unknown), SUM(unknown), MIN(CASE WHEN unknown = 1 THEN at END) FROM guesses`).Scan(&known, &unknown, &oldest)
		if err != nil || known != 1 || unknown != 10_000 || oldest != 1001 {
			t.Errorf("%s: got %d known, %d unknown from %d, %v; want 1, and the newest 10,000", engine, known, unknown, oldest, err)
		}
	}
}
