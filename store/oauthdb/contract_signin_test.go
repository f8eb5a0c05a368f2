package oauthdb_test

import (
	"strconv"
	"time"

	"rialto/oauth"
)

func identified(b *storeTest) {
	person := func(i int) *oauth.Account {
		return &oauth.Account{
			ID: b.Name() + string(rune('a'+i)), Name: "corp:ada", Created: b.now,
			Issuer: "https://id.example", Subject: "1", UseCases: oauth.ScopeSet{"sales"},
		}
	}
	ids := make(chan string, parallel)
	counts := b.race(func(i int) error {
		a, err := b.s.Identities.Identify(b.Context(), person(i), true)
		if err == nil {
			ids <- a.ID
		}
		return err
	})
	equal(b, counts, map[error]int{nil: parallel})
	first := <-ids
	for range parallel - 1 {
		equal(b, <-ids, first)
	}
	again := person(0)
	again.ID, again.Name, again.UseCases, again.Admin = "other", "corp:renamed", nil, true
	got, err := b.s.Identities.Identify(b.Context(), again, true)
	b.must(err)
	again.ID, again.Name = first, "corp:ada"
	equal(b, got, again)
	got, err = b.s.Identities.Identify(b.Context(), person(1), false)
	b.must(err)
	equal(b, got, again) // the rights stay as they were

	elsewhere := person(0)
	elsewhere.ID, elsewhere.Issuer = "elsewhere", "https://other.example"
	_, err = b.s.Identities.Identify(b.Context(), elsewhere, true) // the same subject, another issuer
	b.want(err, oauth.ErrExists)
	elsewhere.Name = "other:ada"
	got, err = b.s.Identities.Identify(b.Context(), elsewhere, true)
	b.must(err)
	equal(b, got, elsewhere)
	byName, err := b.s.Accounts.Account(b.Context(), "other:ada")
	b.must(err)
	equal(b, byName, elsewhere)
	s := &oauth.Session{
		Hash: "s", AccountID: elsewhere.ID, Name: elsewhere.Name, UseCases: elsewhere.UseCases, Issuer: elsewhere.Issuer,
		Created: b.now, Expires: b.now.Add(time.Hour), GrantsUntil: b.now.Add(time.Minute),
	}
	b.must(b.s.Sessions.AddSession(b.Context(), s))
	held, err := b.s.Sessions.Session(b.Context(), "s", b.now)
	b.must(err)
	equal(b, held, s)
	g := &oauth.Grant{ID: "limited", AccountID: elsewhere.ID, ClientID: "c", Created: b.now, Expires: b.now.Add(time.Hour)}
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	granted, err := b.s.Grants.Grant(b.Context(), g.ID)
	b.must(err)
	equal(b, granted.UseCases, elsewhere.UseCases)
}

func firstAccount(b *storeTest) {
	b.must(b.s.Setup.OpenSetup(b.Context(), "code", b.now.Add(time.Hour)))
	counts := b.race(func(i int) error {
		name := string(rune('a' + i))
		return b.s.Setup.AddFirstAccount(b.Context(), "code", &oauth.Account{ID: name, Name: name, Password: "x", Created: b.now}, b.now)
	})
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	made := 0
	for i := range parallel {
		if _, err := b.s.Accounts.Account(b.Context(), string(rune('a'+i))); err == nil {
			made++
		}
	}
	equal(b, made, 1)
}

func setupCode(b *storeTest) {
	open := func(now time.Time) bool {
		b.Helper()
		open, err := b.s.Setup.SetupOpen(b.Context(), now)
		b.must(err)
		return open
	}
	if open(b.now) {
		b.Error("the setup is open without a code")
	}
	// A person who signs in elsewhere first must not shut the operator out.
	_, err := b.s.Identities.Identify(b.Context(), &oauth.Account{ID: "e", Name: "corp:e", Issuer: "https://id.example", Subject: "1", Created: b.now}, true)
	b.must(err)
	first := &oauth.Account{ID: "first", Name: "first", Password: "x", Created: b.now}
	b.must(b.s.Setup.OpenSetup(b.Context(), "old", b.now.Add(time.Hour)))
	b.must(b.s.Setup.OpenSetup(b.Context(), "new", b.now.Add(time.Hour)))
	b.want(b.s.Setup.AddFirstAccount(b.Context(), "old", first, b.now), oauth.ErrNotFound)
	b.want(b.s.Setup.AddFirstAccount(b.Context(), "new", first, b.now.Add(time.Hour)), oauth.ErrNotFound)
	if !open(b.now) || open(b.now.Add(time.Hour)) {
		b.Error("want the setup open until the code expires")
	}
	b.must(b.s.Accounts.AddAccount(b.Context(), first))
	if open(b.now) {
		b.Error("the setup is open though there is an account")
	}
	another := &oauth.Account{ID: "another", Name: "another", Password: "x", Created: b.now}
	b.want(b.s.Setup.AddFirstAccount(b.Context(), "new", another, b.now), oauth.ErrNotFound)
	b.want(b.s.Setup.OpenSetup(b.Context(), "late", b.now.Add(time.Hour)), oauth.ErrExists)
}

