package authserver_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"rialto/oauth/authserver"
	oauthclient "rialto/oauth/client"
)

const operatorsSecret = "a secret: with 100% of + everything"

// configured returns a rig with the operator's clients.
func configured(t *testing.T) *rig {
	return newRig(t, func(s *setup) {
		s.Clients = []oauthclient.Configured{
			{ID: "desk", Name: "ChatGPT for our desk", RedirectURIs: []string{"https://desk.example/cb"}},
			{ID: "portal", Secret: operatorsSecret, RedirectURIs: []string{"https://portal.example/cb"}},
			{ID: "post", AuthMethod: "client_secret_post", Secret: operatorsSecret, RedirectURIs: []string{"https://post.example/cb"}},
			{ID: "gateway", Secret: operatorsSecret, Introspects: true},
			{ID: "robot", Secret: operatorsSecret, User: "Ada"},
			{ID: "lost", Secret: operatorsSecret, User: "nobody"},
		}
	})
}

func TestAConfiguredClientNeedsNoRegistration(t *testing.T) {
	r := configured(t)
	for name, test := range map[string]struct {
		c      client
		header []string
		form   params
	}{
		"none":                {client{id: "desk", redirect: "https://desk.example/cb"}, nil, nil},
		"client_secret_basic": {client{id: "portal", redirect: "https://portal.example/cb"}, []string{"Authorization", basic("portal", escaped(operatorsSecret))}, nil},
		"client_secret_post":  {client{id: "post", redirect: "https://post.example/cb"}, nil, params{"client_secret": operatorsSecret}},
	} {
		t.Run(name, func(t *testing.T) {
			code := r.code(test.c, nil)
			got := r.ok(r.form("/token", codeForm(test.c, code).with(test.form), test.header...))
			r.ok(r.call(got.str("access_token")))
			r.ok(r.form("/token", refreshForm(test.c, got.str("refresh_token")).with(test.form), test.header...))
		})
	}
	t.Run("D1 the secret of another", func(t *testing.T) {
		c := client{id: "portal", redirect: "https://portal.example/cb"}
		refused(t, r.form("/token", codeForm(c, "rialto_code_x"), "Authorization", basic("portal", "guess")), 401, "invalid_client")
		refused(t, r.form("/token", codeForm(c, "rialto_code_x")), 401, "invalid_client")
	})
	t.Run("A2 another redirect URI", func(t *testing.T) {
		local(t, r.browser().Get(r.authorizeURL(client{id: "desk", redirect: "https://evil.example/cb"}, nil)), 400)
	})
	t.Run("A16 none was configured", func(t *testing.T) {
		local(t, r.browser().Get(r.authorizeURL(client{id: "gateway", redirect: "https://evil.example/cb"}, nil)), 400)
	})
}

// TestGuessesOfAnOperatorsSecret guesses the secret of a client: its network waits then, even with the right
// secret. Other clients and networks do not.
func TestGuessesOfAnOperatorsSecret(t *testing.T) {
	r := newRig(t, func(s *setup) {
		s.Clients = []oauthclient.Configured{{ID: "robot", Secret: operatorsSecret, User: "Ada"}, {ID: "other", Secret: operatorsSecret, User: "Ada"}}
		s.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	try := func(id, secret, network string) answer {
		return r.form("/token", params{"grant_type": "client_credentials"}, "Authorization", basic(id, escaped(secret)), "X-Forwarded-For", network)
	}
	for range 6 {
		refused(t, try("robot", "guess", "192.0.2.1"), 401, "invalid_client")
	}
	waits := try("robot", operatorsSecret, "192.0.2.1")
	refused(t, waits, 429, "slow_down")
	if got := waits.header.Get("Retry-After"); got != "2" {
		t.Errorf("got Retry-After %q, want 2", got)
	}
	r.ok(try("robot", operatorsSecret, "192.0.2.2"))
	r.ok(try("other", operatorsSecret, "192.0.2.1"))
	r.clock.advance(2 * time.Second)
	r.ok(try("robot", operatorsSecret, "192.0.2.1"))
}

func TestThePageVouchesForAConfiguredClient(t *testing.T) {
	page := configured(t)
	p := page.browser().Get(page.authorizeURL(client{id: "desk", redirect: "https://desk.example/cb"}, nil))
	if p.Has("#unverified") || p.Has("#lookalike") {
		t.Error("the page doubts a name that the operator gave")
	}
	if !strings.Contains(p.Text(), "ChatGPT for our desk") {
		t.Error("the page does not name the client")
	}
}

func TestAConfiguredClientOutlivesUpkeep(t *testing.T) {
	r := configured(t)
	c := client{id: "desk", redirect: "https://desk.example/cb"}
	r.clock.advance(1000 * 24 * 3600e9)
	if err := r.s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.tokens(c, nil)
}

func TestClientsThatAreConfiguredWronglyAreNoticedAtStart(t *testing.T) {
	cb := []string{"https://a.example/cb"}
	for name, clients := range map[string][]oauthclient.Configured{
		"no ID":                          {{RedirectURIs: cb}},
		"the ID of rialto token":         {{ID: "cli", RedirectURIs: cb}},
		"an ID like ours":                {{ID: "rialto_client_x", RedirectURIs: cb}},
		"an ID that is a URL":            {{ID: "https://a.example/client.json", RedirectURIs: cb}},
		"an ID with a space":             {{ID: "a b", RedirectURIs: cb}},
		"an ID twice":                    {{ID: "a", RedirectURIs: cb}, {ID: "a", RedirectURIs: cb}},
		"an unknown method":              {{ID: "a", AuthMethod: "tls_client_auth", Secret: operatorsSecret}},
		"a method without its secret":    {{ID: "a", AuthMethod: "client_secret_post"}},
		"a secret without its method":    {{ID: "a", AuthMethod: "none", Secret: operatorsSecret}},
		"a secret that can be guessed":   {{ID: "a", Secret: "12345"}},
		"introspection without a secret": {{ID: "a", Introspects: true}},
		"an account without a secret":    {{ID: "a", User: "ada"}},
		"an account that cannot be":      {{ID: "a", User: "a b", Secret: operatorsSecret}},
		"a redirect URI in plain http":   {{ID: "a", RedirectURIs: []string{"http://a.example/cb"}}},
		"a redirect URI with a wildcard": {{ID: "a", RedirectURIs: []string{"https://*.a.example/cb"}}},
	} {
		if err := authserver.New(authserver.Config{Clients: clients}, authserver.Stores{}).Check(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
