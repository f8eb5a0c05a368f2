package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// TestUseCasesEndWithTheProvidersWord takes a use case away at the provider. What
// was granted in it ends when the provider says so, and a pasted token of the
// same person does not bring it back.
func TestUseCasesEndWithTheProvidersWord(t *testing.T) {
	type m = map[string]any
	r, p := newProviderRig(t, func(p *signin.Provider) { p.UseCases = "usecases" })
	r.s.Consent.Pasted.Issuer = &token.Issuer{URL: p.URL, Audiences: []string{"https://rialto.example"}, Fetch: &safehttp.Client{Loopback: true}}
	c := r.newClient("none")
	b := r.browser()
	signIn := func(useCases string) answer {
		p.Claims(m{"usecases": useCases})
		done := b.Get(r.visit(b, r.leave(b, c, params{"prompt": "login"})).String())
		return r.ok(r.form("/token", codeForm(c, done.Continue().Query().Get("code"))))
	}
	before := signIn("demo sales")
	demo := func(token string) answer {
		return r.do(r.request("POST", "/demo", "application/json", "{}", "Authorization", "Bearer "+token))
	}
	r.reached = func(p oauth.Principal) {
		if some, all := p.UseCases(); all || !slices.Equal(some, []string{"demo", "sales"}) {
			t.Errorf("before: got use cases %v", some)
		}
	}
	r.ok(r.call(before.str("access_token")))
	signIn("sales")
	r.reached = func(p oauth.Principal) {
		if some, all := p.UseCases(); all || !slices.Equal(some, []string{"sales"}) {
			t.Errorf("afterwards: got use cases %v, want what is left", some)
		}
	}
	r.ok(r.call(before.str("access_token")))
	refused(t, demo(before.str("access_token")), 403, "insufficient_scope")
	if a := r.ok(r.form("/token", refreshForm(c, before.str("refresh_token")))); a.str("scope") != "mcp:tools:sales" {
		t.Errorf("a refresh got %q, want what is left", a.str("scope"))
	}
	local(t, r.pasteAll(c, p.AccessToken(m{"sub": "1", "scope": "mcp:tools:demo"})), 403)
	a := r.ok(r.form("/token", codeForm(c, r.pasteAll(c, p.AccessToken(m{"sub": "1", "scope": "mcp:tools:*"})).Continue().Query().Get("code"))))
	if a.str("scope") != "mcp:tools:sales" {
		t.Errorf("a pasted token got %q, want what the provider lets the person do", a.str("scope"))
	}
	signIn("hr")
	refused(t, r.call(before.str("access_token")), 403, "insufficient_scope")
	refused(t, r.form("/token", refreshForm(c, before.str("refresh_token"))), 400, "invalid_grant")
}

// TestAPersonInABrowserHasTheUseCasesOfTheAccount looks at who a page is for: an
// administrator, too, has no other use cases than the account.
func TestAPersonInABrowserHasTheUseCasesOfTheAccount(t *testing.T) {
	r, p := newProviderRig(t, func(p *signin.Provider) { p.UseCases = "usecases" })
	p.Claims(map[string]any{"usecases": "demo sales"})
	b := r.browser()
	b.Get(r.visit(b, r.leave(b, r.newClient("none"), nil)).String())
	var seen oauth.Principal
	page := r.s.Sessions.Require(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { seen, _ = oauth.FromContext(req.Context()) }))
	for _, admin := range []bool{false, true} {
		if admin {
			if err := r.s.Accounts.SetAdmin(t.Context(), seen.Name, true); err != nil {
				t.Fatal(err)
			}
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, r.s.Issuer+"/page", nil)
		for _, c := range b.Cookies(r.s.Issuer) {
			req.AddCookie(c)
		}
		seen = oauth.Principal{}
		page.ServeHTTP(httptest.NewRecorder(), req)
		if some, all := seen.UseCases(); all || !slices.Equal(some, []string{"demo", "sales"}) || seen.Has(oauth.ScopeAdmin) != admin {
			t.Errorf("an administrator %v: got the use cases %v, all %v, of %+v", admin, some, all, seen)
		}
	}
}

// TestAnAddressIsVerifiedForItself has userinfo verify another address than the
// one that the ID token names.
func TestAnAddressIsVerifiedForItself(t *testing.T) {
	r, p := newProviderRig(t, func(p *signin.Provider) { p.Domains = []string{"corp.example"} })
	p.Claims(map[string]any{"email": "eve@corp.example", "email_verified": nil})
	c := r.newClient("none")
	try := func(email string) *oauthtest.Page {
		p.Instead("/userinfo", answering(200, `{"sub":"1","email":"`+email+`","email_verified":true}`))
		b := r.browser()
		return b.Get(r.visit(b, r.leave(b, c, nil)).String())
	}
	local(t, try("eve@evil.example"), 403)
	try("eve@corp.example").Continue()
}

// pasteAll pastes a token and approves what the page then says of it.
func (r *rig) pasteAll(c client, token string) *oauthtest.Page {
	r.t.Helper()
	b := r.browser()
	return b.Submit(r.paste(b, c, token, nil), params{"decision": "token"})
}