func loginTakenOnce(b *storeTest) {
	l := &oauth.Login{
		State: "state", Browser: "browser", Provider: "corp", Handle: "handle",
		Scope: oauth.ScopeSet{"mcp:tools", "offline_access"}, Next: "/page", Expires: b.now.Add(time.Minute),
	}
	b.must(b.s.Logins.AddLogin(b.Context(), l))
	got, err := b.s.Logins.Login(b.Context(), l.State, b.now)
	b.must(err)
	equal(b, got, l)
	_, err = b.s.Logins.Login(b.Context(), l.State, l.Expires)
	b.want(err, oauth.ErrNotFound)
	counts := b.race(func(int) error { return b.s.Logins.TakeLogin(b.Context(), l.State) })
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})

	b.must(b.s.Logins.AddLogin(b.Context(), l))
	b.drop(b.now)
	_, err = b.s.Logins.Login(b.Context(), l.State, b.now)
	b.must(err)
	b.drop(l.Expires)
	_, err = b.s.Logins.Login(b.Context(), l.State, b.now)
	b.want(err, oauth.ErrNotFound)
}

func guessesCounted(b *storeTest) {
	a := b.account().ID
	count := func(key string, limit int, now time.Time) error {
		open, err := b.s.Guesses.CountGuess(b.Context(), key, key != a, limit, now)
		if err == nil && !open {
			err = oauth.ErrNotFound
		}
		return err
	}
	for _, key := range []string{a, "a digest"} {
		for _, limit := range []int{10, 15} {
			counts := b.race(func(int) error { return count(key, limit, b.now) })
			more := 10
			if limit > 10 {
				more = 5 // of the same counter
			}
			equal(b, counts, map[error]int{nil: more, oauth.ErrNotFound: parallel - more})
		}
		for hours := range 3 {
			later := b.now.Add(time.Duration(hours+1) * time.Hour)
			b.want(count(key, 10, later.Add(-time.Second)), oauth.ErrNotFound)
			counts := b.race(func(int) error { return count(key, 10, later) })
			equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
		}
		b.must(count(key, 16, b.now)) // those of an hour did not count
		b.want(count(key, 16, b.now), oauth.ErrNotFound)
	}
	for _, forget := range []func() error{
		func() error { return b.s.Accounts.ForgetGuesses(b.Context(), a) },
		func() error { return b.s.Guesses.SignedIn(b.Context(), a, "a network", b.now) },
		func() error { return b.s.Accounts.SetPassword(b.Context(), a, "another", time.Time{}) },
	} {
		b.must(forget())
		b.must(count(a, 1, b.now))
	}
}

func networksKept(b *storeTest) {
	a, other := b.account().ID, b.account().ID
	b.must(b.s.Guesses.SignedIn(b.Context(), other, "0", b.now))
	for i := range 12 {
		now := b.now.Add(time.Duration(i) * time.Second)
		b.must(b.s.Guesses.SignedIn(b.Context(), a, strconv.Itoa(i), now))
		b.must(b.s.Guesses.SignedIn(b.Context(), a, "home", now))
	}
	for network, want := range map[string]bool{"home": true, "11": true, "3": true, "2": false, "0": false, "12": false} {
		known, err := b.s.Guesses.KnowsNetwork(b.Context(), a, network)
		b.must(err)
		if known != want {
			b.Errorf("network %s is known: %t, want %t", network, known, want)
		}
	}
	counts := b.race(func(i int) error { return b.s.Guesses.SignedIn(b.Context(), a, strconv.Itoa(i%20), b.now) })
	equal(b, counts, map[error]int{nil: parallel})
	known, err := b.s.Guesses.KnowsNetwork(b.Context(), other, "0")
	if b.must(err); !known {
		b.Error("the networks of an account ended those of another")
	}
}

func linkTakenOnce(b *storeTest) {
	a, other := b.account(), b.account()
	expires := b.now.Add(time.Hour)
	b.must(b.s.Links.AddLink(b.Context(), "older", a.ID, expires))
	b.must(b.s.Links.AddLink(b.Context(), "link", a.ID, expires))
	b.must(b.s.Links.AddLink(b.Context(), "another", other.ID, expires))
	got, err := b.s.Links.LinkedAccount(b.Context(), "link", b.now)
	b.must(err)
	equal(b, got, a)
	gone := func(hash string, now time.Time) {
		b.Helper()
		_, err := b.s.Links.LinkedAccount(b.Context(), hash, now)
		b.want(err, oauth.ErrNotFound)
	}
	gone("older", b.now)
	gone("link", expires)
	b.must(b.s.Accounts.SetDisabled(b.Context(), a.ID, true))
	gone("link", b.now)
	b.must(b.s.Accounts.SetDisabled(b.Context(), a.ID, false))
	counts := b.race(func(int) error { return b.s.Links.TakeLink(b.Context(), "link") })
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	gone("link", b.now)
	got, err = b.s.Links.LinkedAccount(b.Context(), "another", b.now)
	b.must(err)
	equal(b, got, other)

	b.drop(b.now)
	_, err = b.s.Links.LinkedAccount(b.Context(), "another", b.now)
	b.must(err)
	b.drop(expires)
	gone("another", b.now)
	b.must(b.s.Links.AddLink(b.Context(), "third", a.ID, expires))
	b.must(b.s.Accounts.SetPassword(b.Context(), a.ID, "a new password", time.Time{}))
	gone("third", b.now)
}
