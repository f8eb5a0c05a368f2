package authserver_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/oauth/token"
	"rialto/store"
	"rialto/store/storetest"
)

// newIssuerRig starts a server that takes pasted tokens of p, and no passwords.
func newIssuerRig(t testing.TB, change ...func(*setup)) (*rig, *oauthtest.Provider) {
	t.Helper()
	var r *rig
	p := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	r = newRig(t, append([]func(*setup){func(s *setup) {
		s.NoPasswords = true
		s.Pasted = &token.Issuer{URL: p.URL, Audiences: []string{"https://rialto.example"}, Fetch: &safehttp.Client{Loopback: true}}
	}}, change...)...)
	return r, p
}

// paste opens the page of a request, pastes a token and sends it.
func (r *rig) paste(b *oauthtest.Browser, c client, token string, changes params) *oauthtest.Page {
	r.t.Helper()
	return b.Submit(b.Get(r.authorizeURL(c, changes)), params{"decision": "token", "token": token})
}

func TestAPastedTokenOpensItsUseCase(t *testing.T) {
	r, p := newIssuerRig(t)
	for name, test := range map[string]struct{ holds, asks, gets string }{
		"one use case":                {"mcp:tools:sales", "mcp:tools offline_access", "mcp:tools:sales offline_access"},
		"several":                     {"openid mcp:tools:sales mcp:tools:hr", "mcp:tools", "mcp:tools:hr mcp:tools:sales"},
		"one of several":              {"mcp:tools:sales mcp:tools:hr", "mcp:tools:sales", "mcp:tools:sales"},
		"all":                         {"mcp:tools:*", "mcp:tools", "mcp:tools"},
		"all, and one is asked for":   {"mcp:tools:*", "mcp:tools:hr", "mcp:tools:hr"},
		"another scope that it holds": {"mcp:tools:sales mcp:more", "mcp:tools mcp:more", "mcp:tools:sales mcp:more"},
		"another scope that it lacks": {"mcp:tools:sales", "mcp:tools mcp:more admin", "mcp:tools:sales"},
		"as it stands in a command":   {"mcp:tools:sales", "mcp:tools", "mcp:tools:sales"},
	} {
		t.Run(name, func(t *testing.T) {
			c := r.newClient("none")
			token := p.AccessToken(map[string]any{"scope": test.holds})
			if strings.Contains(name, "command") {
				token = " Bearer " + token + " "
			}
			b := r.browser()
			page := r.paste(b, c, token, params{"scope": test.asks})
			// Without the script the person has not seen the use case yet: the page shows it.
			if page.Status != 200 || !page.Has("#voucher") || strings.Contains(page.Body, strings.TrimSpace(token)) {
				t.Fatalf("got status %d, want what the token opens, and not the token:\n%s", page.Status, page.Text())
			}
			done := b.Submit(page, params{"decision": "token"})
			a := r.ok(r.form("/token", codeForm(c, done.Continue().Query().Get("code"))))
			if a.str("scope") != test.gets {
				t.Errorf("got scope %q, want %q", a.str("scope"), test.gets)
			}
			var seen oauth.Principal
			r.reached = func(p oauth.Principal) { seen = p }
			r.ok(r.call(a.str("access_token")))
			if !strings.HasPrefix(seen.Name, "token:") {
				t.Errorf("got %q, want a name that says where the person comes from", seen.Name)
			}
			if b.Get(r.url+"/page").Status != 303 {
				t.Error("a token that was pasted for one app signed the browser in")
			}
		})
	}
}

// TestTheScriptSparesTheSecondClick holds what static/files/token.js does: it
// sends what it has shown.
func TestTheScriptSparesTheSecondClick(t *testing.T) {
	r, p := newIssuerRig(t)
	c := r.newClient("none")
	b := r.browser()
	token := p.AccessToken(map[string]any{"scope": "mcp:tools:sales mcp:tools:hr"})
	seen := params{"decision": "token", "token": token, "shown": "hr sales"}
	b.Submit(b.Get(r.authorizeURL(c, nil)), seen).Continue()
	if page := b.Submit(b.Get(r.authorizeURL(c, nil)), seen.with(params{"shown": "hr"})); !page.Has("#voucher") {
		t.Error("a use case was granted that the page had not shown")
	}
}

