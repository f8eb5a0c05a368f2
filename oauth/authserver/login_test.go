package authserver_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// newProviderRig starts a server where people may sign in at a provider. change
// may alter what the server knows of it.
func newProviderRig(t testing.TB, change ...func(*signin.Provider)) (*rig, *oauthtest.Provider) {
	t.Helper()
	var r *rig
	p := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	corp := corpOf(p)
	for _, f := range change {
		f(corp)
	}
	r = newRig(t, func(s *setup) { s.Providers = []*signin.Provider{corp} })
	return r, p
}

func corpOf(p *oauthtest.Provider) *signin.Provider {
	return &signin.Provider{
		ID: "corp", Name: "Corp", ClientID: p.ClientID, ClientSecret: "a secret of the provider",
		Issuer: token.Issuer{URL: p.URL, Fetch: &safehttp.Client{Loopback: true}},
	}
}

var atCorp = params{"decision": "provider:corp"}

// leave opens the page of a request, allows it, and returns where the browser
// is sent to sign in.
func (r *rig) leave(b *oauthtest.Browser, c client, changes params) *url.URL {
	r.t.Helper()
	return b.Submit(b.Get(r.authorizeURL(c, changes)), atCorp).Continue()
}

// visit opens the provider and returns where it sends the browser back to.
func (r *rig) visit(b *oauthtest.Browser, to *url.URL) *url.URL {
	r.t.Helper()
	return b.Get(to.String()).Continue()
}

func altered(u *url.URL, name, value string) string {
	q := u.Query()
	q.Set(name, value)
	if value == "-" {
		q.Del(name)
	}
	changed := *u
	changed.RawQuery = q.Encode()
	return changed.String()
}

func TestAPersonSignsInAtAProvider(t *testing.T) {
	r, p := newProviderRig(t)
	c := r.newClient("none")
	b := r.browser()
	page := b.Get(r.authorizeURL(c, nil))
	if !page.Has("button[value=provider:corp]") || !page.Has("input[name=username]") {
		t.Fatal("want both ways to sign in on the page")
	}
	leaving := b.Submit(page, atCorp)
	to := leaving.Continue()
	if leaving.Status != 200 || !p.Issued(to.String(), "/authorize") {
		t.Fatalf("got status %d to %s, want a page that leads to the provider: form-action stops redirects", leaving.Status, to)
	}
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "rialto", "redirect_uri": r.url + "/oauth/callback/corp",
		"scope": "openid profile email", "code_challenge_method": "S256",
	} {
		if got := to.Query().Get(name); got != want {
			t.Errorf("got %s %q, want %q", name, got, want)
		}
	}
	if len(to.Query().Get("nonce")) != 43 || len(to.Query().Get("state")) != 43 || len(to.Query().Get("code_challenge")) != 43 {
		t.Errorf("got %s, want nonce, state and challenge of 256 bits", to)
	}
	done := b.Get(r.visit(b, to).String())
	a := r.ok(r.form("/token", codeForm(c, done.Continue().Query().Get("code"))))
	var seen oauth.Principal
	r.reached = func(p oauth.Principal) { seen = p }
	r.ok(r.call(a.str("access_token")))
	if seen.Name != "corp:ada" || seen.Has("admin") {
		t.Errorf("got %+v, want the person of the provider, and no administrator", seen)
	}

	p.Claims(map[string]any{"preferred_username": "renamed", "email": "other@corp.example"})
	again := b.Submit(b.Get(r.authorizeURL(c, nil)), params{"decision": "approve"}) // signed in since
	first := seen.User
	r.ok(r.call(r.ok(r.form("/token", codeForm(c, again.Continue().Query().Get("code")))).str("access_token")))
	other := r.browser()
	done = other.Get(r.visit(other, r.leave(other, c, nil)).String())
	r.ok(r.call(r.ok(r.form("/token", codeForm(c, done.Continue().Query().Get("code")))).str("access_token")))
	if seen.User != first || seen.Name != "corp:ada" {
		t.Errorf("got %+v, want the same account whatever the person is called by now", seen)
	}
	if log := r.log.String(); strings.Contains(log, to.Query().Get("state")) || strings.Contains(log, done.Continue().Query().Get("code")) {
		t.Error("the log holds a secret")
	}
}

