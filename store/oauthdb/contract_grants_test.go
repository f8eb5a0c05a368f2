package oauthdb_test

import (
	"sync"
	"time"

	"rialto/oauth"
)

func grantRoundTrip(b *storeTest) {
	g := b.grant("client")
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	got, err := b.s.Grants.Grant(b.Context(), g.ID)
	b.must(err)
	equal(b, got, g)
	if !b.live(g.ID) {
		b.Error("a new grant is not alive")
	}
	_, err = b.s.Grants.Grant(b.Context(), "nothing")
	b.want(err, oauth.ErrNotFound)
}

func grantStaysRevoked(b *storeTest) {
	g := b.grant("client")
	b.must(b.s.Grants.AddGrant(b.Context(), g))
	b.must(b.s.Grants.RevokeGrant(b.Context(), g.ID, b.now))
	b.must(b.s.Grants.RevokeGrant(b.Context(), g.ID, b.now.Add(time.Hour)))
	got, err := b.s.Grants.Grant(b.Context(), g.ID)
	b.must(err)
	equal(b, got.Revoked, b.now)
	b.must(b.s.Grants.RevokeGrant(b.Context(), "nothing", b.now))
}

func codeTakenOnce(b *storeTest) {
	c, g := b.code()
	var mu sync.Mutex
	var taken *oauth.Code
	counts := b.race(func(i int) error {
		got, err := b.s.Codes.TakeCode(b.Context(), c.Hash, c.ClientID, nil, b.now)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			taken = got
		}
		return err
	})
	equal(b, counts, map[error]int{nil: 1, oauth.ErrReused: parallel - 1})
	want := *c
	want.Grant = g
	equal(b, taken, &want)
	if b.live(g.ID) {
		b.Error("the grant of a code that was used twice is alive")
	}
}

func codeOfAnother(b *storeTest) {
	c, g := b.code()
	_, err := b.s.Codes.TakeCode(b.Context(), c.Hash, "another client", nil, b.now)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Codes.TakeCode(b.Context(), "nothing", c.ClientID, nil, b.now)
	b.want(err, oauth.ErrNotFound)
	_, err = b.s.Codes.TakeCode(b.Context(), c.Hash, c.ClientID, nil, b.now)
	b.must(err)
	_, err = b.s.Codes.TakeCode(b.Context(), c.Hash, "another client", nil, b.now)
	b.want(err, oauth.ErrNotFound)
	if !b.live(g.ID) {
		b.Error("another client's attempt revoked the grant")
	}
}

func grantOfGrant(b *storeTest) {
	parent := b.grant("client")
	b.must(b.s.Grants.AddGrant(b.Context(), parent))
	child := func() *oauth.Grant {
		g := *parent
		g.ID, g.ClientID, g.Parent = b.name("child"), "actor", parent.ID
		b.must(b.s.Grants.AddGrant(b.Context(), &g))
		got, err := b.s.Grants.Grant(b.Context(), g.ID)
		b.must(err)
		equal(b, got, &g)
		return got
	}
	first, second := child(), child()
	b.must(b.s.Grants.RevokeGrant(b.Context(), first.ID, b.now))
	if b.live(first.ID) || !b.live(second.ID) || !b.live(parent.ID) {
		b.Errorf("a child was revoked: got %t %t %t", b.live(first.ID), b.live(second.ID), b.live(parent.ID))
	}
	b.must(b.s.Grants.RevokeGrant(b.Context(), parent.ID, b.now))
	if b.live(second.ID) {
		b.Error("the parent was revoked, and its child lives")
	}
	orphan := *parent
	orphan.ID, orphan.Parent = b.name("orphan"), "nothing"
	b.must(b.s.Grants.AddGrant(b.Context(), &orphan))
	if b.live(orphan.ID) {
		b.Error("a grant whose parent is gone lives")
	}
}

func codeStartsFamily(b *storeTest) {
	first, g := b.family()
	got, of, err := b.s.Codes.Refresh(b.Context(), first.Hash)
	b.must(err)
	equal(b, got, first)
	equal(b, of, g)
	_, _, err = b.s.Codes.Refresh(b.Context(), "nothing")
	b.want(err, oauth.ErrNotFound)
}

