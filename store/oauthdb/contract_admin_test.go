package oauthdb_test

import (
	"time"

	"rialto/oauth"
)

func disabledAgain(b *storeTest) {
	g := b.grant("client")
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	a, err := b.s.Accounts.AccountOf(b.Context(), g.AccountID)
	b.must(err)
	s := b.session(a)
	b.must(b.s.Accounts.SetDisabled(b.Context(), a.ID, true))
	_, err = b.s.Sessions.Session(b.Context(), s.Hash, b.now)
	b.want(err, oauth.ErrNotFound)
	if b.live(g.ID) {
		b.Error("the grant of a disabled account is live")
	}
	b.must(b.s.Accounts.SetDisabled(b.Context(), a.ID, false))
	_, err = b.s.Sessions.Session(b.Context(), s.Hash, b.now)
	b.must(err)
	if !b.live(g.ID) {
		b.Error("the grant of an account that was enabled again is dead")
	}
	b.want(b.s.Accounts.SetDisabled(b.Context(), "nobody", true), oauth.ErrNotFound)
}

func grantsRevoked(b *storeTest) {
	var grants []*oauth.Grant
	for _, client := range []string{"one", "two", "one"} {
		g := b.grant(client)
		b.must(b.s.Grants.AddGrant(b.Context(), g))
		grants = append(grants, g)
	}
	second := *grants[0] // same account, another client
	second.ID, second.ClientID = b.name("grant"), "two"
	b.must(b.s.Grants.AddGrant(b.Context(), &second))
	lives := func(want ...bool) {
		b.Helper()
		equal(b, []bool{b.live(grants[0].ID), b.live(grants[1].ID), b.live(grants[2].ID), b.live(second.ID)}, want)
	}
	end := func(account, client string, limit, want int) {
		b.Helper()
		n, err := b.s.Grants.RevokeGrants(b.Context(), account, client, b.now, limit)
		b.must(err)
		equal(b, n, want)
	}
	end(grants[0].AccountID, "two", 10, 1)
	lives(true, true, true, false)
	end("", "one", 1, 1)
	end("", "one", 10, 1)
	lives(false, true, false, false)
	end(grants[1].AccountID, "", 10, 1)
	lives(false, false, false, false)
	end("", "one", 10, 0)
}

func usesNoted(b *storeTest) {
	g := b.grant("client")
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	used := func(want time.Time) {
		b.Helper()
		got, err := b.s.Grants.Grant(b.Context(), g.ID)
		b.must(err)
		equal(b, got.Used, want)
	}
	used(time.Time{})
	b.must(b.s.Grants.NoteUses(b.Context(), map[string]time.Time{g.ID: b.now, "nobody's": b.now}))
	used(b.now)
	b.must(b.s.Grants.NoteUses(b.Context(), map[string]time.Time{g.ID: b.now.Add(-time.Hour)}))
	used(b.now)
}

func documentDropped(b *storeTest) {
	d := &oauth.Document{ID: "https://app.example/c", Body: "{}", Fetched: b.now, Fresh: b.now, Expires: b.now}
	b.must(b.s.Documents.KeepDocument(b.Context(), d, 10))
	counts := b.race(func(int) error { return b.s.Documents.DropDocument(b.Context(), d.ID) })
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	_, err := b.s.Documents.Document(b.Context(), d.ID)
	b.want(err, oauth.ErrNotFound)
}
