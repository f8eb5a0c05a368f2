package authserver_test

import (
	"strings"
	"testing"
	"time"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/oauth/token"
)

// newUpstreamRig starts a server that lets tokens of p through.
func newUpstreamRig(t *testing.T, scope string) (*rig, *oauthtest.Provider) {
	t.Helper()
	var r *rig
	p := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	r = newRig(t, func(s *setup) {
		s.Upstreams = []token.Upstream{{Scope: scope, Issuer: token.Issuer{
			URL: p.URL, Audiences: []string{"https://rialto.example"}, Fetch: &safehttp.Client{Loopback: true},
		}}}
	})
	return r, p
}

func TestTokensOfAListedIssuerAreLetThrough(t *testing.T) {
	r, p := newUpstreamRig(t, "")
	var seen oauth.Principal
	r.reached = func(p oauth.Principal) { seen = p }
	token := p.AccessToken(map[string]any{"scope": "mcp:tools:sales admin offline_access other", "client_id": "m2m"})
	for range 2 { // the second time from the cache
		r.ok(r.call(token))
	}
	if some, all := seen.UseCases(); all || strings.Join(some, " ") != "sales" || seen.Scope.String() != "mcp:tools:sales" || seen.ClientID != p.URL+" m2m" {
		t.Errorf("got %+v, want one use case and nothing of the operator", seen)
	}
	first := seen.User
	r.ok(r.call(p.AccessToken(map[string]any{"scope": "mcp:tools"})))
	if seen.User != first {
		t.Errorf("got account %s, want the same for the same subject, %s", seen.User, first)
	}
	r.ok(r.call(r.tokens(r.newClient("none"), nil).str("access_token"))) // our own, too
	state := r.newClient("client_secret_post")                           // no other endpoint takes it for ours
	if a := r.ok(r.form("/introspect", params{"client_id": state.id, "client_secret": state.secret, "token": token})); a.json["active"] != false {
		t.Errorf("introspection: got %s", a.body)
	}

	strict, q := newUpstreamRig(t, "rialto:use")
	refused(t, strict.call(q.AccessToken(map[string]any{"scope": "mcp:tools"})), 403, "insufficient_scope")
	strict.ok(strict.call(q.AccessToken(map[string]any{"scope": "mcp:tools rialto:use"})))
}

func TestFATokenOfAnotherIssuerThatDoesNotHold(t *testing.T) {
	r, p := newUpstreamRig(t, "")
	now := r.clock.Now().Unix()
	type m = map[string]any
	with := func(changes m) string { return p.AccessToken(changed(m{"scope": "mcp:tools"}, changes)) }
	good := with(nil)
	stranger := oauthtest.NewProvider(t, r.clock.Now)
	for name, test := range map[string]struct {
		token  string
		status int
	}{
		"G1 an issuer that is not listed":       {stranger.AccessToken(m{"scope": "mcp:tools"}), 401},
		"G1 a stranger says it is the issuer":   {stranger.AccessToken(m{"scope": "mcp:tools", "iss": p.URL}), 401},
		"G2 another audience":                   {with(m{"aud": "https://other.example"}), 401},
		"G2 no audience":                        {with(m{"aud": ""}), 401},
		"G3 no scope that opens this":           {with(m{"scope": "openid"}), 403},
		"F23 the operator's scope":              {with(m{"scope": "admin"}), 403},
		"G4 expired":                            {with(m{"exp": now}), 401},
		"G4 not yet valid":                      {with(m{"nbf": now + 120}), 401},
		"F18 no end":                            {with(m{"exp": 0}), 401},
		"F13 a signature of another text":       {good[:len(good)-6] + "AAAAAA", 401},
		"F1 no signature":                       {good[:strings.LastIndex(good, ".")+1], 401},
		"F30 bound to a key, as a bearer token": {with(m{"cnf": m{"jkt": strings.Repeat("A", 43)}}), 401},
		"F30 bound to a certificate":            {with(m{"cnf": m{"x5t#S256": "x"}}), 401},
		"no subject":                            {with(m{"sub": ""}), 401},
		"a client of another world":             {with(m{"client_id": strings.Repeat("x", 300)}), 401},
	} {
		if a := r.call(test.token); a.status != test.status {
			t.Errorf("%s: got %d %s, want %d", name, a.status, a.body, test.status)
		}
	}
	r.ok(r.call(good))
	r.clock.advance(24 * time.Hour)
	refused(t, r.call(good), 401, "invalid_token")

	for name, u := range map[string]token.Upstream{
		"no audience":        {Issuer: token.Issuer{URL: "https://id.example", Fetch: &safehttp.Client{}}},
		"no address":         {Issuer: token.Issuer{Audiences: []string{"x"}, Fetch: &safehttp.Client{}}},
		"a shared secret":    {Issuer: token.Issuer{URL: "https://id.example", Audiences: []string{"x"}, Algorithms: []string{"HS256"}, Fetch: &safehttp.Client{}}},
		"this server itself": {Issuer: token.Issuer{URL: r.url, Audiences: []string{"x"}, Fetch: &safehttp.Client{Loopback: true}}},
	} {
		if err := r.replica(func(s *setup) { s.Upstreams = []token.Upstream{u} }).Check(); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