func rotateInGrace(b *storeTest) {
	first, g := b.family()
	rotations := make([]oauth.Rotation, parallel)
	for i := range rotations {
		rotations[i] = b.rotation(first)
		rotations[i].Now = b.now.Add(time.Duration(i) * time.Second)
	}
	var mu sync.Mutex
	answers := map[string]int{}
	counts := b.race(func(i int) error {
		sealed, err := b.s.Codes.Rotate(b.Context(), rotations[i])
		mu.Lock()
		defer mu.Unlock()
		answers[sealed]++
		return err
	})
	equal(b, counts, map[error]int{nil: parallel})
	if len(answers) != 1 {
		b.Errorf("got %d different successors, want one", len(answers))
	}
	for _, r := range rotations {
		_, of, err := b.s.Codes.Refresh(b.Context(), r.Next.Hash)
		if answers[r.Sealed] == 0 {
			b.want(err, oauth.ErrNotFound)
			continue
		}
		b.must(err)
		equal(b, of.ID, g.ID)
		_, err = b.s.Codes.Rotate(b.Context(), b.rotation(&r.Next))
		b.must(err)
	}
	if !b.live(g.ID) {
		b.Error("the family ended within the grace")
	}
}

func rotateWithoutGrace(b *storeTest) {
	first, g := b.family()
	rotations := make([]oauth.Rotation, parallel)
	for i := range rotations {
		rotations[i] = b.rotation(first)
		rotations[i].Grace = 0
	}
	counts := b.race(func(i int) error {
		_, err := b.s.Codes.Rotate(b.Context(), rotations[i])
		return err
	})
	if counts[nil] != 1 || counts[oauth.ErrReused] < 1 || counts[nil]+counts[oauth.ErrReused]+counts[oauth.ErrNotFound] != parallel {
		b.Errorf("got %v, want one success and at least one ErrReused", counts)
	}
	if b.live(g.ID) {
		b.Error("the family is alive")
	}
}

func rotateAfterGrace(b *storeTest) {
	first, g := b.family()
	r := b.rotation(first)
	sealed, err := b.s.Codes.Rotate(b.Context(), r)
	b.must(err)
	equal(b, sealed, r.Sealed)
	late := b.rotation(first)
	late.Now = b.now.Add(late.Grace - time.Millisecond)
	again, err := b.s.Codes.Rotate(b.Context(), late)
	b.must(err)
	equal(b, again, sealed)
	late.Now = b.now.Add(late.Grace) // the second use did not prolong it
	_, err = b.s.Codes.Rotate(b.Context(), late)
	b.want(err, oauth.ErrReused)
	if b.live(g.ID) {
		b.Error("the family is alive")
	}
	_, err = b.s.Codes.Rotate(b.Context(), b.rotation(&r.Next))
	b.want(err, oauth.ErrNotFound)
}

func rotateTooOften(b *storeTest) {
	first, g := b.family()
	r := b.rotation(first)
	r.MaxUses = 3
	for range 3 {
		_, err := b.s.Codes.Rotate(b.Context(), r)
		b.must(err)
	}
	_, err := b.s.Codes.Rotate(b.Context(), r)
	b.want(err, oauth.ErrReused)
	if b.live(g.ID) {
		b.Error("the family is alive")
	}
}

func rotateNotFound(b *storeTest) {
	first, g := b.family()
	other := b.rotation(first)
	other.ClientID = "another client"
	_, err := b.s.Codes.Rotate(b.Context(), other)
	b.want(err, oauth.ErrNotFound)
	expired := b.rotation(first)
	expired.Now = first.Expires
	_, err = b.s.Codes.Rotate(b.Context(), expired)
	b.want(err, oauth.ErrNotFound)

	r := b.rotation(first) // neither attempt was a use
	sealed, err := b.s.Codes.Rotate(b.Context(), r)
	b.must(err)
	equal(b, sealed, r.Sealed)
	used, _, err := b.s.Codes.Refresh(b.Context(), first.Hash)
	b.must(err)
	unused, _, err := b.s.Codes.Refresh(b.Context(), r.Next.Hash)
	b.must(err)
	if !used.Used.Equal(b.now) || !unused.Used.IsZero() {
		b.Errorf("got uses at %s and %s, want the first at the rotation and none", used.Used, unused.Used)
	}
	if !b.live(g.ID) {
		b.Error("the family ended")
	}
}

