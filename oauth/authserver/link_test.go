package authserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
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
	link, err := r.s.Passwords.NewLink(r.t.Context(), a.ID, a.Invited())
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
	if link, err := r.s.Passwords.NewLink(t.Context(), "an account", false); link != "" || err == nil {
		t.Errorf("got %q, %v", link, err)
	}
}

// notSignedIn checks that a sign-in was refused with a form to try again.
func notSignedIn(t *testing.T, p *oauthtest.Page) {
	t.Helper()
	if p.Status != http.StatusForbidden || !p.Has("#error") {
		t.Errorf("got status %d, %s; want a refusal", p.Status, p.Text())
	}
}

// invite returns the link of an invited person.
func (r *rig) invite(name string) string {
	r.t.Helper()
	if err := r.s.Accounts.Add(r.t.Context(), name, ""); err != nil {
		r.t.Fatal(err)
	}
	return strings.Replace(r.link(name), "localhost", "127.0.0.1", 1) // where the other pages of a test are
}

// TestAnInvitedPersonChoosesAPassword opens an invitation after six days. A password that is refused
// leaves the link as it is.
func TestAnInvitedPersonChoosesAPassword(t *testing.T) {
	r := newRig(t)
	link, b := r.invite("eve"), r.browser()
	notSignedIn(t, r.signIn(r.browser(), "eve", ""))
	notSignedIn(t, r.signIn(r.browser(), "eve", password))
	r.clock.advance(6 * 24 * time.Hour)
	page := b.Get(link)
	if page.Status != http.StatusOK || page.Attribute("#password", "autocomplete") != "new-password" || page.Has("#instead") || page.Attribute("input[name=username]", "value") != "eve" {
		t.Fatalf("got status %d, %s; want a field for a new password", page.Status, page.Body)
	}
	for _, refused := range []string{"", "short", "password", "eve", strings.Repeat("a", 1025)} {
		page = b.Submit(page, params{"password": refused})
		if page.Status != http.StatusForbidden || !page.Has("#error") || !page.Has("input[name=link]") || b.Get(r.url+"/page").Status != http.StatusSeeOther {
			t.Errorf("%.10q: got status %d, %s; want the form again", refused, page.Status, page.Text())
		}
	}
	if to := b.Submit(page, params{"password": "a password of eve"}).Continue().String(); to != r.url+"/" || b.Get(r.url+"/page").Body != "hello eve" {
		t.Errorf("got to %s, want to be signed in", to)
	}
	r.signIn(r.browser(), "eve", "a password of eve").Continue()
	if again := r.browser().Get(r.link("eve")); !strings.Contains(again.Text(), "Sign in as eve") {
		t.Errorf("a later link: got %s, want one that only signs in", again.Text())
	}
}

// TestAnInvitedPersonChoosesAPasskey adds a passkey; the account then has a random password.
func TestAnInvitedPersonChoosesAPasskey(t *testing.T) {
	r := newRig(t, named(""))
	link, b := r.invite("eve"), r.browser()
	key, elsewhere := newAuthenticator(r, "eve"), newAuthenticator(r, "eve")
	elsewhere.origin = "https://evil.example"
	page := b.Get(link)
	creation := page.Attribute("#instead", "data-passkey")
	stranger := r.browser()
	other := stranger.Get(r.invite("mallory"))
	for what, p := range map[string]*oauthtest.Page{
		"another origin":              b.Submit(page, params{"passkey": elsewhere.create(t, creation)}),
		"in the form of another":      stranger.Submit(other, params{"passkey": key.create(t, creation)}),
		"in another browser":          stranger.Submit(stranger.Get(link), params{"passkey": key.create(t, creation)}),
		"for another account":         stranger.Submit(other, params{"passkey": newAuthenticator(r, "eve").create(t, creation)}),
		"junk":                        b.Submit(page, params{"passkey": "{}"}),
		"junk, and a password beside": b.Submit(page, params{"passkey": "{}", "password": "a password of eve"}),
	} {
		if p.Status != http.StatusForbidden || !p.Has("#error") || !p.Has("input[name=link]") {
			t.Errorf("%s: got status %d, %s; want the form again", what, p.Status, p.Text())
		}
	}
	page = b.Get(link)
	b.Submit(page, params{"passkey": key.create(t, page.Attribute("#instead", "data-passkey"))}).Continue()
	if got := b.Get(r.url + "/page").Body; got != "hello eve" {
		t.Errorf("got %q", got)
	}
	later := r.browser()
	page = later.Get(r.url + "/signin")
	later.Submit(page, params{"passkey": key.sign(t, options(page))}).Continue()
	notSignedIn(t, r.signIn(r.browser(), "eve", ""))
}

