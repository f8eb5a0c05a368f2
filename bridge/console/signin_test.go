package console

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
)

// stale lets the sign-in of an account be some time ago, in all its sessions.
func (r *rig) stale(account string) {
	r.t.Helper()
	all, err := r.db.OAuth.Sessions.Sessions(r.t.Context(), r.ids[account], time.Now())
	r.must(err)
	for _, s := range all {
		r.must(r.db.OAuth.Sessions.ProveSession(r.t.Context(), s.Hash, time.Now().Add(-11*time.Minute)))
	}
}

func TestAPersonAddsRenamesAndRemovesAPasskey(t *testing.T) {
	r := newRig(t)
	b := r.as("alice")
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(key.Key.AttestationData()) != 77 { // the library leaves zeros out with which a coordinate begins
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	party := virtualwebauthn.RelyingParty{ID: "localhost", Name: "Rialto", Origin: strings.Replace(r.url, "127.0.0.1", "localhost", 1)}
	has := virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: []byte(r.ids["alice"])})
	asked := func(p shownPage, id string) string {
		t.Helper()
		for _, n := range p.all("#" + id + " button") {
			if options := attr(n, "data-passkey"); options != "" {
				return options
			}
		}
		t.Fatalf("got no options in #%s: %d %s", id, p.Status, p.Text())
		return ""
	}
	create, err := virtualwebauthn.ParseAttestationOptions(asked(b.get("/account/passkeys"), "add"))
	r.must(err)
	p := b.post("/account/passkeys/add", "name", "<b>phone", "passkey", virtualwebauthn.CreateAttestationResponse(party, has, key, *create))
	if p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	rows := b.get("/account/passkeys").all("#passkeys tbody tr")
	if len(rows) != 1 || !strings.HasPrefix(words(rows[0]), "<b>phone just now") {
		t.Fatalf("got %v", rows)
	}
	if p := b.post("/account/passkeys/add", "name", "x", "passkey", "{}"); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Text(), "This passkey can't be used here.") {
		t.Errorf("got %d %s", p.Status, p.Text())
	}

	keys, err := r.db.OAuth.Passkeys.Passkeys(t.Context(), r.ids["alice"])
	r.must(err)
	if p := b.post("/account/passkeys/rename", "id", keys[0].ID, "name", "laptop"); p.Status != http.StatusSeeOther {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if p := r.as("bob").post("/account/passkeys/remove", "id", keys[0].ID, "confirm", "yes"); p.Status != http.StatusNotFound {
		t.Errorf("another's: got %d", p.Status)
	}
	r.stale("alice")
	if p := b.get("/account/passkeys"); len(p.all("#add")) != 0 || len(p.all("#proof [name=proof]")) != 1 {
		t.Errorf("got %s, want a proof first", p.Text())
	}
	again := b.post("/account/passkeys/remove", "id", keys[0].ID, "confirm", "yes")
	if again.Status != http.StatusOK || !strings.Contains(again.Text(), "Confirm that it's you") {
		t.Fatalf("got %d %s", again.Status, again.Text())
	}
	get, err := virtualwebauthn.ParseAssertionOptions(asked(again, "proof"))
	r.must(err)
	key.Counter++
	answer := virtualwebauthn.CreateAssertionResponse(party, has, key, *get)
	if p := b.post("/account/passkeys/remove", "id", keys[0].ID, "confirm", "yes", "passkey", answer); p.Status != http.StatusSeeOther {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if p := b.get("/account/passkeys"); !strings.Contains(p.Text(), "You have no passkey yet.") {
		t.Errorf("got %s", p.Text())
	}
	codes := b.post("/account/passkeys/codes").all("#codes pre")
	if len(codes) != 1 || len(strings.Fields(words(codes[0]))) != 10 {
		t.Fatalf("got the codes %v", codes)
	}
	if p := b.get("/account/passkeys"); !strings.Contains(p.Text(), "Recovery codes left: 10 .") || strings.Contains(p.Body, strings.Fields(words(codes[0]))[0]) {
		t.Errorf("got %s", p.Text())
	}
}

// TestU6DangerousActionsNeedAFreshSession sends them in the open browser of an administrator.
func TestU6DangerousActionsNeedAFreshSession(t *testing.T) {
	r := attacked(t)
	b := r.as("root")
	dangerous := []string{"/admin/accounts/password", "/admin/accounts/role", "/admin/accounts/remove", "/admin/keys/rotate", "/admin/keys/revoke"}
	r.stale("root")
	for _, path := range dangerous {
		for proof, want := range map[string]int{"": http.StatusOK, "wrong": http.StatusUnprocessableEntity} {
			p := b.post(path, append([]string{"proof", proof}, filled[path]...)...)
			if p.Status != want || len(p.all("#proof [name=proof]")) != 1 || strings.Contains(p.Body, `value="wrong"`) {
				t.Errorf("%s with %q: got %d %s", path, proof, p.Status, p.Text())
			}
		}
	}
	if p := b.post("/admin/accounts/new", filled["/admin/accounts/new"]...); p.Status != http.StatusOK || len(p.all("#proof [name=proof]")) != 1 {
		t.Errorf("adding an account: got %d %s", p.Status, p.Text())
	}
	r.unchanged(t, "stale")
	if p := b.post("/admin/accounts/remove", "name", "bob", "confirm", "yes", "proof", password); p.Status != http.StatusSeeOther {
		t.Errorf("with a proof: got %d %s", p.Status, p.Text())
	}
	if p := b.post("/admin/keys/rotate", "confirm", "yes"); p.Status != http.StatusSeeOther {
		t.Errorf("after it: got %d %s", p.Status, p.Text())
	}
}

func TestSessionsAreListedAndEnd(t *testing.T) {
	r := newRig(t)
	phone := r.as("")
	phone.Header = http.Header{"User-Agent": {"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile Safari/604.1"}}
	phone.Submit(phone.Get(r.url+"/signin"), map[string]string{"username": "alice", "password": password}).Continue()
	laptop, other, bob := r.as("alice"), r.as("alice"), r.as("bob")
	p := laptop.get("/account/sessions")
	if rows := p.all("#sessions tbody tr"); len(rows) != 3 || !strings.Contains(p.Text(), "Safari on iPhone") || !strings.Contains(p.Text(), "127.0.0.0/24") {
		t.Fatalf("got %s", p.Text())
	}
	if got := len(p.all("#sessions form")); got != 2 || !strings.Contains(p.Text(), "This browser") {
		t.Errorf("got %d buttons, want one for each other browser", got)
	}
	for _, n := range p.all("#sessions [name=id]") {
		if got := bob.post("/account/sessions/end", "id", attr(n, "value")); got.Status != http.StatusNotFound {
			t.Errorf("another's: got %d", got.Status)
		}
	}
	all, err := r.db.OAuth.Sessions.Sessions(t.Context(), r.ids["alice"], time.Now())
	r.must(err)
	for _, s := range all {
		if strings.Contains(s.UserAgent, "iPhone") {
			laptop.post("/account/sessions/end", "id", s.Hash)
		}
	}
	if phone.get("/account").Status != http.StatusSeeOther || other.get("/account").Status != http.StatusOK {
		t.Error("want the phone alone to be signed out")
	}
	laptop.post("/account/sessions/end-others")
	if other.get("/account").Status != http.StatusSeeOther || laptop.get("/account").Status != http.StatusOK || bob.get("/account").Status != http.StatusOK {
		t.Error("want all others of the account to be signed out")
	}
}
