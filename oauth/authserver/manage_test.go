package authserver_test

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// managed is a client that knows how to manage its registration.
type managed struct {
	client
	path, token string
}

func (r *rig) newManaged(method string) managed {
	r.t.Helper()
	a := r.register(`{"client_name":"Test app","token_endpoint_auth_method":"` + method + `","redirect_uris":["` + callback + `"]}`)
	path, ours := strings.CutPrefix(a.str("registration_client_uri"), r.url)
	if !ours {
		r.t.Fatalf("got %s, want an address of this server", a.body)
	}
	return managed{client{a.str("client_id"), a.str("client_secret"), callback}, path, a.str("registration_access_token")}
}

// manage sends a request with a registration access token.
func (r *rig) manage(method, path, token, body string) answer {
	r.t.Helper()
	return r.do(r.request(method, path, "application/json", body, "Authorization", "Bearer "+token))
}

func TestAClientManagesItsRegistration(t *testing.T) {
	r := newRig(t)
	c := r.newManaged("client_secret_post")
	a := r.ok(r.manage("GET", c.path, c.token, ""))
	if a.str("client_id") != c.id || a.str("client_name") != "Test app" || a.json["client_secret"] != nil || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %s, want the registration without its secret", a.body)
	}
	a = r.ok(r.manage("PUT", c.path, c.token, `{"client_id":"`+c.id+`","client_secret":"`+c.secret+`","client_name":"New name",
		"token_endpoint_auth_method":"client_secret_post","redirect_uris":["`+callback+`"]}`))
	if a.str("client_name") != "New name" || a.str("registration_access_token") == c.token || a.json["client_secret"] != nil {
		t.Errorf("got %s, want the new name, a new token and the old secret", a.body)
	}
	got := r.ok(r.form("/token", codeForm(c.client, r.code(c.client, nil)).with(params{"client_secret": c.secret})))
	r.ok(r.call(got.str("access_token")))
	// To none and back: the secret is gone, and another is given.
	update := `{"client_id":"` + c.id + `","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":`
	a = r.ok(r.manage("PUT", c.path, a.str("registration_access_token"), update+`"none"}`))
	r.tokens(client{id: c.id, redirect: callback}, nil)
	a = r.ok(r.manage("PUT", "/mcp/oauth"+c.path, a.str("registration_access_token"), update+`"client_secret_post"}`))
	if a.str("client_secret") == "" || a.str("client_secret") == c.secret {
		t.Errorf("got %s, want a new secret", a.body)
	}
}

func TestH9OnlyItsOwnTokenManagesAClient(t *testing.T) {
	r := newRig(t)
	c, other := r.newManaged("none"), r.newManaged("none")
	body := `{"client_id":"` + c.id + `","redirect_uris":["https://evil.example/cb"]}`
	access := r.tokens(c.client, nil).str("access_token")
	for name, token := range map[string]string{"a wrong": "rialto_reg_" + strings.Repeat("x", 43), "another client's": other.token, "an access": access, "no": ""} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			if a := r.manage(method, c.path, token, body); a.status != 401 || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s with %s token: got %d %v, want 401 and how to do better", method, name, a.status, a.header)
			}
		}
	}
	for _, path := range []string{"/register/cli", "/register/rialto_client_" + strings.Repeat("x", 43), "/register/%2e%2e"} {
		if a := r.manage("GET", path, c.token, ""); a.status != 401 {
			t.Errorf("%s: got %d, want 401", path, a.status)
		}
	}
	r.tokens(c.client, nil)
	good := `{"client_id":"` + c.id + `","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`
	r.ok(r.manage("PUT", c.path, c.token, good))
	if a := r.manage("PUT", c.path, c.token, good); a.status != 401 {
		t.Errorf("a token that was replaced: got %d, want 401", a.status)
	}
}

func TestOfParallelChangesOneSucceeds(t *testing.T) {
	r := newRig(t)
	c := r.newManaged("none")
	counts := map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			a := r.manage("PUT", c.path, c.token, `{"client_id":"`+c.id+`","redirect_uris":["`+callback+`"]}`)
			mu.Lock()
			defer mu.Unlock()
			counts[a.status]++
		})
	}
	wg.Wait()
	if counts[200] != 1 || counts[401] != 15 {
		t.Errorf("got %v, want one 200 and 401 for the others", counts)
	}
}

func TestHAReplacementIsRefused(t *testing.T) {
	r := newRig(t)
	c := r.newManaged("client_secret_post")
	for name, body := range map[string]string{
		"another client's ID":  `{"client_id":"x","redirect_uris":["` + callback + `"]}`,
		"no ID":                `{"redirect_uris":["` + callback + `"]}`,
		"a secret it chose":    `{"client_id":"` + c.id + `","client_secret":"mine","redirect_uris":["` + callback + `"]}`,
		"not JSON":             `x`,
		"a bad redirect URI":   `{"client_id":"` + c.id + `","redirect_uris":["http://evil.example/cb"]}`,
		"an ID that is a list": `{"client_id":["` + c.id + `"],"redirect_uris":["` + callback + `"]}`,
	} {
		if a := r.manage("PUT", c.path, c.token, body); a.status != 400 {
			t.Errorf("%s: got %d %s, want 400", name, a.status, a.body)
		}
	}
	r.ok(r.manage("GET", c.path, c.token, "")) // nothing was replaced
}

