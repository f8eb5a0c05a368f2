package oauth_test

import (
	"slices"
	"testing"

	"rialto/internal/guardhttp"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// TestUseCasesEndWithTheProvidersWord takes a use case away at the provider. What
// was granted in it ends when the provider says so, and a pasted token of the
// same person does not bring it back.
func TestUseCasesEndWithTheProvidersWord(t *testing.T) {
	type m = map[string]any
	r, p := newProviderRig(t, func(p *oauth.Provider) { p.UseCases = "usecases" })
	r.s.Pasted = &oauth.Issuer{URL: p.URL, Audiences: []string{"https://rialto.example"}, Fetch: &guardhttp.Client{Loopback: true}}
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

// TestAnAddressIsVerifiedForItself has userinfo verify another address than the
// one that the ID token names.
func TestAnAddressIsVerifiedForItself(t *testing.T) {
	r, p := newProviderRig(t, func(p *oauth.Provider) { p.Domains = []string{"corp.example"} })
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
