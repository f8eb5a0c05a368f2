package oauthdb_test

import (
	"time"

	"rialto/oauth"
)

// document keeps the document of a client that was not there before.
func (b *storeTest) document(fetched time.Time) *oauth.Document {
	b.Helper()
	d := &oauth.Document{
		ID:      "https://app.example/" + b.name("document"),
		Body:    `{"client_name":"Ünïcode"}`,
		Fetched: fetched,
		Fresh:   fetched.Add(time.Minute),
		Expires: fetched.Add(time.Hour),
	}
	b.must(b.s.Documents.KeepDocument(b.Context(), d, 1000))
	return d
}

func documentKept(b *storeTest) {
	d := b.document(b.now)
	got, err := b.s.Documents.Document(b.Context(), d.ID)
	b.must(err)
	equal(b, got, d)
	_, err = b.s.Documents.Document(b.Context(), "https://app.example/nothing")
	b.want(err, oauth.ErrNotFound)

	newer, older := *d, *d
	newer.Body, newer.Fetched, newer.Expires = "newer", b.now.Add(time.Second), b.now.Add(2*time.Hour)
	older.Body, older.Fetched = "older", b.now.Add(-time.Second)
	b.must(b.s.Documents.KeepDocument(b.Context(), &newer, 1000))
	b.must(b.s.Documents.KeepDocument(b.Context(), &older, 1000))
	got, err = b.s.Documents.Document(b.Context(), d.ID)
	b.must(err)
	equal(b, got, &newer)
	equal(b, b.race(func(int) error { return b.s.Documents.KeepDocument(b.Context(), &newer, 1000) }), map[error]int{nil: parallel})
}

func documentEviction(b *storeTest) {
	used, oldest, newer := b.document(b.now), b.document(b.now.Add(time.Second)), b.document(b.now.Add(2*time.Second))
	b.must(b.s.Grants.AddGrant(b.Context(), b.grant(used.ID)))
	last := &oauth.Document{ID: "https://app.example/last", Fetched: b.now, Fresh: b.now, Expires: b.now}
	b.must(b.s.Documents.KeepDocument(b.Context(), last, 3))
	_, err := b.s.Documents.Document(b.Context(), oldest.ID)
	b.want(err, oauth.ErrNotFound)
	for _, d := range []*oauth.Document{used, newer, last} {
		_, err := b.s.Documents.Document(b.Context(), d.ID)
		b.must(err)
	}
	b.must(b.s.Documents.KeepDocument(b.Context(), newer, 3)) // in its own place
	_, err = b.s.Documents.Document(b.Context(), last.ID)
	b.must(err)
}

func usedOnce(b *storeTest) {
	expires := b.now.Add(time.Minute)
	counts := b.race(func(int) error { return b.s.Once.UseOnce(b.Context(), "x", expires) })
	equal(b, counts, map[error]int{nil: 1, oauth.ErrReused: parallel - 1})
	b.must(b.s.Once.UseOnce(b.Context(), "y", expires))
	b.drop(expires.Add(-time.Second))
	b.want(b.s.Once.UseOnce(b.Context(), "x", expires), oauth.ErrReused)
	b.drop(expires)
	b.must(b.s.Once.UseOnce(b.Context(), "x", expires))
}

func pushedTakenOnce(b *storeTest) {
	r := &oauth.Request{Handle: b.name("handle"), ClientID: "c", RedirectURI: "https://app.example/cb", Scope: oauth.ScopeSet{"mcp:tools"}, Expires: b.now.Add(time.Minute)}
	b.must(b.s.Requests.AddRequest(b.Context(), r))
	for _, call := range []struct {
		client string
		now    time.Time
	}{{"another", b.now}, {"c", r.Expires}} {
		_, err := b.s.Requests.TakePushed(b.Context(), r.Handle, call.client, call.now)
		b.want(err, oauth.ErrNotFound)
	}
	counts := b.race(func(int) error {
		got, err := b.s.Requests.TakePushed(b.Context(), r.Handle, "c", b.now)
		if err == nil {
			equal(b, got, r)
		}
		return err
	})
	equal(b, counts, map[error]int{nil: 1, oauth.ErrNotFound: parallel - 1})

	waiting := b.request() // belongs to a browser
	_, err := b.s.Requests.TakePushed(b.Context(), waiting.Handle, waiting.ClientID, b.now)
	b.want(err, oauth.ErrNotFound)
}