func TestAPageOfOursAsksToSignInAtAProvider(t *testing.T) {
	r, _ := newProviderRig(t)
	b := r.browser()
	page := b.Get(b.Get(r.url + "/page?x=1").Continue().String())
	to := b.Submit(page, params{"provider": "corp"}).Continue()
	done := b.Get(r.visit(b, to).String())
	if got := done.Continue().String(); done.Status != 303 || got != r.url+"/page?x=1" || b.Get(got).Body != "hello corp:ada" {
		t.Errorf("got status %d to %s, want the page that was asked for", done.Status, got)
	}
	victim := r.browser()
	local(t, victim.Submit(page, params{"provider": "corp"}), 403) // the form of another browser
}

func TestK1TheWayBackIsForTheBrowserThatAllowed(t *testing.T) {
	r, p := newProviderRig(t)
	c := r.newClient("none")
	attacker, victim := r.browser(), r.browser()
	to := r.leave(attacker, c, nil) // the attacker allows their own client
	trap := r.visit(victim, to)     // and makes the victim sign in
	local(t, victim.Get(trap.String()), 403)
	r.leave(victim, c, nil) // the victim has a login of their own
	local(t, victim.Get(trap.String()), 403)
	if p.Asked("/token") != 0 {
		t.Error("the code went to the provider")
	}
	attacker.Get(trap.String()).Continue() // the login itself is unharmed
}

func TestK2AndK3AStateIsGoodOnceForItsProvider(t *testing.T) {
	var r *rig
	p := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	q := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	other := corpOf(q)
	other.ID = "other"
	r = newRig(t, func(s *setup) { s.Providers = []*signin.Provider{corpOf(p), other} })
	c := r.newClient("none")
	b := r.browser()
	back := r.visit(b, r.leave(b, c, nil))
	for name, test := range map[string]struct {
		url    string
		status int
	}{
		"K2 unknown state":                   {altered(back, "state", strings.Repeat("A", 43)), 400},
		"K2 no state":                        {altered(back, "state", "-"), 400},
		"K2 state twice":                     {back.String() + "&state=x", 400},
		"K3 the callback of another":         {strings.Replace(back.String(), "/corp", "/other", 1), 400},
		"K3 that of nobody":                  {strings.Replace(back.String(), "/corp", "/nobody", 1), 404},
		"K4 the iss of another":              {altered(back, "iss", q.URL), 400},
		"K4 an iss with a slash":             {altered(back, "iss", p.URL+"/"), 400},
		"K4 no iss of one that promises one": {altered(back, "iss", "-"), 400},
		"no code":                            {altered(back, "code", "-"), 400},
	} {
		t.Run(name, func(t *testing.T) { local(t, b.Get(test.url), test.status) })
	}
	if p.Asked("/token")+q.Asked("/token") != 0 {
		t.Error("a code went to a provider")
	}
	b.Get(back.String()).Continue()
	local(t, b.Get(back.String()), 400) // K2: used

	late := r.visit(b, r.leave(b, c, nil))
	r.clock.advance(10 * time.Minute)
	local(t, b.Get(late.String()), 400) // K2: expired
	if p.Asked("/token") != 1 {
		t.Errorf("got %d codes redeemed, want one", p.Asked("/token"))
	}
}