func TestG1ToG6APastedTokenThatDoesNotHold(t *testing.T) {
	r, p := newIssuerRig(t)
	type m = map[string]any
	now := r.clock.Now().Unix()
	good := p.AccessToken(nil)
	parts := strings.Split(good, ".")
	header := func(changes m) string {
		return p.Sign(changed(p.TokenHeader(), changes), m{"iss": p.URL, "sub": "1", "aud": "https://rialto.example", "scope": "mcp:tools:sales", "exp": now + 3600})
	}
	stranger, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	der, _ := x509.MarshalPKIXPublicKey(&p.Key().PublicKey)
	payload := text(m{"iss": p.URL, "sub": "1", "aud": "https://rialto.example", "scope": "mcp:tools:sales", "exp": now + 3600})
	c := r.newClient("none")
	r.paste(r.browser(), c, good, nil).Attribute("#voucher", "class") // the keys are known from here on
	for name, test := range map[string]struct{ token, says string }{
		"G1 another issuer":               {p.AccessToken(m{"iss": "https://evil.example"}), "Another issuer made it."},
		"G1 the issuer with a slash":      {p.AccessToken(m{"iss": p.URL + "/"}), "Another issuer made it."},
		"G2 another audience":             {p.AccessToken(m{"aud": "https://other.example"}), "It is meant for another audience."},
		"G2 several others":               {p.AccessToken(m{"aud": []string{"a", "b"}}), "It is meant for another audience."},
		"G2 no audience":                  {p.AccessToken(m{"aud": nil}), "It is meant for another audience."},
		"G2 an empty audience":            {p.AccessToken(m{"aud": ""}), "It is meant for another audience."},
		"G3 no use case":                  {p.AccessToken(m{"scope": "mcp:tools"}), "It names no use case"},
		"G3 no scope":                     {p.AccessToken(m{"scope": nil}), "It names no use case"},
		"G3 F24 a scope that looks alike": {p.AccessToken(m{"scope": "xmcp:tools:sales mcp:tools:\tsales mcp:tools\u00a0:x MCP:tools:y"}), "It names no use case"},
		"G4 expired":                      {p.AccessToken(m{"exp": now - 1}), "It has expired."},
		"G4 without end":                  {p.AccessToken(m{"exp": nil}), "It doesn't say when it ends."},
		"G4 not yet valid":                {p.AccessToken(m{"nbf": now + 1200}), "It is from the future."},
		"G4 of tomorrow":                  {p.AccessToken(m{"iat": now + 86400}), "It is from the future."},
		"G5 an ID token":                  {p.AccessToken(m{"scope": nil, "nonce": "n", "at_hash": "x"}), "It is an ID token"},
		"G5 a logout token":               {header(m{"typ": "logout+jwt"}), "It is a token of another kind."},
		"G5 no type":                      {header(m{"typ": nil}), "It is a token of another kind."},
		"G5 bound to a key":               {p.AccessToken(m{"cnf": m{"jkt": strings.Repeat("A", 43)}}), "It is bound to a key"},
		"G5 bound to a certificate":       {p.AccessToken(m{"cnf": m{"x5t#S256": "x"}}), "It is bound to a key"},
		"nobody":                          {p.AccessToken(m{"sub": nil}), "It doesn't say whom it stands for."},
		"G6 F1 alg none":                  {input(text(changed(p.TokenHeader(), m{"alg": "none"})), payload) + ".AA", "Its algorithm"},
		"G6 F2 empty signature":           {parts[0] + "." + parts[1] + ".", "It isn't a signed JWT"},
		"G6 F3 public key as a secret":    {sign256(der, text(changed(p.TokenHeader(), m{"alg": "HS256"})), payload), "Its algorithm"},
		"G6 F5 embedded key":              {header(m{"jwk": m{"kty": "EC"}}), "Its header"},
		"G6 F6 jku":                       {header(m{"jku": p.URL + "/evil"}), "Its header"},
		"G6 F7 x5c":                       {header(m{"x5c": []string{"x"}}), "Its header"},
		"G6 F9 unknown kid":               {header(m{"kid": "../../k1"}), "No key of the issuer"},
		"G6 F10 crit":                     {header(m{"crit": []string{"exp"}}), "Its header"},
		"G6 F11 b64":                      {header(m{"b64": false}), "Its header"},
		"G6 F12 another algorithm":        {header(m{"alg": "ES384"}), "No key of the issuer"},
		"G6 F13 a stranger's key":         {oauthtest.SignES256(stranger, p.TokenHeader(), m{"iss": p.URL, "sub": "1", "aud": "https://rialto.example", "scope": "mcp:tools:sales", "exp": now + 3600}), "No key of the issuer"},
		"G6 F13 zeroes":                   {parts[0] + "." + parts[1] + "." + strings.Repeat("A", 86), "No key of the issuer"},
		"G6 F15 encrypted":                {good + ".AA.AA", "It isn't a signed JWT"},
		"G6 F17 duplicate claim":          {sign(p.Key(), text(p.TokenHeader()), strings.Replace(payload, "{", `{"scope":"mcp:tools:*",`, 1)), "Its claims"},
		"G6 F17 exp in another case":      {p.AccessToken(m{"exp": nil, "EXP": now + 60}), "It doesn't say when it ends."},
		"G6 F18 exp is text":              {p.AccessToken(m{"exp": fmt.Sprint(now + 60)}), "Its claims"},
		"G6 F25 bits that do not count":   {malleable(good), "It isn't a signed JWT"},
		"nothing":                         {"", "Paste it first."},
		"words":                           {"let me in", "It isn't a signed JWT"},
	} {
		t.Run(name, func(t *testing.T) {
			page := r.paste(r.browser(), c, test.token, nil)
			if page.Status != 403 || !strings.Contains(page.Text(), test.says) || page.Has("#voucher") {
				t.Errorf("got status %d, want 403 and %q:\n%s", page.Status, test.says, page.Text())
			}
			if len(test.token) > 40 && strings.Contains(page.Body, test.token) {
				t.Error("the page holds the token")
			}
		})
		r.clock.advance(6 * time.Second) // a place in the limit comes back
	}
	if n := p.Asked("/evil"); n != 0 {
		t.Errorf("got %d requests to where a token pointed", n)
	}
}

