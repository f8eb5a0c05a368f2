package authserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// link returns a new link that signs an account in.
func (r *rig) link(name string) string {
	r.t.Helper()
	a, err := r.s.Accounts.Find(r.t.Context(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	link, err := r.s.Passwords.NewLink(r.t.Context(), a.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return link
}

// TestASignInLinkWorksOnce signs the owner of a locked account in, after others have opened the link.
func TestASignInLinkWorksOnce(t *testing.T) {
	r := newRig(t, behindProxy)
	r.lock(t)
	link := r.link(user)
	late := r.browser()
	shown := late.Get(link)
	b := r.browser()
	page := b.Get(link)
	if page.Status != http.StatusOK || !strings.Contains(page.Text(), "Sign in as ada") || page.Has("input[name=password]") {
		t.Fatalf("got status %d, %s; want a button", page.Status, page.Text())
	}
	if got := b.Submit(page, nil).Continue().String(); got != r.url+"/" || b.Get(r.url+"/page").Body != "hello ada" {
		t.Errorf("got to %s, want to be signed in", got)
	}
	for name, p := range map[string]*oauthtest.Page{"opened": late.Get(link), "sent": late.Submit(shown, nil)} {
		if p.Status != http.StatusForbidden || !strings.Contains(p.Text(), "It has been used, or it has expired.") || late.Get(r.url+"/page").Status != http.StatusSeeOther {
			t.Errorf("%s again: got status %d, %s", name, p.Status, p.Text())
		}
	}
	r.signIn(r.at("198.18.0.1"), user, password).Continue() // it has unlocked the account
	r.lock(t)
	b.Header.Set("X-Forwarded-For", "198.18.0.2")
	r.signIn(b, user, password).Continue() // and the browser is known
	_, token, _ := strings.Cut(link, "=")
	if log := r.log.String(); token == "" || strings.Contains(log, token) || !strings.Contains(log, "signed in") {
		t.Errorf("got the log %s", log)
	}
}

// TestASignInLinkThatDoesNotHold opens a link before something ends it, and sends the form after that.
func TestASignInLinkThatDoesNotHold(t *testing.T) {
	for name, end := range map[string]func(r *rig) error{
		"an hour is over":         func(r *rig) error { r.clock.advance(time.Hour); return nil },
		"there is a newer one":    func(r *rig) error { r.link(user); return nil },
		"the account is disabled": func(r *rig) error { return r.s.Accounts.SetDisabled(r.t.Context(), user, true) },
		"the account is gone":     func(r *rig) error { return r.s.Accounts.Remove(r.t.Context(), user) },
		"the password is new":     func(r *rig) error { return r.s.Accounts.SetPassword(r.t.Context(), user, "another long password") },
		"local accounts are off":  func(r *rig) error { r.s.Passwords.Off = true; return nil },
	} {
		r := newRig(t)
		link, b := r.link(user), r.browser()
		page := b.Get(link)
		if err := end(r); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*oauthtest.Page{b.Submit(page, nil), b.Get(link)} {
			if p.Status != http.StatusForbidden || !strings.Contains(p.Text(), "It has been used, or it has expired.") {
				t.Errorf("%s: got status %d, %s", name, p.Status, p.Text())
			}
		}
		if b.Get(r.url+"/page").Status != http.StatusSeeOther {
			t.Errorf("%s: the browser is signed in", name)
		}
	}
}

// TestASignInLinkSignsNobodyElseIn posts the form of a link from another browser and another site, and
// asks for another account in it.
func TestASignInLinkSignsNobodyElseIn(t *testing.T) {
	r := newRig(t)
	oauthtest.AddUser(t, r.s, "bob", password)
	link, stranger, victim := r.link("bob"), r.browser(), r.browser()
	page := stranger.Get(link)
	local(t, victim.Submit(page, nil), 403)
	victim.Get(r.url + "/signin")
	local(t, victim.Submit(page, nil), 403) // though it has a form of its own
	victim.Header.Set("Sec-Fetch-Site", "cross-site")
	local(t, victim.Submit(victim.Get(link), nil), 403)
	stranger.Submit(page, params{"username": user}).Continue()
	if got := stranger.Get(r.url + "/page").Body; got != "hello bob" {
		t.Errorf("got %q, want the account of the link", got)
	}
}

// TestSignInLinksAreNotGuessed tries links until the network is refused. The right one works there.
func TestSignInLinksAreNotGuessed(t *testing.T) {
	r := newRig(t)
	link, b := r.link(user), r.browser()
	page := b.Get(link)
	_, form := page.Form()
	right := form.Get("link")
	for i, wrong := range []string{right[:len(right)-1] + "_", strings.ToLower(right), right + "A", "", "A", "rialto_link_"} {
		if p := b.Submit(page, params{"link": wrong}); p.Status != http.StatusForbidden || b.Get(r.url+"/page").Status != http.StatusSeeOther {
			t.Errorf("guess %d: got status %d", i, p.Status)
		}
	}
	var last *oauthtest.Page
	for range 200 {
		last = b.Submit(page, params{"link": "rialto_link_" + strings.Repeat("A", 43)})
	}
	if last.Status != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("got status %d after 200 guesses, want 429", last.Status)
	}
	b.Submit(page, nil).Continue()
}

// TestWhereNoPasswordsAreTakenNoLinkIsMade asks for one where local accounts cannot sign in.
func TestWhereNoPasswordsAreTakenNoLinkIsMade(t *testing.T) {
	r := newRig(t, func(s *setup) { s.NoPasswords = true })
	if link, err := r.s.Passwords.NewLink(t.Context(), "an account"); link != "" || err == nil {
		t.Errorf("got %q, %v", link, err)
	}
}
