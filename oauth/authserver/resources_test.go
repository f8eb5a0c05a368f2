package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"rialto/oauth"
	oauthclient "rialto/oauth/client"
	"rialto/oauth/oauthtest"
)

// withResources starts a server with two resources beside the default one: sales, and legal for one
// account that is not the user.
func withResources(t *testing.T) *rig {
	r := newRig(t, func(s *setup) {
		s.Clients = []oauthclient.Configured{
			{ID: "agent", AuthMethod: "client_secret_post", Secret: operatorsSecret, Exchanges: true, Introspects: true},
			{ID: "job", AuthMethod: "client_secret_post", Secret: operatorsSecret, User: user},
		}
	})
	r.setResources("sales", "legal")
	return r
}

func (r *rig) setResources(names ...string) {
	more := []oauth.Resource{}
	for _, name := range names {
		one := oauth.Resource{URL: r.url + "/mcp/" + name, Name: name, Title: strings.ToUpper(name)}
		if name == "legal" {
			one.Accounts = []string{"grace"}
		}
		more = append(more, one)
	}
	r.s.Resources.Set(oauth.Resource{URL: r.s.Resource, Title: "Rialto"}, more...)
}

// through sends a request with a token through a guard.
func (r *rig) through(guarded http.Handler, token string) answer {
	req := r.request(http.MethodPost, "/", "application/json", "{}", "Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	guarded.ServeHTTP(w, req)
	return answer{status: w.Code, header: w.Header(), body: w.Body.String()}
}

// callAt calls a resource with a token.
func (r *rig) callAt(name, token string) answer {
	guarded := r.s.Guard.For(r.s.Resources.Of(r.url+"/mcp/"+name)).Require(http.HandlerFunc(r.resource), "mcp:tools")
	return r.through(guarded, token)
}

func TestATokenIsForTheResourceThatWasAskedForAlone(t *testing.T) {
	r := withResources(t)
	c := r.newClient("none")
	got := r.tokens(c, params{"resource": r.url + "/MCP/Sales/"})
	if want := r.url + "/mcp/sales"; got.str("resource") != want {
		t.Errorf("got resource %q, want the configured spelling %q", got.str("resource"), want)
	}
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(got.str("access_token"), claims); err != nil {
		t.Fatal(err)
	}
	if claims["aud"] != r.url+"/mcp/sales" {
		t.Errorf("got audience %v", claims["aud"])
	}
	if a := r.callAt("sales", got.str("access_token")); a.status != http.StatusOK {
		t.Errorf("at its resource: got %d %s", a.status, a.body)
	}
	other := r.callAt("legal", got.str("access_token"))
	if challenge := other.header.Get("WWW-Authenticate"); other.status != http.StatusUnauthorized ||
		!strings.Contains(challenge, `resource_metadata="`+r.url+`/.well-known/oauth-protected-resource/mcp/legal"`) {
		t.Errorf("at another resource: got %d %s, want 401 with the other's challenge", other.status, challenge)
	}
	byDefault := r.tokens(c, params{"resource": "-"})
	if byDefault.str("resource") != r.s.Resource {
		t.Errorf("got resource %q without asking, want the default", byDefault.str("resource"))
	}
	if a := r.callAt("sales", byDefault.str("access_token")); a.status != http.StatusUnauthorized {
		t.Errorf("a token of the default resource: got %d, want 401", a.status)
	}
}

// A code that comes with another resource is used up, and no token can come of it. Its grant once stayed
// among the connections of the account.
func TestACodeForAnotherResourceLeavesNoGrant(t *testing.T) {
	r := withResources(t)
	c := r.newClient("none")
	form := codeForm(c, r.code(c, params{"resource": r.url + "/mcp/sales"}))
	refused(t, r.form("/token", form.with(params{"resource": r.s.Resource})), 400, "invalid_target")
	live, err := r.s.Grants.EndAll(t.Context(), "", c.id)
	if err != nil || live != 0 {
		t.Errorf("got %d live grants, %v", live, err)
	}
}

func TestAGrantKeepsItsResource(t *testing.T) {
	r := withResources(t)
	c := r.newClient("none")
	sales := params{"resource": r.url + "/mcp/sales"}
	first := r.tokens(c, sales)
	refused(t, r.form("/token", refreshForm(c, first.str("refresh_token")).with(params{"resource": r.s.Resource})), 400, "invalid_target")
	second := r.ok(r.form("/token", refreshForm(c, first.str("refresh_token"))))
	if second.str("resource") != r.url+"/mcp/sales" {
		t.Errorf("got resource %q after a refresh", second.str("resource"))
	}
	wrong := codeForm(c, r.code(c, sales)).with(params{"resource": r.s.Resource})
	refused(t, r.form("/token", wrong), 400, "invalid_target")
	exchange := exchangeForm(second.str("access_token"))
	refused(t, r.form("/token", exchange.with(params{"audience": r.s.Resource})), 400, "invalid_target")
	both := exchange.with(params{"audience": r.s.Resource, "resource": r.url + "/mcp/sales"})
	refused(t, r.form("/token", both), 400, "invalid_target")
	if got := r.ok(r.form("/token", exchange)); got.str("resource") != r.url+"/mcp/sales" {
		t.Errorf("got resource %q for an exchanged token", got.str("resource"))
	}
}

// Claude has one client ID for all connectors. Each is asked about, and one can be ended without the other.
func TestAClientHasAGrantForEachResource(t *testing.T) {
	r := withResources(t)
	r.setResources("sales", "desk")
	c, b, got := r.newClient("none"), r.browser(), map[string]answer{}
	for _, name := range []string{"sales", "desk"} {
		page := b.Get(r.authorizeURL(c, params{"resource": r.url + "/mcp/" + name}))
		if !strings.Contains(page.Text(), r.url+"/mcp/"+name) {
			t.Errorf("%s is not asked about:\n%s", name, page.Text())
		}
		to := b.Submit(page, approve).Continue()
		got[name] = r.ok(r.form("/token", codeForm(c, to.Query().Get("code"))))
	}
	r.ok(r.form("/revoke", params{"client_id": c.id, "token": got["sales"].str("refresh_token")}))
	if a := r.callAt("sales", got["sales"].str("access_token")); a.status != http.StatusUnauthorized {
		t.Errorf("the token that was revoked: got %d", a.status)
	}
	if a := r.callAt("desk", got["desk"].str("access_token")); a.status != http.StatusOK {
		t.Errorf("the token of the other resource: got %d %s", a.status, a.body)
	}
	r.ok(r.form("/token", refreshForm(c, got["desk"].str("refresh_token"))))
}

func TestTheTokensOfARemovedResourceStopAtOnce(t *testing.T) {
	r := withResources(t)
	c := r.newClient("none")
	got := r.tokens(c, params{"resource": r.url + "/mcp/sales"})
	guarded := r.s.Guard.Require(http.HandlerFunc(r.resource), "mcp:tools")
	if a := r.through(guarded, got.str("access_token")); a.status != http.StatusOK {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	r.setResources("legal")
	if a := r.through(guarded, got.str("access_token")); a.status != http.StatusUnauthorized {
		t.Errorf("got %d %s, want 401", a.status, a.body)
	}
	refused(t, r.form("/token", refreshForm(c, got.str("refresh_token"))), 400, "invalid_grant")
	for _, token := range []string{got.str("access_token"), got.str("refresh_token")} {
		state := r.form("/introspect", params{"client_id": "agent", "client_secret": operatorsSecret, "token": token})
		if state.json["active"] != false {
			t.Errorf("got %s of a token whose resource is gone", state.body)
		}
	}
}

// A proof names the address that the client calls, which is on another host than the login.
func TestAProofIsForTheHostOfItsResource(t *testing.T) {
	p := newProver(newRig(t))
	law := oauth.Resource{URL: "https://law.example/mcp", Name: "law"}
	p.s.Resources.Set(oauth.Resource{URL: p.s.Resource}, law)
	c := p.newClient("none")
	token := p.ok(p.token(codeForm(c, p.code(c, params{"resource": law.URL})))).str("access_token")
	guarded := p.s.Guard.For(&law).Require(http.HandlerFunc(p.resource), "mcp:tools")
	for htu, want := range map[string]int{law.URL: http.StatusOK, p.url + "/mcp": http.StatusUnauthorized} {
		proof := p.prove("POST", "/mcp", token, map[string]any{"htu": htu})
		req := p.request("POST", "/mcp", "application/json", "{}", "Authorization", "DPoP "+token, "DPoP", proof)
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, req)
		if w.Code != want {
			t.Errorf("a proof for %s: got %d %s, want %d", htu, w.Code, w.Body, want)
		}
	}
}

func TestAResourceIsForItsAccounts(t *testing.T) {
	r := withResources(t)
	c := r.newClient("none", "https://app.example/cb")
	legal := params{"resource": r.url + "/mcp/legal"}
	b := r.browser()
	page := b.Submit(b.Get(r.authorizeURL(c, legal)), approve)
	if text := page.Text(); !strings.Contains(text, "Your account may not use this connector.") || !strings.Contains(text, "Use another account") {
		t.Errorf("got the page:\n%s", text)
	}
	refused(t, r.form("/token", params{
		"grant_type": "client_credentials", "client_id": "job", "client_secret": operatorsSecret, "resource": legal["resource"],
	}), 400, "invalid_target")
	r.setResources("sales", "law")
	got := r.tokens(c, params{"resource": r.url + "/mcp/law"})
	r.s.Resources.Set(oauth.Resource{URL: r.s.Resource}, oauth.Resource{URL: r.url + "/mcp/law", Name: "law", Accounts: []string{"grace"}})
	if a := r.callAt("law", got.str("access_token")); a.status != http.StatusNotFound {
		t.Errorf("got %d %s for an account that was taken off, want 404", a.status, a.body)
	}
	refused(t, r.form("/token", refreshForm(c, got.str("refresh_token"))), 400, "invalid_grant")
}

func TestOnlyTokensOfTheDefaultResourceRunTheServer(t *testing.T) {
	r := withResources(t)
	if err := r.s.Accounts.SetAdmin(t.Context(), user, true); err != nil {
		t.Fatal(err)
	}
	c := r.newClient("none")
	got := r.tokens(c, params{"resource": r.url + "/mcp/sales", "scope": "mcp:tools admin"})
	if got.str("scope") != "mcp:tools" {
		t.Errorf("got scope %q", got.str("scope"))
	}
	to := r.browser().Get(r.authorizeURL(c, params{"resource": r.url + "/mcp/sales", "scope": "admin"})).Continue()
	if to.Query().Get("error") != "invalid_scope" {
		t.Errorf("got %s for the scope of administrators alone", to)
	}
}

func TestEachResourceHasMetadataAtItsOwnAddressAlone(t *testing.T) {
	r := withResources(t)
	docs := r.s.DocumentsOf(r.s.Resources.Of(r.url + "/mcp/sales"))
	for _, path := range []string{
		"/.well-known/oauth-protected-resource/mcp/sales",
		"/.well-known/oauth-authorization-server/mcp/sales", "/mcp/sales/.well-known/oauth-authorization-server",
	} {
		if docs[path] == nil {
			t.Errorf("no document at %s", path)
		}
	}
	if r.s.Documents()["/.well-known/oauth-protected-resource/mcp/sales"] != nil || docs["/.well-known/oauth-protected-resource"] != nil {
		t.Error("a document of one resource stands for another")
	}
}

func TestTheConsentPageNamesTheResource(t *testing.T) {
	r := withResources(t)
	page := r.browser().Get(r.authorizeURL(r.newClient("none"), params{"resource": r.url + "/mcp/sales"}))
	if !page.Has("#resource") || !strings.Contains(page.Text(), "SALES") || !strings.Contains(page.Text(), r.url+"/mcp/sales") {
		t.Errorf("got the page:\n%s", page.Text())
	}
}

// Two accounts connect the same app, one after the other in one browser.
func TestASecondAccountDoesNotDisturbTheFirst(t *testing.T) {
	r := newRig(t)
	oauthtest.AddUser(t, r.s, "grace", password)
	c := r.newClient("none")
	b := r.browser()
	connect := func(to *url.URL) answer {
		return r.ok(r.form("/token", codeForm(c, to.Query().Get("code"))))
	}
	first := connect(b.Authorize(r.authorizeURL(c, nil), user, password))
	page := b.Submit(b.Get(r.authorizeURL(c, nil)), params{"decision": "switch"})
	if !page.Has("input[name=another]") {
		t.Error("an identity provider would answer with the same account again")
	}
	second := connect(b.Submit(page, approve.with(params{"username": "grace"})).Continue())
	for name, token := range map[string]string{user: first.str("access_token"), "grace": second.str("access_token")} {
		if got := r.ok(r.call(token)); got.body != "hello "+name {
			t.Errorf("got %q for the token of %s", got.body, name)
		}
	}
	r.ok(r.form("/token", refreshForm(c, first.str("refresh_token"))))
	r.ok(r.form("/token", refreshForm(c, second.str("refresh_token"))))
}