func TestG1NothingIsFetchedForATokenOfAnotherIssuer(t *testing.T) {
	r, p := newIssuerRig(t)
	r.paste(r.browser(), r.newClient("none"), p.AccessToken(map[string]any{"iss": "https://evil.example"}), nil)
	if n := p.Asked("/keys") + p.Asked("/.well-known/openid-configuration"); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

func TestPastingIsLimited(t *testing.T) {
	r, p := newIssuerRig(t)
	c := r.newClient("none")
	b := r.browser()
	page := b.Get(r.authorizeURL(c, nil))
	for range 200 {
		b.Submit(page, params{"decision": "token", "token": "nonsense"})
	}
	if page := b.Submit(page, params{"decision": "token", "token": "nonsense"}); page.Status != 429 || page.Header.Get("Retry-After") == "" || page.Header.Get("RateLimit-Policy") != `"refused";q=200;w=100` {
		t.Errorf("got status %d with %v, want 429 with the quota", page.Status, page.Header)
	}
	if page := r.paste(b, c, p.AccessToken(nil), nil); page.Status != 200 {
		t.Errorf("got status %d for a good token, want 200", page.Status)
	}
}

func TestG7AndG8AnIssuerThatDoesNotAnswerAsItShould(t *testing.T) {
	for name, break_ := range map[string]func(*oauthtest.Provider){
		"G7 keys without end": func(p *oauthtest.Provider) {
			p.Instead("/keys", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, `{"keys":[`)
				for range 100_000 {
					fmt.Fprint(w, `{"kty":"EC","crv":"P-256","kid":"k","x":"AAAA","y":"AAAA"},`)
				}
				fmt.Fprint(w, `{}]}`)
			})
		},
		"G7 HTML":           func(p *oauthtest.Provider) { p.Instead("/keys", answering(200, "<html>")) },
		"G7 an error":       func(p *oauthtest.Provider) { p.Instead("/keys", answering(500, "")) },
		"G7 a private key":  func(p *oauthtest.Provider) { p.Instead("/keys", answering(200, `{"keys":[{"kty":"EC","d":"x"}]}`)) },
		"G7 no metadata":    func(p *oauthtest.Provider) { p.Instead("/.well-known/openid-configuration", answering(404, "")) },
		"G8 another issuer": func(p *oauthtest.Provider) { p.Metadata(map[string]any{"issuer": "https://evil.example"}) },
		"G8 a slash":        func(p *oauthtest.Provider) { p.Metadata(map[string]any{"issuer": p.URL + "/"}) },
		"G7 a redirect": func(p *oauthtest.Provider) {
			p.Instead("/keys", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, p := newIssuerRig(t)
			break_(p)
			b := r.browser()
			c := r.newClient("none")
			page := r.paste(b, c, p.AccessToken(nil), nil)
			if page.Status != 503 || page.Header.Get("Retry-After") == "" || !page.Has("#problem") {
				t.Fatalf("got status %d, want a page that says so:\n%s", page.Status, page.Text())
			}
			asked := p.Asked("/keys") + p.Asked("/.well-known/openid-configuration")
			r.paste(b, c, p.AccessToken(nil), nil)
			if n := p.Asked("/keys") + p.Asked("/.well-known/openid-configuration"); n != asked {
				t.Errorf("got %d more requests at once, want a pause", n-asked)
			}
		})
	}
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestG9AndG10TheIssuersKeysChange(t *testing.T) {
	r, p := newIssuerRig(t)
	c := r.newClient("none")
	good := func(token string) bool {
		t.Helper()
		r.clock.advance(6 * time.Second) // a place in the limit comes back
		return r.paste(r.browser(), c, token, nil).Has("#voucher")
	}
	old := p.AccessToken(nil)
	if !good(old) {
		t.Fatal("the first key does not work")
	}
	p.NewKey("k2")
	r.clock.advance(31 * time.Second)
	if !good(p.AccessToken(nil)) || p.Asked("/keys") != 2 {
		t.Errorf("G9: got %d requests for keys, want the new key to be found by one", p.Asked("/keys"))
	}
	if good(old) {
		t.Error("G10: a token of a key that is gone works")
	}
	for i := range 4 {
		header := changed(p.TokenHeader(), map[string]any{"kid": fmt.Sprint("unknown ", i)})
		if good(p.Sign(header, map[string]any{"iss": p.URL, "sub": "1", "aud": "https://rialto.example", "scope": "mcp:tools:sales", "exp": r.clock.Now().Unix() + 60})) {
			t.Error("a token of an unknown key works")
		}
	}
	if n := p.Asked("/keys"); n > 3 {
		t.Errorf("G9: got %d requests for keys, want unknown key IDs to make few", n)
	}
	p.Instead("/keys", answering(500, ""))
	r.clock.advance(20 * time.Minute)
	if !good(p.AccessToken(map[string]any{"exp": r.clock.Now().Unix() + 600})) {
		t.Error("an outage of the issuer ended what its keys are good for")
	}
	r.clock.advance(time.Hour)
	if good(p.AccessToken(map[string]any{"exp": r.clock.Now().Unix() + 600})) {
		t.Error("keys were good for more than an hour after the issuer went away")
	}
}

