package authserver_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/oauthtest"
	"rialto/oauth/signin"
)

// named gives the server a host name, which passkeys need. policy says who must have one.
func named(policy string) func(*setup) {
	return func(s *setup) {
		s.Issuer = strings.Replace(s.Issuer, "127.0.0.1", "localhost", 1)
		s.Passkeys = policy
	}
}

// authenticator is one that belongs to a person, with one passkey.
type authenticator struct {
	virtualwebauthn.Authenticator
	virtualwebauthn.Credential
	origin, host string
}

func newAuthenticator(r *rig, owner string) *authenticator {
	a, err := r.s.Accounts.Find(r.t.Context(), owner)
	if err != nil {
		r.t.Fatal(err)
	}
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(key.Key.AttestationData()) != 77 { // the library leaves zeros out with which a coordinate begins
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return &authenticator{
		virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: []byte(a.ID)}),
		key,
		strings.Replace(r.url, "127.0.0.1", "localhost", 1),
		"localhost",
	}
}

func (a *authenticator) party() virtualwebauthn.RelyingParty {
	return virtualwebauthn.RelyingParty{ID: a.host, Name: "Rialto", Origin: a.origin}
}

// sign answers options as a browser does.
func (a *authenticator) sign(t testing.TB, options string) string {
	t.Helper()
	parsed, err := virtualwebauthn.ParseAssertionOptions(options)
	if err != nil {
		t.Fatalf("%q: %v", options, err)
	}
	a.Credential.Counter++
	return virtualwebauthn.CreateAssertionResponse(a.party(), a.Authenticator, a.Credential, *parsed)
}

func (a *authenticator) create(t testing.TB, options string) string {
	t.Helper()
	parsed, err := virtualwebauthn.ParseAttestationOptions(options)
	if err != nil {
		t.Fatalf("%q: %v", options, err)
	}
	return virtualwebauthn.CreateAttestationResponse(a.party(), a.Authenticator, a.Credential, *parsed)
}

// as is a request of a signed-in browser.
func (r *rig) as(b *oauthtest.Browser) *http.Request {
	req := r.request(http.MethodPost, "/", "", "")
	for _, c := range b.Cookies(r.url) {
		req.AddCookie(c)
	}
	return req
}

func (r *rig) creation(b *oauthtest.Browser) string {
	r.t.Helper()
	_, _, options, err := r.s.Pages.OwnPasskeys(r.as(b))
	if err != nil || options == "" {
		r.t.Fatalf("got the options %q, %v", options, err)
	}
	return options
}

// addPasskey gives an account a passkey.
func (r *rig) addPasskey(owner string) *authenticator {
	r.t.Helper()
	b, a := r.browser(), newAuthenticator(r, owner)
	r.signIn(b, owner, password).Continue()
	if err := r.s.Pages.AddPasskey(r.as(b), "a key", a.create(r.t, r.creation(b))); err != nil {
		r.t.Fatal(err)
	}
	return a
}

func options(p *oauthtest.Page) string { return p.Attribute("button[value=passkey]", "data-passkey") }

// reason returns the code of a refusal.
func reason(err error) string {
	if refused, ok := errors.AsType[*signin.Refusal](err); ok {
		return refused.Code
	}
	return ""
}

func TestAPasskeySignsIn(t *testing.T) {
	r := newRig(t, named(""))
	key := r.addPasskey(user)
	b := r.browser()
	page := b.Get(r.url + "/signin?next=/page")
	if got := page.Attribute("#username", "autocomplete"); got != "username webauthn" {
		t.Errorf("got autocomplete %q, want one that offers passkeys", got)
	}
	var asked map[string]any
	if err := json.Unmarshal([]byte(options(page)), &asked); err != nil || asked["rpId"] != "localhost" || asked["userVerification"] != "required" || asked["allowCredentials"] != nil {
		t.Errorf("got the options %s, %v; want any passkey, with the person verified", options(page), err)
	}
	done := b.Submit(page, params{"passkey": key.sign(t, options(page))})
	if done.Continue().String() != r.url+"/page" || b.Get(r.url+"/page").Body != "hello ada" {
		t.Errorf("got status %d, %s", done.Status, done.Text())
	}
	consent := r.browser()
	c := r.newClient("none")
	asks := consent.Get(r.authorizeURL(c, nil))
	known := consent.Submit(asks, params{"decision": "passkey", "passkey": key.sign(t, options(asks))})
	if known.Status != http.StatusOK || !strings.Contains(known.Text(), "Signed in as ada") || known.Has("button[value=passkey]") {
		t.Fatalf("got status %d, %s; want the page again, with nothing allowed", known.Status, known.Text())
	}
	if to := consent.Submit(known, params{"decision": "approve"}).Continue(); to.Query().Get("code") == "" {
		t.Errorf("got %s, want a code", to)
	}
}