func TestH10AnAddressThatWasWithdrawnGetsNoCode(t *testing.T) {
	r := newRig(t)
	c := r.newManaged("none")
	b := r.browser()
	page := b.Get(r.authorizeURL(c.client, nil))
	r.ok(r.manage("PUT", c.path, c.token, `{"client_id":"`+c.id+`","token_endpoint_auth_method":"none","redirect_uris":["https://app.example/new"]}`))
	p := b.Submit(page, map[string]string{"username": user, "password": password, "decision": "approve"})
	local(t, p, 400)
}

func TestH11ARemovedClientTakesItsTokensAlong(t *testing.T) {
	r := newRig(t)
	c := r.newManaged("none")
	got := r.tokens(c.client, nil)
	r.ok(r.call(got.str("access_token")))
	if a := r.manage("DELETE", c.path, c.token, ""); a.status != 204 || a.body != "" {
		t.Errorf("got %d %s, want 204", a.status, a.body)
	}
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")
	refused(t, r.form("/token", refreshForm(c.client, got.str("refresh_token"))), 401, "invalid_client")
	if a := r.manage("GET", c.path, c.token, ""); a.status != 401 {
		t.Errorf("got %d, want 401 for a client that is gone", a.status)
	}
}

func TestH15TheAddressOfARegistrationIsThatOfTheIssuer(t *testing.T) {
	r := newRig(t)
	req := r.request("POST", "/register", "application/json", `{"redirect_uris":["`+callback+`"]}`, "X-Forwarded-Host", "evil.example")
	req.Host = "evil.example"
	if a := r.do(req); !strings.HasPrefix(a.str("registration_client_uri"), r.url+"/register/rialto_client_") {
		t.Errorf("got %s, want an address under the issuer", a.str("registration_client_uri"))
	}
}

func TestTheOperatorSeesAndRemovesClients(t *testing.T) {
	r := newRig(t)
	c := r.newManaged("client_secret_post")
	ordinary := r.tokens(r.newClient("none"), nil).str("access_token")
	if err := r.s.Accounts.SetAdmin(t.Context(), user, true); err != nil {
		t.Fatal(err)
	}
	token, _, err := r.s.Tokens.Issue(t.Context(), user, []string{"admin"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, r.manage("GET", "/mcp/oauth/clients", ordinary, ""), 403, "insufficient_scope")
	refused(t, r.manage("DELETE", "/mcp/oauth/clients/"+c.id, ordinary, ""), 403, "insufficient_scope")
	if a := r.manage("GET", "/mcp/oauth/clients", "", ""); a.status != 401 {
		t.Errorf("without a token: got %d, want 401", a.status)
	}
	a := r.ok(r.manage("GET", "/mcp/oauth/clients", token, ""))
	if list, _ := a.json["clients"].([]any); len(list) != 2 || !strings.Contains(a.body, c.id) || strings.Contains(a.body, c.secret) || strings.Contains(a.body, "registration_access_token") {
		t.Errorf("got %s, want both clients without their secrets", a.body)
	}
	if a := r.manage("DELETE", "/mcp/oauth/clients/"+c.id, token, ""); a.status != 204 {
		t.Errorf("got %d %s, want 204", a.status, a.body)
	}
	if a := r.manage("DELETE", "/mcp/oauth/clients/"+c.id, token, ""); a.status != 404 {
		t.Errorf("a second time: got %d, want 404", a.status)
	}
	if a := r.manage("GET", c.path, c.token, ""); a.status != 401 {
		t.Errorf("got %d, want 401 for a client that is gone", a.status)
	}
}

// TestAClientIsLookedUpAnewWhenItChanges: what a replica does not hear of, it
// believes for two seconds.
func TestAClientIsLookedUpAnewWhenItChanges(t *testing.T) {
	r := newRig(t)
	other := r.twin()
	c := r.newManaged("none")
	ask := func(at *rig) int { return at.browser().Get(at.authorizeURL(c.client, nil)).Status }
	if here, there := ask(r), ask(other); here != 200 || there != 200 {
		t.Fatalf("got %d and %d, want 200", here, there)
	}
	if a := r.manage("DELETE", c.path, c.token, ""); a.status != 204 {
		t.Fatalf("got %d %s, want 204", a.status, a.body)
	}
	if got := ask(r); got != 400 {
		t.Errorf("got %d where the client was removed, want 400 at once", got)
	}
	r.clock.advance(2 * time.Second)
	if got := ask(other); got != 400 {
		t.Errorf("got %d at the replica, want 400 after two seconds", got)
	}
}

// TestAGrantKeepsTheNameThatWasAllowed renames a client after a person allowed it. The list of
// connections showed the new name.
func TestAGrantKeepsTheNameThatWasAllowed(t *testing.T) {
	r := newRig(t)
	a := r.register(`{"client_name":"Harmless","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`)
	c := client{id: a.str("client_id"), redirect: callback}
	got := r.tokens(c, nil)
	r.ok(r.manage("PUT", "/register/"+c.id, a.str("registration_access_token"), `{"client_id":"`+c.id+`","client_name":"Claude","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`))
	p, err := r.s.Tokens.Verify(t.Context(), got.str("access_token"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.s.Grants.Find(t.Context(), p.GrantID)
	if err != nil || g.ClientName != "Harmless" {
		t.Errorf("got %q, %v; want the name that the person saw", g.ClientName, err)
	}
}