func TestG12TheGrantEndsWithThePastedToken(t *testing.T) {
	r, p := newIssuerRig(t)
	c := r.newClient("none")
	b := r.browser()
	page := r.paste(b, c, p.AccessToken(map[string]any{"exp": r.clock.Now().Add(10 * time.Minute).Unix()}), nil)
	a := r.ok(r.form("/token", codeForm(c, b.Submit(page, params{"decision": "token"}).Continue().Query().Get("code"))))
	if a.json["expires_in"] != 600.0 {
		t.Errorf("got a token for %v seconds, want those that the pasted one has left", a.json["expires_in"])
	}
	r.clock.advance(9 * time.Minute)
	a = r.ok(r.form("/token", refreshForm(c, a.str("refresh_token"))))
	if a.json["expires_in"] != 60.0 {
		t.Errorf("after a refresh: got a token for %v seconds, want 60", a.json["expires_in"])
	}
	r.clock.advance(time.Minute)
	refused(t, r.form("/token", refreshForm(c, a.str("refresh_token"))), 400, "invalid_grant")
	refused(t, r.call(a.str("access_token")), 401, "invalid_token")

	late := r.paste(b, c, p.AccessToken(map[string]any{"exp": r.clock.Now().Add(time.Minute).Unix()}), nil)
	r.clock.advance(time.Minute)
	if page := b.Submit(late, params{"decision": "token"}); page.Status != 403 {
		t.Errorf("a token that expired while the person looked: got status %d, want 403", page.Status)
	}
}