func TestK5AnIDTokenThatDoesNotHold(t *testing.T) {
	type m = map[string]any
	stranger, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	r, p := newProviderRig(t)
	c := r.newClient("none")
	now := r.clock.Now().Unix()
	claims := func(changes m) func(header, claims map[string]any) string {
		return func(header, claims map[string]any) string { return p.Sign(header, changed(claims, changes)) }
	}
	head := func(changes m) func(header, claims map[string]any) string {
		return func(header, claims map[string]any) string { return p.Sign(changed(header, changes), claims) }
	}
	for name, forge := range map[string]func(header, claims map[string]any) string{
		"another nonce":     claims(m{"nonce": "another"}),
		"no nonce":          claims(m{"nonce": nil}),
		"another audience":  claims(m{"aud": "somebody"}),
		"another party":     claims(m{"azp": "somebody"}),
		"several audiences": claims(m{"aud": []string{"rialto", "somebody"}}),
		"another issuer":    claims(m{"iss": "https://evil.example"}),
		"expired":           claims(m{"exp": now - 1}),
		"of tomorrow":       claims(m{"iat": now + 86400}),
		"about nobody":      claims(m{"sub": nil}),
		"sub is a number":   claims(m{"sub": 1}),
		"alg none": func(header, claims map[string]any) string {
			return input(text(changed(header, m{"alg": "none"})), text(claims)) + "."
		},
		"alg none with a signature": head(m{"alg": "none"}),
		"alg HS256": func(header, claims map[string]any) string {
			return sign256([]byte("a secret of the provider"), text(changed(header, m{"alg": "HS256"})), text(claims))
		},
		"embedded key": head(m{"jwk": m{"kty": "EC"}}),
		"jku":          head(m{"jku": "https://evil.example/keys"}),
		"crit":         head(m{"crit": []string{"exp"}}),
		"unknown kid":  head(m{"kid": "k2"}),
		"a stranger's key": func(header, claims map[string]any) string {
			return oauthtest.SignES256(stranger, header, claims)
		},
		"claims twice": func(header, claims map[string]any) string {
			return sign(p.Key(), text(header), strings.Replace(text(claims), "{", `{"sub":"0",`, 1))
		},
		"no token": func(map[string]any, map[string]any) string { return "" },
		"words":    func(map[string]any, map[string]any) string { return "let.me.in" },
	} {
		t.Run(name, func(t *testing.T) {
			b := r.browser()
			back := r.visit(b, r.leave(b, c, nil))
			p.IDToken(forge)
			local(t, b.Get(back.String()), 403)
			p.IDToken(nil)
			local(t, b.Get(back.String()), 400) // the login is used up
			if b.Get(r.url+"/page").Status != 303 {
				t.Error("the browser is signed in")
			}
		})
	}
}

func TestK6ARefusalThereReachesTheClient(t *testing.T) {
	r, p := newProviderRig(t)
	p.Instead("/authorize", func(w http.ResponseWriter, req *http.Request) {
		q := url.Values{"error": {"access_denied"}, "error_description": {"<script>"}, "state": {req.URL.Query().Get("state")}, "iss": {p.URL}}
		http.Redirect(w, req, req.URL.Query().Get("redirect_uri")+"?"+q.Encode(), http.StatusFound)
	})
	b := r.browser()
	back := r.visit(b, r.leave(b, r.newClient("none"), nil))
	page := b.Get(back.String())
	if got := page.Continue().Query(); got.Get("error") != "access_denied" || got.Get("state") != "the state" || got.Get("iss") != r.url || strings.Contains(page.Body, "<script>") {
		t.Errorf("got %v, want that the client learns of the refusal, in our words", got)
	}
	local(t, b.Get(back.String()), 400)

	signIn := b.Submit(b.Get(r.url+"/signin"), params{"provider": "corp"}).Continue()
	if page := b.Get(r.visit(b, signIn).String()); page.Status != 403 || !page.Has("#error") || !page.Has("form") {
		t.Errorf("got status %d, want the sign-in page again", page.Status)
	}
}

func TestK7NobodyLeavesWithoutHavingAllowed(t *testing.T) {
	r, p := newProviderRig(t)
	c := r.newClient("none", "https://chatgpt.com.evil.example/cb")
	b := r.browser()
	for _, path := range []string{"/oauth/callback/corp", "/oauth/callback/", "/oauth/login/corp"} {
		if page := b.Get(r.url + path); page.Has("#continue") || page.Status < 400 {
			t.Errorf("%s: got status %d, want no way to the provider", path, page.Status)
		}
	}
	local(t, b.Post(r.url+"/authorize", url.Values{"decision": {"provider:corp"}}), 400)
	local(t, b.Submit(b.Get(r.authorizeURL(c, nil)), params{"decision": "provider:nobody"}), 400)
	if page := b.Submit(b.Get(r.authorizeURL(c, params{"scope": "mcp:tools mcp:more"})), params{"decision": "provider:corp", "scope": "-"}); page.Has("#continue") {
		t.Error("a browser left without an approval")
	}
	if p.Asked("/authorize") != 0 {
		t.Error("the provider was asked")
	}
}

