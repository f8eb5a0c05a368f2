package authserver_test

import (
	"strings"
	"testing"
	"time"

	"rialto/oauth"
	"rialto/oauth/flow"
)

func TestEverybodyIsLetInWhereTheOperatorSaysSo(t *testing.T) {
	r := newRig(t, func(s *setup) {
		s.AutoApprove = &flow.AutoApproval{UseCase: "demo"}
		s.Scopes = append(s.Scopes, oauth.Scope{Name: oauth.ScopeAdmin, Words: "Run the server"})
	})
	c := r.newClient("none")
	page := r.browser().Get(r.authorizeURL(c, params{"scope": "mcp:tools admin offline_access"}))
	a := r.ok(r.form("/token", codeForm(c, page.Continue().Query().Get("code"))))
	if a.str("scope") != "mcp:tools:demo offline_access" {
		t.Errorf("got scope %q, want the use case alone, and never the operator's", a.str("scope"))
	}
	var seen oauth.Principal
	r.reached = func(p oauth.Principal) { seen = p }
	r.ok(r.call(a.str("access_token")))
	if seen.Name != "auto:demo" || !strings.Contains(r.log.String(), "request approved automatically") {
		t.Errorf("got %q, want an account of its own, and a line in the log", seen.Name)
	}
	if page := r.browser().Get(r.authorizeURL(c, params{"scope": "mcp:tools:other"})); page.Status != 403 || page.Has("#continue") {
		t.Errorf("another use case: got status %d, want 403", page.Status)
	}
	fake := r.do(r.request("POST", "/register", "application/json", `{"client_name":"ChatGPT","redirect_uris":["https://evil.example/cb"],"token_endpoint_auth_method":"none"}`))
	page = r.browser().Get(r.authorizeURL(client{id: fake.str("client_id"), redirect: "https://evil.example/cb"}, nil))
	if !page.Has("#lookalike") {
		t.Error("J9: an app with a borrowed name was let in without a question")
	}
}

func TestATokenMayStandForEverybody(t *testing.T) {
	r, p := newIssuerRig(t)
	c := r.newClient("none")
	r.s.Consent.AutoApprove = &flow.AutoApproval{Token: p.AccessToken(map[string]any{"exp": r.clock.Now().Add(time.Minute).Unix()})}
	ask := func() *answer {
		t.Helper()
		page := r.browser().Get(r.authorizeURL(c, nil))
		if !page.Has("#continue") {
			local(t, page, 503)
			return nil
		}
		a := r.ok(r.form("/token", codeForm(c, page.Continue().Query().Get("code"))))
		return &a
	}
	if a := ask(); a == nil || a.str("scope") != "mcp:tools:sales" || a.json["expires_in"] != 60.0 {
		t.Errorf("got %+v, want the use case of the token, for as long as it lasts", a)
	}
	r.s.Consent.AutoApprove.UseCase = "hr"
	if ask() != nil {
		t.Error("got a use case that the token is not for")
	}
	r.s.Consent.AutoApprove.UseCase = "sales"
	if ask() == nil {
		t.Error("the token's own use case was refused")
	}
	r.clock.advance(time.Minute)
	if ask() != nil {
		t.Error("G12: an expired token was accepted")
	}
	if strings.Contains(r.log.String(), r.s.Consent.AutoApprove.Token) {
		t.Error("G11: the log holds the token")
	}
}