func TestAVoucherIsGoodForItsOwnRequest(t *testing.T) {
	r, p := newIssuerRig(t)
	c := r.newClient("none")
	b := r.browser()
	mine := r.paste(b, c, p.AccessToken(nil), nil)
	another := b.Get(r.authorizeURL(c, nil))
	stolen := params{"decision": "token", "voucher": mine.Attribute("input[name=voucher]", "value"), "shown": "sales"}
	local(t, b.Submit(another, stolen), 400)
	local(t, b.Submit(another, stolen.with(params{"voucher": "AAAA"})), 400)
	b.Submit(mine, params{"decision": "token"}).Continue()
	local(t, b.Submit(mine, params{"decision": "token"}), 400) // once
}

func TestG13ClaimsAreText(t *testing.T) {
	r, p := newIssuerRig(t)
	page := r.paste(r.browser(), r.newClient("none"), p.AccessToken(map[string]any{
		"sub": `<script>alert(1)</script>`, "scope": `mcp:tools:sales mcp:tools:<img/src=x>`,
	}), nil)
	if !page.Has("#voucher") || strings.Contains(page.Body, "<img/src") || strings.Contains(page.Body, "alert(1)") {
		t.Errorf("got a page with what the claims hold:\n%s", page.Body)
	}
	page = r.paste(r.browser(), r.newClient("none"), `<img src=x>`, nil)
	if page.Status != 403 || page.Has("img[src=x]") {
		t.Errorf("got status %d, want the page without what was pasted", page.Status)
	}
}

// TestG11APastedTokenIsKeptNowhere searches the log, the pages and the bytes of
// the database, its write-ahead log included, for the token and its parts.
func TestG11APastedTokenIsKeptNowhere(t *testing.T) {
	path := storetest.File(t, store.Open)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var r *rig
	p := oauthtest.NewProvider(t, func() time.Time { return r.clock.Now() })
	r = serve(t, db, httptest.NewUnstartedServer(nil), func(s *setup) {
		s.Pasted = &token.Issuer{URL: p.URL, Audiences: []string{"https://rialto.example"}, Fetch: &safehttp.Client{Loopback: true}}
	})
	c := r.newClient("none")
	b := r.browser()
	good, bad := p.AccessToken(nil), p.AccessToken(map[string]any{"aud": "https://other.example"})
	var pages strings.Builder
	for _, page := range []*oauthtest.Page{
		r.paste(b, c, bad, nil), r.paste(b, c, good, nil),
		b.Submit(r.paste(b, c, good, nil), params{"decision": "token"}),
		b.Submit(b.Get(r.authorizeURL(c, nil)), params{"decision": "token", "token": good, "shown": "sales"}),
		b.Submit(b.Get(r.authorizeURL(c, nil)), params{"decision": "deny", "token": good}),
	} {
		fmt.Fprintln(&pages, page.Body, page.Header)
	}
	places := map[string]string{"the pages": pages.String(), "the log": r.log.String()}
	for _, file := range []string{path, path + "-wal"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		places[filepath.Base(file)] = string(b)
	}
	for place, content := range places {
		for _, token := range []string{good, bad} {
			for _, part := range append(strings.Split(token, ".")[1:], token) {
				if strings.Contains(content, part) {
					t.Errorf("%s holds the token, or a part of it", place)
				}
			}
		}
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var kept int
	if err := raw.QueryRow(`SELECT COUNT(*) FROM accounts WHERE issuer = $1 AND subject = 'machine-1'`, p.URL).Scan(&kept); err != nil || kept != 1 {
		t.Errorf("got %d accounts, %v, want the one that the token is about: the search sees the data", kept, err)
	}
}
