package authserver_test

import (
	"testing"
	"time"

	"rialto/oauth"
)

// newEmptyRig starts a server without an account, and returns the setup code.
func newEmptyRig(t *testing.T) (*rig, string) {
	t.Helper()
	r := newRig(t)
	if err := r.s.Accounts.Remove(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	code, expires, err := r.s.Passwords.OpenSetup(t.Context())
	if err != nil || code == "" || expires != r.clock.Now().Add(time.Hour) {
		t.Fatalf("got %q until %v, %v, want a code for an hour", code, expires, err)
	}
	return r, code
}

func TestTheFirstAccountIsMadeWithTheSetupCode(t *testing.T) {
	r, code := newEmptyRig(t)
	b := r.browser()
	if !b.Get(r.authorizeURL(r.newClient("none"), nil)).Has("#setup") {
		t.Error("the page of a request does not say where the first account is made")
	}
	page := b.Get(r.url + "/signin?next=/page")
	first := params{"username": user, "password": password, "code": code}
	for name, wrong := range map[string]params{
		"another code":     {"code": "AAAAA-AAAAA-AAAAA-AAAAA"},
		"a short password": {"password": "seven 7"},
		"no name":          {"username": ""},
	} {
		if p := b.Submit(page, first.with(wrong)); p.Status != 403 || !p.Has("#error") || !p.Has("input[name=code]") {
			t.Errorf("%s: got status %d, want the form again", name, p.Status)
		}
	}
	done := b.Submit(page, first)
	if got := done.Continue().String(); got != r.url+"/page" || b.Get(got).Body != "hello ada" {
		t.Errorf("got %s, want the owner of the first account signed in", got)
	}
	if b.Get(r.url + "/signin").Has("input[name=code]") {
		t.Error("the page asks for a setup code though there is an account")
	}
	late := r.browser()
	if p := late.Submit(late.Get(r.url+"/signin"), first.with(params{"username": "eve"})); p.Status != 403 {
		t.Errorf("the code again: got status %d, want 403", p.Status)
	}
	if code, _, err := r.s.Passwords.OpenSetup(t.Context()); err != nil || code != "" {
		t.Errorf("got %q, %v, want no code where there is an account", code, err)
	}
}

// TestASetupCodeIsNoWayAround wants a name that a provider's account has
// refused in words, and no local account where there are to be none.
func TestASetupCodeIsNoWayAround(t *testing.T) {
	r, code := newEmptyRig(t)
	_, err := r.db.OAuth.Identities.Identify(t.Context(), &oauth.Account{ID: "e", Name: "corp:eve", Issuer: "https://id.example", Subject: "1"}, true)
	if err != nil {
		t.Fatal(err)
	}
	b := r.browser()
	page := b.Get(r.url + "/signin")
	first := params{"username": "corp:eve", "password": password, "code": code}
	if p := b.Submit(page, first); p.Status != 403 || !p.Has("#error") || !p.Has("input[name=code]") {
		t.Errorf("a name that is taken: got status %d, want the form again", p.Status)
	}
	r.s.Passwords.Off = true
	if p := b.Submit(page, first.with(params{"username": "eve"})); p.Status != 403 {
		t.Errorf("where no passwords are taken: got status %d, want 403", p.Status)
	}
	r.s.Passwords.Off = false
	b.Submit(page, first.with(params{"username": "eve"})).Continue()
}

// TestGuessesKeepNobodyFromTheSetup has a stranger try codes before the operator.
func TestGuessesKeepNobodyFromTheSetup(t *testing.T) {
	r, code := newEmptyRig(t)
	b := r.browser()
	page := b.Get(r.url + "/signin")
	for range 10 {
		b.Submit(page, params{"username": "mallory", "password": password, "code": "AAAAA-AAAAA-AAAAA-AAAAA"})
	}
	if to := b.Submit(page, params{"username": "eve", "password": password, "code": code}).Continue(); to.RequestURI() != "/admin?done=setup" {
		t.Errorf("got to %s, want what to do next", to)
	}
}

func TestASetupCodeExpiresAndIsNotGuessed(t *testing.T) {
	r, code := newEmptyRig(t)
	b := r.browser()
	page := b.Get(r.url + "/signin")
	guess := params{"username": "eve", "password": password, "code": "AAAAA-AAAAA-AAAAA-AAAAA"}
	for range 6 {
		if p := b.Submit(page, guess); p.Status != 403 {
			t.Errorf("got status %d, want 403", p.Status)
		}
	}
	r.clock.advance(30 * time.Minute)
	if p := b.Submit(b.Get(r.url+"/signin"), guess); p.Status != 403 {
		t.Errorf("later: got status %d, want 403", p.Status)
	}
	r.clock.advance(time.Hour)
	if p := b.Post(r.url+"/signin", nil); p.Status != 403 {
		t.Errorf("without a form: got status %d, want 403", p.Status)
	}
	again := b.Get(r.url + "/signin")
	if again.Has("input[name=code]") {
		t.Error("the page asks for a code that has expired")
	}
	if p := b.Submit(again, guess.with(params{"code": code})); p.Status != 403 {
		t.Errorf("a late code: got status %d, want 403", p.Status)
	}
}
