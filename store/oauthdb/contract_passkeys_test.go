package oauthdb_test

import (
	"time"

	"rialto/oauth"
)

func sessionsListed(b *storeTest) {
	a, other := b.account(), b.account()
	add := func(hash, owner string, expires time.Time) *oauth.Session {
		s := &oauth.Session{Hash: hash, AccountID: owner, Created: b.now, Expires: expires, Network: "203.0.113.0/24", UserAgent: "Browser/1"}
		b.must(b.s.Sessions.AddSession(b.Context(), s))
		return s
	}
	later := b.now.Add(time.Hour)
	want := add("one", a.ID, later)
	add("two", a.ID, later)
	add("over", a.ID, b.now)
	add("another", other.ID, later)
	b.must(b.s.Sessions.SawSession(b.Context(), "one", b.now.Add(time.Minute)))
	b.must(b.s.Sessions.ProveSession(b.Context(), "one", b.now.Add(time.Second)))
	b.want(b.s.Sessions.ProveSession(b.Context(), "none", b.now), oauth.ErrNotFound)
	list := func() (hashes []string) {
		all, err := b.s.Sessions.Sessions(b.Context(), a.ID, b.now)
		b.must(err)
		for _, s := range all {
			hashes = append(hashes, s.Hash)
		}
		if len(all) > 0 && all[0].Hash == "one" {
			want.Name, want.Seen, want.Proved = a.Name, b.now.Add(time.Minute), b.now.Add(time.Second)
			equal(b, all[0], want)
		}
		return hashes
	}
	equal(b, list(), []string{"one", "two"})
	b.want(b.s.Sessions.EndSessionOf(b.Context(), a.ID, "another"), oauth.ErrNotFound)
	add("three", a.ID, later)
	b.must(b.s.Sessions.EndSessionOf(b.Context(), a.ID, "three"))
	equal(b, list(), []string{"one", "two"})
	b.must(b.s.Sessions.EndOtherSessions(b.Context(), a.ID, "two"))
	equal(b, list(), []string{"two"})
	_, err := b.s.Sessions.Session(b.Context(), "another", b.now)
	b.must(err)
}

func passkeysKept(b *storeTest) {
	a, other := b.account(), b.account()
	k := &oauth.Passkey{ID: "key", AccountID: a.ID, Name: "a phone", Credential: `{"a":1}`, Count: 5, Created: b.now}
	b.must(b.s.Passkeys.AddPasskey(b.Context(), k))
	stolen := *k
	stolen.AccountID = other.ID
	b.want(b.s.Passkeys.AddPasskey(b.Context(), &stolen), oauth.ErrExists)
	list := func(id string) []*oauth.Passkey {
		all, err := b.s.Passkeys.Passkeys(b.Context(), id)
		b.must(err)
		return all
	}
	equal(b, list(a.ID), []*oauth.Passkey{k})
	equal(b, len(list(other.ID)), 0)

	counts := b.race(func(int) error { return b.s.Passkeys.UsePasskey(b.Context(), "key", 6, b.now) })
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	for _, count := range []int64{6, 5, 0} {
		b.want(b.s.Passkeys.UsePasskey(b.Context(), "key", count, b.now), oauth.ErrNotFound)
	}
	b.must(b.s.Passkeys.AddPasskey(b.Context(), &oauth.Passkey{ID: "0", AccountID: a.ID, Created: b.now.Add(time.Second)}))
	b.must(b.s.Passkeys.UsePasskey(b.Context(), "0", 0, b.now)) // it does not count
	b.must(b.s.Passkeys.UsePasskey(b.Context(), "0", 0, b.now))

	b.want(b.s.Passkeys.RenamePasskey(b.Context(), other.ID, "key", "mine"), oauth.ErrNotFound)
	b.want(b.s.Passkeys.RemovePasskey(b.Context(), other.ID, "key"), oauth.ErrNotFound)
	b.must(b.s.Passkeys.RenamePasskey(b.Context(), a.ID, "key", "a laptop"))
	k.Name, k.Count, k.Used = "a laptop", 6, b.now
	equal(b, list(a.ID)[0], k)
	b.must(b.s.Passkeys.RemovePasskey(b.Context(), a.ID, "key"))
	b.want(b.s.Passkeys.UsePasskey(b.Context(), "key", 7, b.now), oauth.ErrNotFound)
	b.must(b.s.Accounts.RemoveAccount(b.Context(), a.Name))
	equal(b, len(list(a.ID)), 0)
}

func recoveryCodesTaken(b *storeTest) {
	a, other := b.account(), b.account()
	b.must(b.s.Passkeys.SetRecoveryCodes(b.Context(), a.ID, []string{"old"}))
	b.must(b.s.Passkeys.SetRecoveryCodes(b.Context(), a.ID, []string{"x", "y"}))
	take := func(id, hash string) error { return b.s.Passkeys.TakeRecoveryCode(b.Context(), id, hash) }
	b.want(take(a.ID, "old"), oauth.ErrNotFound)
	b.want(take(other.ID, "x"), oauth.ErrNotFound)
	counts := b.race(func(int) error { return take(a.ID, "x") })
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	left, err := b.s.Passkeys.RecoveryCodes(b.Context(), a.ID)
	b.must(err)
	equal(b, left, 1)
}
