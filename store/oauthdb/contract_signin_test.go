package oauthdb_test

import (
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
		Hash: "s", AccountID: elsewhere.ID, Name: elsewhere.Name, UseCases: elsewhere.UseCases,
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
	names, err := b.s.Accounts.Accounts(b.Context())
	b.must(err)
	equal(b, len(names), 1)
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
	for _, limit := range []int{10, 15} {
		counts := b.race(func(int) error {
			open, err := b.s.Accounts.CountGuess(b.Context(), a, limit)
			if err == nil && !open {
				err = oauth.ErrNotFound
			}
			return err
		})
		more := 10
		if limit > 10 {
			more = 5 // of the same counter
		}
		equal(b, counts, map[error]int{nil: more, oauth.ErrNotFound: parallel - more})
	}
	for _, forget := range []func() error{
		func() error { return b.s.Accounts.ForgetGuesses(b.Context(), a) },
		func() error { return b.s.Accounts.SetPassword(b.Context(), a, "another", time.Time{}) },
	} {
		b.must(forget())
		open, err := b.s.Accounts.CountGuess(b.Context(), a, 1)
		if b.must(err); !open {
			b.Error("want guesses to count anew")
		}
	}
	open, err := b.s.Accounts.CountGuess(b.Context(), "nobody", 10)
	if b.must(err); open {
		b.Error("want no guess for an account that does not exist")
	}
}