// TestPasskeysNeedAHostName: browsers have none at an IP address.
func TestPasskeysNeedAHostName(t *testing.T) {
	r := newRig(t)
	if p := r.browser().Get(r.url + "/signin"); p.Has("button[value=passkey]") {
		t.Errorf("got %s, want no passkeys at an IP address", p.Body)
	}
	if err := newRig(t, func(s *setup) { s.Passkeys = "required" }).s.Check(); err == nil || !strings.Contains(err.Error(), "host name") {
		t.Errorf("got %v, want that passkeys cannot be required there", err)
	}
	if err := newRig(t, named("always")).s.Check(); err == nil || !strings.Contains(err.Error(), `"always"`) {
		t.Errorf("got %v, want the known values", err)
	}
	off := newRig(t, named("required"), func(s *setup) { s.NoPasswords = true })
	if p := off.browser().Get(off.url + "/signin"); p.Has("button[value=passkey]") {
		t.Errorf("got %s, want no passkeys without local accounts", p.Body)
	}
}

// TestU1AnswersOfPasskeysThatDoNotCount sends answers that were made elsewhere, without the person, by
// another key, or by a copy of the key.
func TestU1AnswersOfPasskeysThatDoNotCount(t *testing.T) {
	r := newRig(t, named(""))
	oauthtest.AddUser(t, r.s, "bob", password)
	good, other := r.addPasskey(user), r.addPasskey("bob")
	for name, spoil := range map[string]func(a *authenticator){
		"another origin":            func(a *authenticator) { a.origin = "https://evil.example" },
		"another port":              func(a *authenticator) { a.origin = "http://localhost:1" },
		"another server":            func(a *authenticator) { a.host = "evil.example" },
		"nobody there":              func(a *authenticator) { a.Options.UserNotPresent = true },
		"person not verified":       func(a *authenticator) { a.Options.UserNotVerified = true },
		"another account's handle":  func(a *authenticator) { a.Options.UserHandle = other.Options.UserHandle },
		"no handle":                 func(a *authenticator) { a.Options.UserHandle = nil },
		"an account that is not":    func(a *authenticator) { a.Options.UserHandle = []byte("nobody") },
		"another key":               func(a *authenticator) { a.Credential.Key = other.Credential.Key },
		"an unknown credential":     func(a *authenticator) { a.Credential.ID = []byte("unknown") },
		"another's credential":      func(a *authenticator) { a.Credential = other.Credential },
		"a key that is backed up":   func(a *authenticator) { a.Options.BackupEligible = true },
		"a counter that stands":     func(a *authenticator) { a.Credential.Counter = 4 },
		"a counter that goes back":  func(a *authenticator) { a.Credential.Counter = 2 },
		"a counter that starts new": func(a *authenticator) { a.Credential.Counter = ^uint32(0) },
	} {
		b := r.browser()
		page := b.Get(r.url + "/signin")
		good.Credential.Counter = max(good.Credential.Counter, 4)
		if done := b.Submit(page, params{"passkey": good.sign(t, options(page))}); done.Status != http.StatusSeeOther {
			t.Fatalf("%s: the good answer got %d %s", name, done.Status, done.Text())
		}
		bad := *good
		bad.Credential.Counter += 10
		spoil(&bad)
		fresh := r.browser()
		page = fresh.Get(r.url + "/signin")
		got := fresh.Submit(page, params{"passkey": bad.sign(t, options(page))})
		if got.Status != http.StatusForbidden || !got.Has("#error") || fresh.Get(r.url+"/page").Status != http.StatusSeeOther {
			t.Errorf("%s: got status %d, %s", name, got.Status, got.Text())
		}
	}
	for _, junk := range []string{"x", "{}", "null", `{"id":"a","rawId":"a","type":"public-key","response":{}}`, strings.Repeat("[", 4000)} {
		b := r.browser()
		if got := b.Submit(b.Get(r.url+"/signin"), params{"passkey": junk}); got.Status != http.StatusForbidden {
			t.Errorf("%.20s: got status %d", junk, got.Status)
		}
	}
}

