package authserver_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"rialto/oauth"
	"rialto/oauth/signin"
)

func TestAPageAsksToSignInAndComesBack(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	first := b.Get(r.url + "/page?x=1&y=2")
	if first.Status != 303 || first.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got status %d, want a redirect that is not stored", first.Status)
	}
	page := b.Get(first.Continue().String())
	wrong := b.Submit(page, params{"username": user, "password": "guess"})
	if wrong.Status != 403 || !wrong.Has("#error") || wrong.Attribute("input[name=next]", "value") != "/page?x=1&y=2" {
		t.Errorf("got status %d, want the form again", wrong.Status)
	}
	done := b.Submit(wrong, params{"username": user, "password": password})
	if got := done.Continue().String(); done.Status != 303 || got != r.url+"/page?x=1&y=2" {
		t.Errorf("got status %d to %s, want the page that was asked for", done.Status, got)
	}
	var seen oauth.Principal
	r.reached = func(p oauth.Principal) { seen = p }
	if p := b.Get(r.url + "/page"); p.Body != "hello ada" || seen.User == "" || seen.ClientID != "" || !seen.Has("mcp:tools") || seen.Has("admin") {
		t.Errorf("got %q as %+v, want a person and no client, who may use the tools", p.Body, seen)
	}
	b.Header.Set("Sec-Fetch-Site", "cross-site")
	if p := b.Post(r.url+"/page", nil); p.Status != 403 {
		t.Errorf("a foreign form: got status %d, want 403", p.Status)
	}
	b.Header.Del("Sec-Fetch-Site")
	b.Post(r.url+"/signout", nil)
	if p := b.Get(r.url + "/page"); p.Status != 303 {
		t.Errorf("after signing out: got status %d, want the sign-in page", p.Status)
	}
}

func TestSigningInLeadsNowhereElse(t *testing.T) {
	r := newRig(t)
	for _, next := range []string{
		"https://evil.example/", "//evil.example/", `/\evil.example`, `\\evil.example`, "javascript:alert(1)", "", "page",
		"/%0d%0aX:y\r\nY: z", "///evil.example", "/" + strings.Repeat("x", 3000), "http:evil.example", "/\t/evil.example",
	} {
		b := r.browser()
		page := b.Get(r.url + "/signin?next=" + url.QueryEscape(next))
		done := b.Submit(page, params{"username": user, "password": password, "next": next})
		if strings.ContainsAny(next, "\r\n\t") {
			local(t, done, 400)
			continue
		}
		if got := done.Continue().String(); got != r.url+"/" {
			t.Errorf("%q: got %s, want the start page", next, got)
		}
	}
}

func TestJ12NobodyIsSignedInByAStranger(t *testing.T) {
	r := newRig(t)
	stranger, victim := r.browser(), r.browser()
	page := stranger.Get(r.url + "/signin")
	mine := params{"username": user, "password": password}
	local(t, victim.Submit(page, mine), 403) // the form of another browser
	victim.Get(r.url + "/signin")
	local(t, victim.Submit(page, mine), 403) // though it has a form of its own
	victim.Header.Set("Sec-Fetch-Site", "cross-site")
	local(t, victim.Submit(victim.Get(r.url+"/signin"), mine), 403)
}

func TestAccountsAreManaged(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	if err := r.s.Accounts.Add(ctx, "ADA", "long enough"); !errors.Is(err, oauth.ErrExists) {
		t.Errorf("got %v, want that the name is taken in any letter case", err)
	}
	if err := r.s.Accounts.Add(ctx, "Zoë", "ñandúes!"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", " ", "a b", "a\x00b", strings.Repeat("a", 100), "a\u202eb"} {
		if err := r.s.Accounts.Add(ctx, name, "long enough"); !errors.Is(err, oauth.ErrBadName) {
			t.Errorf("name %q: got %v, want ErrBadName", name, err)
		}
	}
	for _, password := range []string{"", "a\x00bcdefgh", "seven 7", "ñandúes", strings.Repeat("a", 2000)} {
		if err := r.s.Accounts.SetPassword(ctx, "bob", password); !errors.Is(err, signin.ErrBadPassword) {
			t.Errorf("password %.10q: got %v, want ErrBadPassword", password, err)
		}
	}
	for name, want := range map[string]error{"zoë": nil, "ada": nil, "bob": oauth.ErrNotFound} {
		if _, err := r.s.Accounts.Find(ctx, name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	if err := r.s.Accounts.Remove(ctx, "zoe"); !errors.Is(err, oauth.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if err := r.s.Accounts.Remove(ctx, "ZOË"); err != nil {
		t.Error(err)
	}
}

func TestANewPasswordEndsTheSessionsAndTheOldOneNothing(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	b := r.browser()
	b.Submit(b.Get(r.authorizeURL(c, nil)), approve).Continue()
	if err := r.s.Accounts.SetPassword(t.Context(), user, password); err != nil {
		t.Fatal(err)
	}
	if b.Get(r.url+"/page").Status != 200 {
		t.Error("setting the password that it had ended the session")
	}
	if err := r.s.Accounts.SetPassword(t.Context(), user, "another one"); err != nil {
		t.Fatal(err)
	}
	if b.Get(r.url+"/page").Status != 303 {
		t.Error("the session outlived the password")
	}
	page := b.Get(r.authorizeURL(c, nil))
	if p := b.Submit(page, approve); p.Status != 403 {
		t.Errorf("the old password: got status %d, want 403", p.Status)
	}
	b.Submit(page, approve.with(params{"password": "another one"})).Continue()
}

// TestPasswordManagersFindTheFormOfThePassword: a well-known URL for changing passwords (W3C).
func TestPasswordManagersFindTheFormOfThePassword(t *testing.T) {
	r := newRig(t)
	p := r.browser().Get(r.url + "/.well-known/change-password")
	if to := p.Header.Get("Location"); p.Status != 302 || to != "/account/password" {
		t.Errorf("got %d to %q, want a redirect to the form", p.Status, to)
	}
}
