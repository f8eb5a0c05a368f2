package oauth_test

import (
	"testing"

	"rialto/internal/guardhttp"
	"rialto/oauth"
)

func TestProvidersThatAreConfiguredWronglyAreNoticedAtStart(t *testing.T) {
	good := func() *oauth.Provider {
		return &oauth.Provider{ID: "corp", ClientID: "x", Issuer: oauth.Issuer{URL: "https://id.example", Fetch: &guardhttp.Client{}}}
	}
	check := func(all ...*oauth.Provider) error { return (&oauth.Server{Providers: all}).Check() }
	if err := check(good()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*oauth.Provider){
		"an ID with a slash":    func(p *oauth.Provider) { p.ID = "a/b" },
		"no client ID":          func(p *oauth.Provider) { p.ClientID = "" },
		"http":                  func(p *oauth.Provider) { p.Issuer.URL = "http://id.example" },
		"keys over http":        func(p *oauth.Provider) { p.Issuer.KeysURL = "http://id.example/keys" },
		"a token URL over http": func(p *oauth.Provider) { p.TokenURL = "http://id.example/token" },
		"HS256":                 func(p *oauth.Provider) { p.Issuer.Algorithms = []string{"HS256"} },
		"none":                  func(p *oauth.Provider) { p.Issuer.Algorithms = []string{"none"} },
		"a rule without values": func(p *oauth.Provider) { p.Admin.Claim = "roles" },
		"values without claim":  func(p *oauth.Provider) { p.Allow.Values = []string{"x"} },
		"a domain with an @":    func(p *oauth.Provider) { p.Domains = []string{"@corp.example"} },
		"scopes without openid": func(p *oauth.Provider) { p.Scopes = []string{"profile"} },
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
	if err := (&oauth.Server{Pasted: &oauth.Issuer{URL: "https://id.example", Fetch: &guardhttp.Client{}}}).Check(); err == nil {
		t.Error("pasted tokens for any audience: got no error")
	}
}