func TestK8APersonIsIssuerAndSubject(t *testing.T) {
	var r *rig
	p := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	q := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	other := corpOf(q)
	other.ID = "other"
	r = newRig(t, func(s *setup) { s.Providers = []*signin.Provider{corpOf(p), other} })
	who := func(provider string) oauth.Principal {
		t.Helper()
		var seen oauth.Principal
		r.reached = func(p oauth.Principal) { seen = p }
		b := r.browser()
		to := b.Submit(b.Get(r.url+"/signin?next=/page"), params{"provider": provider}).Continue()
		b.Get(b.Get(r.visit(b, to).String()).Continue().String())
		return seen
	}
	ada := who("corp")
	p.Claims(map[string]any{"sub": "2"}) // another person with the same names
	namesake := who("corp")
	elsewhere := who("other") // the same sub, names and address at another issuer
	p.Claims(map[string]any{"sub": "3", "preferred_username": user})
	impostor := who("corp") // the name of a local account
	p.Claims(map[string]any{"sub": "4", "preferred_username": "ada lovelace \u202e", "email": nil})
	odd := who("corp")
	seen := map[string]bool{}
	for _, person := range []oauth.Principal{ada, namesake, elsewhere, impostor, odd} {
		if person.User == "" || seen[person.User] || seen[person.Name] || person.Name == user {
			t.Errorf("got %+v, want a person of their own, with a name of their own", person)
		}
		seen[person.User], seen[person.Name] = true, true
	}
	local(t, r.browser().Submit(r.browser().Get(r.url+"/signin"), params{"username": ada.Name, "password": ""}), 403)
	if err := r.s.Accounts.SetPassword(t.Context(), ada.Name, "a long enough password"); err == nil {
		t.Error("a provider's account was given a password")
	}
}

func TestK9ACodeOfAnotherLoginIsNoUse(t *testing.T) {
	r, p := newProviderRig(t)
	c := r.newClient("none")
	attacker, victim := r.browser(), r.browser()
	stolen := r.visit(victim, r.leave(victim, c, nil)).Query().Get("code")
	back := r.visit(attacker, r.leave(attacker, c, nil))
	local(t, attacker.Get(altered(back, "code", stolen)), 403) // PKCE at the provider
	if attacker.Get(r.url+"/page").Status != 303 {
		t.Error("the attacker is signed in as the victim")
	}
	// A provider without PKCE: the nonce is that of another login.
	p.Instead("/token", func(w http.ResponseWriter, _ *http.Request) {
		id := p.Sign(map[string]any{"alg": "ES256", "kid": p.KeyID}, map[string]any{
			"iss": p.URL, "aud": p.ClientID, "sub": "1", "nonce": "of the victim", "iat": r.clock.Now().Unix(), "exp": r.clock.Now().Unix() + 60,
		})
		answering(200, `{"access_token":"x","token_type":"Bearer","id_token":"`+id+`"}`)(w, nil)
	})
	back = r.visit(attacker, r.leave(attacker, c, nil))
	local(t, attacker.Get(altered(back, "code", stolen)), 403)
}

func TestK10AnOutageOfTheProviderLosesNothing(t *testing.T) {
	r, p := newProviderRig(t)
	c := r.newClient("none")
	b := r.browser()
	p.Instead("/.well-known/openid-configuration", answering(500, ""))
	if page := b.Submit(b.Get(r.authorizeURL(c, nil)), atCorp); page.Status != 503 || !page.Has("#problem") {
		t.Errorf("before leaving: got status %d, want a page that says so", page.Status)
	}
	p.Instead("/.well-known/openid-configuration", nil)
	back := r.visit(b, r.leave(b, c, nil))
	for _, path := range []string{"/token", "/keys"} {
		p.Instead(path, answering(500, "an internal secret"))
		page := b.Get(back.String())
		if page.Status != 503 || page.Header.Get("Retry-After") == "" || strings.Contains(page.Body, "internal secret") {
			t.Errorf("%s: got status %d, want a page that says to try again", path, page.Status)
		}
		p.Instead(path, nil)
		if path == "/token" {
			continue
		}
		r.clock.advance(11 * time.Second)
		back = r.visit(b, r.leave(b, c, nil)) // the provider has used the code up
	}
	b.Get(back.String()).Continue()
}

