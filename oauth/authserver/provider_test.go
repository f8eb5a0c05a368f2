package authserver_test

import (
	"testing"

	"rialto/internal/safehttp"
	"rialto/oauth/authserver"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

func TestProvidersThatAreConfiguredWronglyAreNoticedAtStart(t *testing.T) {
	good := func() *signin.Provider {
		return &signin.Provider{ID: "corp", ClientID: "x", Issuer: token.Issuer{URL: "https://id.example", Fetch: &safehttp.Client{}}}
	}
	check := func(all ...*signin.Provider) error {
		return authserver.New(authserver.Config{Providers: all}, authserver.Stores{}).Check()
	}
	if err := check(good()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*signin.Provider){
		"an ID with a slash":    func(p *signin.Provider) { p.ID = "a/b" },
		"no client ID":          func(p *signin.Provider) { p.ClientID = "" },
		"http":                  func(p *signin.Provider) { p.Issuer.URL = "http://id.example" },
		"keys over http":        func(p *signin.Provider) { p.Issuer.KeysURL = "http://id.example/keys" },
		"a token URL over http": func(p *signin.Provider) { p.TokenURL = "http://id.example/token" },
		"HS256":                 func(p *signin.Provider) { p.Issuer.Algorithms = []string{"HS256"} },
		"none":                  func(p *signin.Provider) { p.Issuer.Algorithms = []string{"none"} },
		"a rule without values": func(p *signin.Provider) { p.Admin.Claim = "roles" },
		"values without claim":  func(p *signin.Provider) { p.Allow.Values = []string{"x"} },
		"a domain with an @":    func(p *signin.Provider) { p.Domains = []string{"@corp.example"} },
		"scopes without openid": func(p *signin.Provider) { p.Scopes = []string{"profile"} },
	} {
		p := good()
		change(p)
		if err := check(p); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if err := check(good(), good()); err == nil {
		t.Error("twice the same: got no error")
	}
	if err := authserver.New(authserver.Config{Pasted: &token.Issuer{URL: "https://id.example", Fetch: &safehttp.Client{}}}, authserver.Stores{}).Check(); err == nil {
		t.Error("pasted tokens for any audience: got no error")
	}
}