// TestU2AChallengeCountsOnceInItsPlace replays answers and challenges, also on another replica.
func TestU2AChallengeCountsOnceInItsPlace(t *testing.T) {
	var as setup
	r := newRig(t, named(""), func(s *setup) { as = *s })
	key := r.addPasskey(user)
	key.Credential.Counter = ^uint32(0) // it does not count: 0 from now on
	refused := func(what string, p *oauthtest.Page) {
		t.Helper()
		if p.Status != http.StatusForbidden || !strings.Contains(p.Text(), "That took too long, or it was sent twice.") {
			t.Errorf("%s: got status %d, %s", what, p.Status, p.Text())
		}
	}
	b := r.browser()
	page := b.Get(r.url + "/signin")
	answer := key.sign(t, options(page))
	stranger := r.browser()
	refused("in another browser", stranger.Submit(stranger.Get(r.url+"/signin"), params{"passkey": answer}))
	b.Submit(page, params{"passkey": answer}).Continue()
	replica := authserver.New(as.Config, as.Stores)
	key.Credential.Counter = ^uint32(0)
	for what, sent := range map[string]string{"the answer": answer, "another answer to the challenge": key.sign(t, options(page))} {
		for _, s := range []*authserver.Server{r.s, replica} {
			_, err := s.Pages.Passkeys.Verify(t.Context(), "sign-in", page.Attribute("input[name=handle]", "value"), sent)
			if reason(err) != "passkey_expired" {
				t.Errorf("%s: got %v, want that it has been used", what, err)
			}
		}
	}

	late := r.browser()
	page = late.Get(r.url + "/signin")
	r.clock.advance(time.Hour)
	key.Credential.Counter = ^uint32(0)
	refused("after an hour", late.Submit(page, params{"passkey": key.sign(t, options(page))}))

	r.signIn(late, user, password).Continue()
	confirm, err := r.s.Pages.Confirmation(r.as(late))
	if err != nil {
		t.Fatal(err)
	}
	forged := r.browser()
	page = forged.Get(r.url + "/signin")
	key.Credential.Counter = ^uint32(0)
	refused("of another ceremony", forged.Submit(page, params{"passkey": key.sign(t, confirm.Passkey)}))
	key.Credential.Counter = ^uint32(0)
	made := strings.Replace(options(page), `"challenge":"`, `"challenge":"AAAA`, 1)
	refused("that nobody gave", forged.Submit(page, params{"passkey": key.sign(t, made)}))
}

// TestU3APasskeyThatWasRemovedOpensNothing removes it between the page and the answer.
func TestU3APasskeyThatWasRemovedOpensNothing(t *testing.T) {
	r := newRig(t, named(""))
	key := r.addPasskey(user)
	b := r.browser()
	r.signIn(b, user, password).Continue()
	keys, _, _, err := r.s.Pages.OwnPasskeys(r.as(b))
	if err != nil || len(keys) != 1 || keys[0].Name != "a key" {
		t.Fatalf("got %v, %v", keys, err)
	}
	oauthtest.AddUser(t, r.s, "bob", password)
	bob := r.browser()
	r.signIn(bob, "bob", password).Continue()
	if err := r.s.Pages.RemovePasskey(r.as(bob), keys[0].ID); !errors.Is(err, oauth.ErrNotFound) {
		t.Errorf("another's: got %v", err)
	}
	late := r.browser()
	page := late.Get(r.url + "/signin")
	if err := r.s.Pages.RemovePasskey(r.as(b), keys[0].ID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if p := late.Submit(page, params{"passkey": key.sign(t, options(page))}); p.Status != http.StatusForbidden {
			t.Errorf("got status %d, want that it is gone", p.Status)
		}
		page = late.Get(r.url + "/signin")
	}

	disabled := r.addPasskey(user)
	if err := r.s.Accounts.SetDisabled(t.Context(), user, true); err != nil {
		t.Fatal(err)
	}
	page = late.Get(r.url + "/signin")
	if p := late.Submit(page, params{"passkey": disabled.sign(t, options(page))}); p.Status != http.StatusForbidden {
		t.Errorf("a disabled account: got status %d", p.Status)
	}
}