func TestAProviderDecidesWhatAPersonMayDo(t *testing.T) {
	type m = map[string]any
	for name, test := range map[string]struct {
		change func(*signin.Provider)
		claims m
		asks   string
		gets   string // "" is turned away
	}{
		"an administrator": {
			func(p *signin.Provider) {
				p.Admin = signin.Rule{Claim: "realm_access.roles", Values: []string{"rialto-admin"}}
			},
			m{"realm_access": m{"roles": []string{"x", "rialto-admin"}}}, "mcp:tools admin", "mcp:tools admin",
		},
		"no administrator": {
			func(p *signin.Provider) {
				p.Admin = signin.Rule{Claim: "realm_access.roles", Values: []string{"rialto-admin"}}
			},
			m{"realm_access": m{"roles": []string{"rialto-admins"}}}, "mcp:tools admin", "mcp:tools",
		},
		"a claim with dots in its name": {
			func(p *signin.Provider) {
				p.Admin = signin.Rule{Claim: "https://corp.example/roles", Values: []string{"boss"}}
			},
			m{"https://corp.example/roles": "staff boss"}, "mcp:tools admin", "mcp:tools admin",
		},
		"use cases": {
			func(p *signin.Provider) { p.UseCases = "usecases" },
			m{"usecases": []any{"sales", "a b", 7}}, "mcp:tools", "mcp:tools:sales",
		},
		"all use cases":           {func(p *signin.Provider) { p.UseCases = "usecases" }, m{"usecases": "sales *"}, "mcp:tools", "mcp:tools"},
		"no use case":             {func(p *signin.Provider) { p.UseCases = "usecases" }, m{"usecases": []string{}}, "mcp:tools", ""},
		"no claim of use cases":   {func(p *signin.Provider) { p.UseCases = "usecases" }, nil, "mcp:tools", ""},
		"another use case":        {func(p *signin.Provider) { p.UseCases = "usecases" }, m{"usecases": "hr"}, "mcp:tools:sales", ""},
		"a group":                 {func(p *signin.Provider) { p.Allow = signin.Rule{Claim: "groups", Values: []string{"data"}} }, m{"groups": []string{"data"}}, "mcp:tools", "mcp:tools"},
		"no group":                {func(p *signin.Provider) { p.Allow = signin.Rule{Claim: "groups", Values: []string{"data"}} }, m{"groups": "dat data2"}, "mcp:tools", ""},
		"a domain":                {func(p *signin.Provider) { p.Domains = []string{"corp.example"} }, m{"email": "Ada@Corp.Example"}, "mcp:tools", "mcp:tools"},
		"a domain like it":        {func(p *signin.Provider) { p.Domains = []string{"corp.example"} }, m{"email": "ada@evilcorp.example"}, "mcp:tools", ""},
		"K8 an unverified domain": {func(p *signin.Provider) { p.Domains = []string{"corp.example"} }, m{"email_verified": false}, "mcp:tools", ""},
		"K8 verified, as text":    {func(p *signin.Provider) { p.Domains = []string{"corp.example"} }, m{"email_verified": "true"}, "mcp:tools", ""},
		"no address":              {func(p *signin.Provider) { p.Domains = []string{"corp.example"} }, m{"email": nil}, "mcp:tools", ""},
		"two addresses in one":    {func(p *signin.Provider) { p.Domains = []string{"corp.example"} }, m{"email": "ada@evil.example, x@corp.example."}, "mcp:tools", ""},
		"both, and one is not met": {func(p *signin.Provider) {
			p.Domains, p.Allow = []string{"corp.example"}, signin.Rule{Claim: "groups", Values: []string{"data"}}
		}, nil, "mcp:tools", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, p := newProviderRig(t, test.change)
			r.s.Scopes.All = append(r.s.Scopes.All, oauth.Scope{Name: "admin", Words: "Run the server"})
			p.Claims(test.claims)
			c := r.newClient("none")
			b := r.browser()
			page := b.Get(r.authorizeURL(c, params{"scope": test.asks}))
			action, form := page.Form()
			form.Set("decision", "provider:corp")
			form["scope"] = strings.Fields(test.asks)
			done := b.Get(r.visit(b, b.Post(action, form).Continue()).String())
			if test.gets == "" {
				local(t, done, 403)
				return
			}
			a := r.ok(r.form("/token", codeForm(c, done.Continue().Query().Get("code"))))
			if a.str("scope") != test.gets {
				t.Errorf("got scope %q, want %q", a.str("scope"), test.gets)
			}
		})
	}
}