// TestU7AnInvitationThatDoesNotHold opens an invitation before something ends it, and chooses a password
// after that.
func TestU7AnInvitationThatDoesNotHold(t *testing.T) {
	for name, end := range map[string]func(r *rig, link string) error{
		"a week is over":          func(r *rig, _ string) error { r.clock.advance(7 * 24 * time.Hour); return nil },
		"there is a newer one":    func(r *rig, _ string) error { r.link("eve"); return nil },
		"the account is disabled": func(r *rig, _ string) error { return r.s.Accounts.SetDisabled(r.t.Context(), "eve", true) },
		"the account is gone":     func(r *rig, _ string) error { return r.s.Accounts.Remove(r.t.Context(), "eve") },
		"there is a password":     func(r *rig, _ string) error { return r.s.Accounts.SetPassword(r.t.Context(), "eve", password) },
		"local accounts are off":  func(r *rig, _ string) error { r.s.Passwords.Off = true; return nil },
		"it was used": func(r *rig, link string) error {
			b := r.browser()
			b.Submit(b.Get(link), params{"password": password}).Continue()
			return nil
		},
	} {
		r := newRig(t)
		link, b := r.invite("eve"), r.browser()
		page := b.Get(link)
		if err := end(r, link); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*oauthtest.Page{b.Submit(page, params{"password": "the password of a thief"}), b.Get(link)} {
			if p.Status != http.StatusForbidden || !strings.Contains(p.Text(), "It has been used, or it has expired.") {
				t.Errorf("%s: got status %d, %s", name, p.Status, p.Text())
			}
		}
		if b.Get(r.url+"/page").Status != http.StatusSeeOther || r.signIn(r.browser(), "eve", "the password of a thief").Status != http.StatusForbidden {
			t.Errorf("%s: the browser is signed in, or the password counts", name)
		}
	}
}

// TestU8OfInvitationsUsedAtOnceOneCounts sends one from several browsers at the same time, each with a
// password of its own.
func TestU8OfInvitationsUsedAtOnceOneCounts(t *testing.T) {
	r := newRig(t)
	link := r.invite("eve")
	var browsers []*oauthtest.Browser
	var pages []*oauthtest.Page
	for range 4 {
		b := r.browser()
		browsers, pages = append(browsers, b), append(pages, b.Get(link))
	}
	answers := make([]*oauthtest.Page, len(pages))
	var sent sync.WaitGroup
	for i, b := range browsers {
		sent.Go(func() { answers[i] = b.Submit(pages[i], params{"password": fmt.Sprint("a password of browser ", i)}) })
	}
	sent.Wait()
	entered, works := 0, 0
	for i, p := range answers {
		if p.Status == http.StatusSeeOther {
			entered++
		}
		if r.signIn(r.browser(), "eve", fmt.Sprint("a password of browser ", i)).Status == http.StatusSeeOther {
			works++
			if p.Status != http.StatusSeeOther {
				t.Errorf("browser %d: its password works, and got status %d", i, p.Status)
			}
		}
	}
	if entered != 1 || works != 1 {
		t.Errorf("got %d browsers that are signed in, and %d passwords, want one of each", entered, works)
	}
}

// TestU9InvitationsAreNotGuessed tries links, with a password, until the network is refused. The form of
// another site counts for nothing (login CSRF).
func TestU9InvitationsAreNotGuessed(t *testing.T) {
	r := newRig(t)
	link, b := r.invite("eve"), r.browser()
	page := b.Get(link)
	_, form := page.Form()
	right := form.Get("link")
	victim := r.browser()
	victim.Get(r.url + "/signin")
	local(t, victim.Submit(page, params{"password": password}), 403)
	for i, wrong := range []string{right[:len(right)-1] + "_", strings.ToLower(right), right + "A", "rialto_link_"} {
		if p := b.Submit(page, params{"link": wrong, "password": password}); p.Status != http.StatusForbidden {
			t.Errorf("guess %d: got status %d", i, p.Status)
		}
	}
	var last *oauthtest.Page
	for range 200 {
		last = b.Submit(page, params{"link": "rialto_link_" + strings.Repeat("A", 43), "password": password})
	}
	if last.Status != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("got status %d after 200 guesses, want 429", last.Status)
	}
	notSignedIn(t, r.signIn(r.browser(), "eve", password))
	b.Submit(page, params{"password": "a password of eve"}).Continue()
}