// TestU4APasskeyIsAddedByItsOwnerAlone tries to add one from a session that was left open, with
// another's answer, twice, or without the person.
func TestU4APasskeyIsAddedByItsOwnerAlone(t *testing.T) {
	r := newRig(t, named(""))
	oauthtest.AddUser(t, r.s, "bob", password)
	b, other := r.browser(), r.browser()
	r.signIn(b, user, password).Continue()
	r.signIn(other, "bob", password).Continue()
	key, elsewhere := newAuthenticator(r, user), newAuthenticator(r, user)
	elsewhere.origin = "https://evil.example"
	unverified := newAuthenticator(r, user)
	unverified.Options.UserNotVerified = true
	for name, got := range map[string]error{
		"another's answer": r.s.Pages.AddPasskey(r.as(other), "x", key.create(t, r.creation(b))),
		"another origin":   r.s.Pages.AddPasskey(r.as(b), "x", elsewhere.create(t, r.creation(b))),
		"not verified":     r.s.Pages.AddPasskey(r.as(b), "x", unverified.create(t, r.creation(b))),
		"junk":             r.s.Pages.AddPasskey(r.as(b), "x", "{}"),
	} {
		if reason(got) == "" {
			t.Errorf("%s: got %v, want a refusal", name, got)
		}
	}
	answer := key.create(t, r.creation(b))
	if err := r.s.Pages.AddPasskey(r.as(b), "x", answer); err != nil {
		t.Fatal(err)
	}
	if err := r.s.Pages.AddPasskey(r.as(b), "x", answer); reason(err) != "passkey_expired" {
		t.Errorf("twice: got %v", err)
	}
	if err := r.s.Pages.AddPasskey(r.as(other), "x", key.create(t, r.creation(other))); reason(err) != "wrong_passkey" {
		t.Errorf("the same credential for another account: got %v", err)
	}

	r.clock.advance(11 * time.Minute)
	stale := newAuthenticator(r, user).create(t, r.creation(b))
	keys, _, _, err := r.s.Pages.OwnPasskeys(r.as(b))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.s.Pages.NewRecoveryCodes(r.as(b))
	for name, got := range map[string]error{
		"adding": r.s.Pages.AddPasskey(r.as(b), "x", stale), "removing": r.s.Pages.RemovePasskey(r.as(b), keys[0].ID), "codes": err,
	} {
		if reason(got) != "not_fresh" {
			t.Errorf("%s in a stale session: got %v", name, got)
		}
	}
	confirm := func(b *oauthtest.Browser, password, passkey string) error {
		return r.s.Pages.Confirm(&discarded{}, r.as(b), password, passkey)
	}
	asked, err := r.s.Pages.Confirmation(r.as(b))
	if err != nil || asked.Fresh || !asked.Password || asked.Passkey == "" {
		t.Fatalf("got %+v, %v", asked, err)
	}
	if err := confirm(other, "", key.sign(t, asked.Passkey)); reason(err) == "" {
		t.Errorf("another's answer confirmed: %v", err)
	}
	again, err := r.s.Pages.Confirmation(r.as(b))
	if err != nil {
		t.Fatal(err)
	}
	theirs, answered := r.addPasskey("bob"), httptest.NewRecorder()
	err = r.s.Pages.Confirm(answered, r.as(b), "", theirs.sign(t, again.Passkey))
	if reason(err) != "wrong_passkey" || len(answered.Result().Cookies()) != 0 {
		t.Errorf("the passkey of another account: got %v, and the cookies %v", err, answered.Result().Cookies())
	}
	if err := confirm(b, "wrong", ""); reason(err) != "wrong_credentials" {
		t.Errorf("got %v", err)
	}
	if err := confirm(b, "", key.sign(t, asked.Passkey)); err != nil {
		t.Fatal(err)
	}
	if err := r.s.Pages.AddPasskey(r.as(b), "x", stale); err != nil {
		t.Errorf("after it was confirmed: got %v", err)
	}
}

