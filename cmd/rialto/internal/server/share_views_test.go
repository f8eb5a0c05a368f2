package server

import (
	"net/http"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestViewsAreCountedForTheOwner looks at a shared page as a stranger, as another user, as its owner, as a
// program that asks for the headers only, and as one that loads it again and again.
func TestViewsAreCountedForTheOwner(t *testing.T) {
	o := newOwners(t)
	var made struct{ URL string }
	o.do("POST", "/api/v1/shares", o.alice, `{"id":"task:`+o.done+`"}`).decode(t, &made)
	as := func(user string) *oauthtest.Browser {
		b := oauthtest.NewBrowser(t, nil)
		if user != "" {
			b.Submit(b.Get(o.cfg.Load().URL+"/signin"), map[string]string{"username": user, "password": "correct horse battery staple"}).Continue()
		}
		return b
	}
	type share struct {
		ID         string `json:"share_id"`
		Views      int
		LastViewed time.Time `json:"last_viewed"`
	}
	views := func() share {
		t.Helper()
		var list struct{ Shares []share }
		o.do("GET", "/api/v1/shares", o.alice, "").decode(t, &list)
		for _, s := range list.Shares {
			if s.ID != o.share {
				return s
			}
		}
		t.Fatalf("got %v", list)
		return share{}
	}
	if got := views(); got.Views != 0 || !got.LastViewed.IsZero() {
		t.Errorf("before: got %+v", got)
	}
	for user, want := range map[string]int{"alice": 0, "bob": 1, "": 1} {
		before := views().Views
		if p := as(user).Get(made.URL); p.Status != http.StatusOK {
			t.Fatalf("%q: got %d", user, p.Status)
		}
		if got := views(); got.Views != before+want || got.Views > 0 && time.Since(got.LastViewed) > time.Minute {
			t.Errorf("%q: got %+v, want %d more", user, got, want)
		}
	}
	if answer, err := http.Head(made.URL); err != nil || answer.StatusCode != http.StatusOK || views().Views != 2 {
		t.Errorf("HEAD: got %v, %v, %d views", answer, err, views().Views)
	}
	stranger := as("")
	for range 40 {
		stranger.Get(made.URL)
	}
	if got := views().Views; got < 9 || got > 15 {
		t.Errorf("got %d views after 42 in a moment, want that most do not count", got)
	}
	if got := stranger.Get(made.URL + "x").Status; got != http.StatusNotFound {
		t.Errorf("another link: got %d", got)
	}
}