func rotateRevoked(b *storeTest) {
	first, g := b.family()
	b.must(b.s.Grants.RevokeGrant(b.Context(), g.ID, b.now))
	_, err := b.s.Codes.Rotate(b.Context(), b.rotation(first))
	b.want(err, oauth.ErrNotFound)
	_, of, err := b.s.Codes.Refresh(b.Context(), first.Hash)
	b.must(err)
	if of.Live(b.now) {
		b.Error("the grant is alive")
	}
}

func keyAddedOnce(b *storeTest) {
	key := func(seq int64, id string) oauth.SealedKey {
		return oauth.SealedKey{Seq: seq, KeyID: id, Private: "sealed " + id, Active: b.now, Expires: b.now.Add(time.Hour)}
	}
	counts := b.race(func(i int) error { return b.s.Keys.AddKey(b.Context(), key(1, string(rune('A'+i))), b.now) })
	equal(b, counts, map[error]int{nil: parallel})
	b.must(b.s.Keys.AddKey(b.Context(), key(2, "second"), b.now.Add(time.Minute)))
	keys, err := b.s.Keys.Keys(b.Context(), b.now)
	b.must(err)
	if len(keys) != 2 || keys[0].Seq != 1 {
		b.Fatalf("got %+v, want one key of each place, in order", keys)
	}
	equal(b, keys[1], key(2, "second"))
	keys, err = b.s.Keys.Keys(b.Context(), b.now.Add(time.Hour))
	b.must(err)
	equal(b, len(keys), 0)
}

func keyEndsWithWhatItSigned(b *storeTest) {
	key := func(seq int64, id string) oauth.SealedKey {
		return oauth.SealedKey{Seq: seq, KeyID: id, Private: "sealed " + id, Active: b.now, Expires: b.now.Add(1000 * time.Hour)}
	}
	ends := func() (all []time.Duration) {
		keys, err := b.s.Keys.Keys(b.Context(), b.now)
		b.must(err)
		for _, k := range keys {
			all = append(all, k.Expires.Sub(b.now))
		}
		return all
	}
	b.must(b.s.Keys.AddKey(b.Context(), key(1, "one"), b.now))
	b.must(b.s.Keys.NoteSigned(b.Context(), "one", b.now.Add(5*time.Hour)))
	b.must(b.s.Keys.NoteSigned(b.Context(), "one", b.now.Add(time.Hour)))
	b.must(b.s.Keys.AddKey(b.Context(), key(2, "two"), b.now.Add(time.Minute)))
	b.must(b.s.Keys.AddKey(b.Context(), key(3, "three"), b.now.Add(2*time.Hour)))
	equal(b, ends(), []time.Duration{5 * time.Hour, 2 * time.Hour, 1000 * time.Hour})
	b.must(b.s.Keys.NoteSigned(b.Context(), "two", b.now.Add(3*time.Hour)))
	equal(b, ends(), []time.Duration{5 * time.Hour, 3 * time.Hour, 1000 * time.Hour})
	b.want(b.s.Keys.NoteSigned(b.Context(), "none", b.now), oauth.ErrNotFound)

	replacement := key(0, "four")
	b.must(b.s.Keys.RemoveKey(b.Context(), "one", nil))
	counts := b.race(func(i int) error {
		k := replacement
		k.KeyID += string(rune('A' + i))
		return b.s.Keys.RemoveKey(b.Context(), "three", &k)
	})
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})
	keys, err := b.s.Keys.Keys(b.Context(), b.now)
	b.must(err)
	if len(keys) != 2 || keys[0].KeyID != "two" || keys[1].Seq != 4 {
		b.Errorf("got %+v, want the second key and the replacement", keys)
	}
}