// discarded is where cookies go that a test does not need.
type discarded struct{ http.ResponseWriter }

func (*discarded) Header() http.Header { return http.Header{} }

// TestU5ARecoveryCodeCountsOnce uses codes twice, for another account, and after newer ones.
func TestU5ARecoveryCodeCountsOnce(t *testing.T) {
	r := newRig(t, named("required"))
	r.addPasskey(user)
	oauthtest.AddUser(t, r.s, "bob", password)
	r.addPasskey("bob")
	a, err := r.s.Accounts.Find(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	old, err := r.s.Pages.Passkeys.NewRecoveryCodes(t.Context(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := r.s.Pages.Passkeys.NewRecoveryCodes(t.Context(), a.ID)
	if err != nil || len(codes) != 10 || len(codes[0]) != 23 {
		t.Fatalf("got %v, %v", codes, err)
	}
	status := func(name, code string) int { return r.signIn(r.browser(), name, code).Status }
	if status("bob", codes[0]) != 403 || status(user, old[0]) != 403 || status(user, codes[0][:22]) != 403 {
		t.Error("a code counted that is not the account's")
	}
	if got := r.signIn(r.browser(), user, password); got.Status != 403 || !strings.Contains(got.Text(), "Sign in to this account with a passkey.") {
		t.Errorf("the password: got status %d, %s", got.Status, got.Text())
	}
	if got := status(user, " "+strings.ToLower(codes[0])+" "); got != 303 {
		t.Errorf("a code: got status %d", got)
	}
	if got := status(user, codes[0]); got != 403 {
		t.Errorf("the code again: got status %d", got)
	}
	if got := status(user, codes[9]); got != 303 {
		t.Errorf("another code: got status %d", got)
	}
}

// TestPasskeysAreRequired lets accounts without a passkey reach the page where they add one, and no other.
func TestPasskeysAreRequired(t *testing.T) {
	r := newRig(t, named("required_for_administrators"))
	b := r.browser()
	r.signIn(b, user, password).Continue()
	if got := b.Get(r.url + "/page").Body; got != "hello ada" {
		t.Errorf("not an administrator: got %q", got)
	}
	if err := r.s.Accounts.SetAdmin(t.Context(), user, true); err != nil {
		t.Fatal(err)
	}
	if p := b.Get(r.url + "/page"); p.Status != 303 || p.Header.Get("Location") != "/account/passkeys" {
		t.Errorf("got status %d to %s, want the page of passkeys", p.Status, p.Header.Get("Location"))
	}
	c := r.newClient("none")
	asks := b.Get(r.authorizeURL(c, nil))
	if p := b.Submit(asks, params{"decision": "approve"}); p.Status != 403 || !strings.Contains(p.Text(), "Your account needs a passkey first.") {
		t.Errorf("consent: got status %d, %s", p.Status, p.Text())
	}
	stranger := r.browser()
	if p := stranger.Submit(stranger.Get(r.authorizeURL(c, nil)), approve); p.Status != 403 {
		t.Errorf("consent with a password: got status %d", p.Status)
	}
	key := newAuthenticator(r, user)
	if err := r.s.Pages.AddPasskey(r.as(b), "x", key.create(t, r.creation(b))); err != nil {
		t.Fatal(err)
	}
	if got := b.Get(r.url + "/page").Body; got != "hello ada" {
		t.Errorf("with a passkey: got %q", got)
	}
	if p := r.signIn(r.browser(), user, password); p.Status != 403 {
		t.Errorf("the password: got status %d, want that a passkey is needed", p.Status)
	}
	link := r.browser()
	link.Submit(link.Get(r.link(user)), nil).Continue() // what an operator made lets its owner in
}