// Microsoft Entra leaves the groups of a person with more than 200 out of the token, and names another
// place for them. The page once said that the account may not sign in, as of a person in no group.
func TestGroupsThatATokenLeavesOutAreNamed(t *testing.T) {
	type m = map[string]any
	left := m{"_claim_names": m{"groups": "src1"}, "_claim_sources": m{"src1": m{"endpoint": "https://graph.windows.net/x"}}}
	for name, change := range map[string]func(*signin.Provider){
		"who may sign in": func(p *signin.Provider) { p.Allow = signin.Rule{Claim: "groups", Values: []string{"data"}} },
		"use cases":       func(p *signin.Provider) { p.UseCases = "groups" },
	} {
		t.Run(name, func(t *testing.T) {
			r, p := newProviderRig(t, change)
			p.Claims(left)
			b := r.browser()
			page := b.Get(r.visit(b, r.leave(b, r.newClient("none"), nil)).String())
			local(t, page, 403)
			if !strings.Contains(page.Text(), "Your account there is in too many groups") {
				t.Errorf("got %s", page.Text())
			}
		})
	}
}

func TestClaimsMayComeFromTheUserInfoEndpoint(t *testing.T) {
	r, p := newProviderRig(t, func(p *signin.Provider) { p.Allow = signin.Rule{Claim: "groups", Values: []string{"data"}} })
	c := r.newClient("none")
	try := func() *oauthtest.Page {
		b := r.browser()
		return b.Get(r.visit(b, r.leave(b, c, nil)).String())
	}
	p.Instead("/userinfo", answering(200, `{"sub":"1","groups":["data"]}`))
	try().Continue()
	p.Instead("/userinfo", answering(200, `{"sub":"2","groups":["data"]}`))
	local(t, try(), 403)
	p.Instead("/userinfo", answering(200, `{"groups":["data"]}`))
	local(t, try(), 403)
	p.Instead("/userinfo", answering(500, `{}`))
	local(t, try(), 503)
}

func TestWhatAPersonOfAProviderAllowsEnds(t *testing.T) {
	r, _ := newProviderRig(t, func(p *signin.Provider) { p.Lifetime = time.Hour })
	r.s.Tokens.AccessTTL = 10 * time.Minute
	c := r.newClient("none")
	b := r.browser()
	b.Get(r.visit(b, r.leave(b, c, nil)).String())
	end := r.clock.Now().Add(time.Hour).Format(time.RFC3339)
	r.clock.advance(30 * time.Minute)
	page := b.Get(r.authorizeURL(c, nil))
	if got := page.Attribute("time", "datetime"); got != end {
		t.Errorf("the page says that the access ends at %q, want %q", got, end)
	}
	again := b.Submit(page, params{"decision": "approve"}) // in the same session
	a := r.ok(r.form("/token", codeForm(c, again.Continue().Query().Get("code"))))
	r.clock.advance(29 * time.Minute)
	a = r.ok(r.form("/token", refreshForm(c, a.str("refresh_token"))))
	r.clock.advance(time.Minute)
	refused(t, r.form("/token", refreshForm(c, a.str("refresh_token"))), 400, "invalid_grant")
	refused(t, r.call(a.str("access_token")), 401, "invalid_token")
}

func TestAClientThatWantsAFreshSignInGetsOneThere(t *testing.T) {
	r, _ := newProviderRig(t)
	if got := r.leave(r.browser(), r.newClient("none"), params{"prompt": "login"}).Query().Get("prompt"); got != "login" {
		t.Errorf("got prompt %q, want login", got)
	}
}
