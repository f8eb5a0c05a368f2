package authserver_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"rialto/oauth/oauthtest"
	"rialto/store"
	"rialto/store/storetest"
)

var (
	approve = params{"decision": "approve", "username": user, "password": password}
	deny    = params{"decision": "deny"}
)

// newTLSRig starts a server that browsers reach over TLS.
func newTLSRig(t *testing.T) *rig {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	ts := httptest.NewUnstartedServer(nil)
	ts.TLS = &tls.Config{}
	return serve(t, db, ts)
}

func TestJ1AndJ14EveryPageIsProtected(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none", "https://app.example/cb")
	b := r.browser()
	consent := b.Get(r.authorizeURL(c, nil))
	for name, p := range map[string]*oauthtest.Page{
		"consent":      consent,
		"interstitial": b.Submit(consent, approve),
		"denied":       b.Submit(b.Get(r.authorizeURL(c, nil)), deny),
		"problem":      b.Get(r.url + "/authorize"),
		"sent back":    b.Get(r.authorizeURL(c, params{"prompt": "none"})),
		"sign in":      b.Get(r.url + "/signin"),
		"sign out":     b.Post(r.url+"/signout", nil),
	} {
		for header, want := range map[string]string{
			"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff",
		} {
			if got := p.Header.Get(header); got != want {
				t.Errorf("%s: got %s %q, want %q", name, header, got, want)
			}
		}
		for _, rule := range []string{"default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(p.Header.Get("Content-Security-Policy"), rule) {
				t.Errorf("%s: the policy lacks %s", name, rule)
			}
		}
	}
}

func TestJ3AStrangersHandleDoesNothing(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	attacker, victim := r.browser(), r.browser()
	trap := attacker.Get(r.authorizeURL(c, nil))
	victim.Submit(victim.Get(r.authorizeURL(c, nil)), approve).Continue() // the victim is signed in
	local(t, victim.Submit(trap, params{"decision": "approve", "as": user}), 403)
	local(t, victim.Submit(trap, approve), 403)
	attacker.Submit(trap, approve).Continue() // the request itself is unharmed
}

func TestJ4AndJ15ARequestIsAnsweredOnce(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	for name, answers := range map[string][2]params{
		"approve twice":      {approve, approve},
		"deny, then approve": {deny, approve},
		"approve, then deny": {approve, deny},
	} {
		b := r.browser()
		page := b.Get(r.authorizeURL(c, nil))
		b.Submit(page, answers[0]).Continue()
		if p := b.Submit(page, answers[1]); p.Has("#continue") || p.Status/100 != 4 {
			t.Errorf("%s: got status %d, want the second refused", name, p.Status)
		}
	}
	t.Run("a handle that never was", func(t *testing.T) {
		local(t, r.browser().Post(r.url+"/authorize", map[string][]string{"handle": {"x"}, "decision": {"approve"}}), 400)
	})
	t.Run("no decision", func(t *testing.T) {
		b := r.browser()
		local(t, b.Submit(b.Get(r.authorizeURL(c, nil)), nil), 400)
	})
}

func TestSeveralTabsDoNotCollide(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	b := r.browser()
	first, second := b.Get(r.authorizeURL(c, params{"state": "1"})), b.Get(r.authorizeURL(c, params{"state": "2"}))
	if got := b.Submit(second, approve).Continue().Query().Get("state"); got != "2" {
		t.Errorf("second tab: got state %q", got)
	}
	if got := b.Submit(first, approve).Continue().Query().Get("state"); got != "1" {
		t.Errorf("first tab: got state %q", got)
	}
}

func TestJ5TheFormDecidesNothingElse(t *testing.T) {
	r := newRig(t)
	c, other := r.newClient("none"), r.newClient("none", "http://127.0.0.1:9/other")
	b := r.browser()
	to := b.Submit(b.Get(r.authorizeURL(c, params{"scope": "mcp:tools mcp:more"})), params{
		"decision": "approve", "username": user, "password": password,
		"client_id": other.id, "redirect_uri": other.redirect, "scope": "mcp:more", "resource": "https://evil.example", "state": "x", "code_challenge": "x",
	})
	if to.Status == 400 {
		t.Fatal("unknown fields of the form are refused, want them ignored")
	}
	got := r.ok(r.form("/token", codeForm(c, to.Continue().Query().Get("code"))))
	if got.str("scope") != "mcp:more" {
		t.Errorf("got scope %q, want the ticked scopes", got.str("scope"))
	}
}

func TestJ6ADenialReachesTheClient(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	p := b.Submit(b.Get(r.authorizeURL(r.newClient("none"), nil)), deny)
	if p.Status != 200 {
		t.Errorf("got status %d, want a page: form-action would block a redirect", p.Status)
	}
	sentBack(t, r, p.Continue(), "access_denied")
}

func TestJ7TextOfStrangersIsText(t *testing.T) {
	r := newRig(t)
	const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	a := r.register(`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"none","client_name":"<script>alert(1)</script>\"'><img src=x>","client_uri":"javascript:alert(1)"}`)
	c := client{id: a.str("client_id"), redirect: "https://app.example/cb"}
	b := r.browser()
	page := b.Get(r.authorizeURL(c, params{"state": evil, "scope": "mcp:tools " + evil}))
	wrong := b.Submit(page, params{"decision": "approve", "username": evil, "password": "x"})
	done := b.Submit(page, approve)
	for name, p := range map[string]*oauthtest.Page{
		"consent": page, "after a wrong password": wrong, "interstitial": done,
		"sent back": b.Get(r.authorizeURL(c, params{"state": evil, "response_type": evil})),
		"problem":   b.Get(r.authorizeURL(c, params{"redirect_uri": evil})),
		"sign in":   b.Get(r.url + `/signin?next=/"><script>alert(1)</script>`),
	} {
		if strings.Contains(p.Body, "<script>") || strings.Contains(p.Body, "<img src=x") || strings.Contains(p.Body, `href="javascript:`) {
			t.Errorf("%s: the text of a stranger became markup:\n%s", name, p.Body)
		}
	}
	if got := done.Continue().Query().Get("state"); got != evil {
		t.Errorf("got state %q, want it as it was", got)
	}
}

func TestJ8ThePageSaysWhereTheAnswerGoes(t *testing.T) {
	r := newRig(t)
	for redirect, want := range map[string]struct {
		text     string
		loopback bool
	}{
		"https://app.example:444/cb":                   {"app.example:444", false},
		"http://127.0.0.1:9/cb":                        {"127.0.0.1:9", true},
		"http://[::1]:9/cb":                            {"[::1]:9", true},
		"cursor://anysphere.cursor-mcp/oauth/callback": {"cursor://anysphere.cursor-mcp", true},
	} {
		p := r.browser().Get(r.authorizeURL(r.newClient("none", redirect), nil))
		if !strings.Contains(p.Text(), want.text) || p.Has("#loopback") != want.loopback || !p.Has("#unverified") {
			t.Errorf("%s: want the host, the loopback warning %v and that the name is not verified:\n%s", redirect, want.loopback, p.Text())
		}
		if !strings.Contains(p.Text(), "Use the tools") || strings.Contains(p.Text(), "Do more") {
			t.Errorf("%s: want the scopes that were asked for, in words:\n%s", redirect, p.Text())
		}
	}
}

func TestJ9ABorrowedNameIsWarnedOf(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, redirect string
		warned         bool
	}{
		{"ChatGPT", "https://evil.example/cb", true},
		{"ChatGPT", "https://chatgpt.com/connector/oauth/x", false},
		{"ChatGPT", "https://chatgpt.com.evil.example/cb", true},
		{"ChatGPT", "https://evilchatgpt.com/cb", true},
		{"Claude", "https://claude.ai/api/mcp/auth_callback", false},
		{"Claude", "https://claude.com/api/mcp/auth_callback", false},
		{"Claude Code (mini)", "http://localhost:3118/callback", false},
		{"C l a u d e", "https://evil.example/cb", true},
		{"Ｃｌａｕｄｅ", "https://evil.example/cb", true},
		{"Clаude", "https://evil.example/cb", true}, // a Cyrillic letter
		{"Cl\u200baude", "https://evil.example/cb", true},
		{"CIaude by Anthr0pic", "https://evil.example/cb", true},
		{"Çlàúdé", "https://evil.example/cb", true},
		{"Cursor", "cursor://anysphere.cursor-mcp/oauth/callback", false},
		{"ᴄlaude", "https://evil.example/cb", true},
		{"\u03f9laude", "https://evil.example/cb", true}, // NFKC makes a sigma of it
		{"Rialto", "https://evil.example/cb", true},
		{"Google Gemini", "https://sites.google.com/cb", true},
		{"My own app", "https://evil.example/cb", false},
	} {
		a := r.register(`{"redirect_uris":["` + test.redirect + `"],"token_endpoint_auth_method":"none","client_name":"` + test.name + `"}`)
		c := client{id: a.str("client_id"), redirect: test.redirect}
		b := r.browser()
		page := b.Get(r.authorizeURL(c, nil))
		if got := page.Has("#lookalike"); got != test.warned {
			t.Errorf("%q to %s: got warning %v, want %v", test.name, test.redirect, got, test.warned)
			continue
		}
		if ours := strings.HasPrefix(test.redirect, "https://chatgpt.com/") || strings.HasPrefix(test.redirect, "https://claude."); page.Has("#unverified") == ours {
			t.Errorf("%q to %s: got a name that is not verified: %v, want %v", test.name, test.redirect, !ours, !ours)
		}
		if !test.warned {
			continue
		}
		again := b.Submit(page, approve)
		if again.Has("#continue") || !again.Has("#error") {
			t.Errorf("%q: approved without an answer to the warning", test.name)
		}
		b.Submit(again, params{"decision": "approve", "understood": "yes"}).Continue()
	}
}

func TestH6ANameIsMadeFitToBeShown(t *testing.T) {
	r := newRig(t)
	for sent, want := range map[string]string{
		`evil\u202eppa`:              "evilppa",
		`a\u0000b\nc\td`:             "ab c d",
		`\u2066x\u2069`:              "x",
		strings.Repeat("é", 3000):    strings.Repeat("é", 64) + "…",
		`  two  spaces  `:            "two spaces",
		`\u200b`:                     "app.example",
		`<b>bold</b>`:                "<b>bold</b>",
		`\ufb01ne`:                   "fine",
		`\ud83d\ude00 smile`:         "😀 smile",
		`a\u00a0b`:                   "a b",
		`\ue000private\ufffe`:        "private",
		`\u0635\u0628\u0627\u062d 1`: "صباح 1",
	} {
		a := r.register(`{"redirect_uris":["https://app.example/cb"],"client_name":"` + sent + `"}`)
		if got := a.str("client_name"); got != want {
			t.Errorf("%.40s: got %q, want %q", sent, got, want)
		}
	}
}

func TestASignedInPersonIsAskedEachTimeButNotForThePassword(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	b := r.browser()
	b.Submit(b.Get(r.authorizeURL(c, nil)), approve).Continue()
	page := b.Get(r.authorizeURL(c, nil)) // J11: nothing is remembered for a client that registered itself
	if page.Has("input[name=password]") || !page.Has("#authorize") || !strings.Contains(page.Text(), user) {
		t.Fatalf("want the question without a password, for %s:\n%s", user, page.Text())
	}
	if !strings.Contains(page.Text(), "Access ends on 19 Feb 2027 at the latest.") { // 90 days later
		t.Errorf("the page does not say when the access ends:\n%s", page.Text())
	}
	if b.Submit(page, params{"decision": "approve"}).Continue().Query().Get("code") == "" {
		t.Error("no code")
	}
	t.Run("unless the client wants another sign-in", func(t *testing.T) {
		page := b.Get(r.authorizeURL(c, params{"prompt": "login"}))
		if !page.Has("input[name=password]") {
			t.Error("the password is not asked for")
		}
		if p := b.Submit(page, params{"decision": "approve", "as": user}); p.Has("#continue") {
			t.Error("approved without a password")
		}
		b.Submit(page, approve).Continue()
	})
	t.Run("and not once the session has ended", func(t *testing.T) {
		r.clock.advance(12 * time.Hour)
		if page := b.Get(r.authorizeURL(c, nil)); !page.Has("input[name=password]") {
			t.Error("the session did not end")
		}
	})
}

func TestAnotherAccountMayBeUsed(t *testing.T) {
	r := newRig(t)
	if err := r.s.Accounts.Add(t.Context(), "bob", "another password"); err != nil {
		t.Fatal(err)
	}
	c := r.newClient("none")
	b := r.browser()
	b.Submit(b.Get(r.authorizeURL(c, nil)), approve).Continue()
	stale := b.Get(r.authorizeURL(c, nil)) // shows ada
	switched := b.Submit(b.Get(r.authorizeURL(c, nil)), params{"decision": "switch"})
	if !switched.Has("input[name=password]") {
		t.Fatal("the password is not asked for after switching")
	}
	to := b.Submit(switched, params{"decision": "approve", "username": "Bob", "password": "another password"}).Continue()
	got := r.ok(r.form("/token", codeForm(c, to.Query().Get("code"))))
	if body := r.ok(r.call(got.str("access_token"))).body; body != "hello bob" {
		t.Errorf("got %q, want the account that approved", body)
	}
	// The other tab still shows ada: bob must not approve what ada was shown.
	again := b.Submit(stale, params{"decision": "approve"})
	if again.Has("#continue") || !again.Has("#error") {
		t.Error("an approval counted for an account that the page did not show")
	}
	b.Submit(again, params{"decision": "approve"}).Continue()
}

func TestJ12TheSessionIsNewAtEverySignIn(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	session := func(b *oauthtest.Browser) string {
		for _, c := range b.Cookies(r.url) {
			if c.Name == "rialto-session" {
				return c.Value
			}
		}
		return ""
	}
	b := r.browser()
	planted := strings.Repeat("p", 43)
	b.SetCookie(r.url, &http.Cookie{Name: "rialto-session", Value: planted, Path: "/"})
	b.Submit(b.Get(r.authorizeURL(c, nil)), approve).Continue()
	first := session(b)
	if first == planted || first == "" {
		t.Fatalf("got session %q, want a new one", first)
	}
	b.Submit(b.Get(r.authorizeURL(c, params{"prompt": "login"})), approve).Continue()
	if session(b) == first {
		t.Error("the session did not change at the second sign-in")
	}
	thief := r.browser()
	thief.SetCookie(r.url, &http.Cookie{Name: "rialto-session", Value: first, Path: "/"})
	if !thief.Get(r.authorizeURL(c, nil)).Has("input[name=password]") {
		t.Error("the old session still works")
	}
}

func TestJ16CookiesAreAsStrictAsTheyCanBe(t *testing.T) {
	for name, r := range map[string]*rig{"https": newTLSRig(t), "http": newRig(t)} {
		b := r.browser()
		page := b.Get(r.authorizeURL(r.newClient("none"), nil))
		done := b.Submit(page, approve)
		if done.Continue().Query().Get("code") == "" {
			t.Errorf("%s: no code", name)
		}
		cookies := append(page.Header.Values("Set-Cookie"), done.Header.Values("Set-Cookie")...)
		cookies = append(cookies, b.Get(r.url+"/signin").Header.Values("Set-Cookie")...)
		if len(cookies) < 4 {
			t.Fatalf("%s: got cookies %q", name, cookies)
		}
		for _, c := range cookies {
			secure := strings.HasPrefix(c, "__Host-") && strings.Contains(c, "; Secure")
			if secure != (name == "https") || !strings.Contains(c, "; HttpOnly") || !strings.Contains(c, "; SameSite=Lax") ||
				!strings.Contains(c, "; Path=/") || strings.Contains(c, "Domain") {
				t.Errorf("%s: got cookie %s", name, c)
			}
		}
	}
}

func TestThePageSpeaksTheBrowsersLanguage(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Name = "Puente" })
	b := r.browser()
	b.Header.Set("Accept-Language", "es-MX,es;q=0.9")
	if p := b.Get(r.authorizeURL(r.newClient("none"), nil)); !strings.Contains(p.Text(), "quiere conectarse a Puente") {
		t.Errorf("got %s", p.Text())
	}
}

// TestTheQuestionNamesWhatItOpens does not show strangers what use cases
// hide.
func TestTheQuestionNamesWhatItOpens(t *testing.T) {
	r := newRig(t, func(s *setup) {
		s.Opens = func(some []string, all bool) []string {
			if !all {
				return append([]string{"Everybody's agent"}, some...)
			}
			return []string{"Everybody's agent", "Agent of sales"}
		}
	})
	c := r.newClient("none")
	b := r.browser()
	named := func(scope string) string {
		t.Helper()
		return b.Get(r.authorizeURL(c, params{"scope": scope})).Text()
	}
	if got := named("mcp:tools"); !strings.Contains(got, "Everybody's agent") || strings.Contains(got, "Agent of sales") {
		t.Errorf("a stranger reads\n%s", got)
	}
	b.Submit(b.Get(r.authorizeURL(c, nil)), approve).Continue()
	if got := named("mcp:tools"); !strings.Contains(got, "Agent of sales") {
		t.Errorf("a person who may use all reads\n%s", got)
	}
	if got := named("mcp:tools:sales"); !strings.Contains(got, "sales") || strings.Contains(got, "Agent of sales") {
		t.Errorf("where one use case is asked for, a person reads\n%s", got)
	}
	if got := named("mcp:more"); strings.Contains(got, "agent") {
		t.Errorf("where no tools are asked for, a person reads\n%s", got)
	}
}

// TestMaxAgeNeedsAFreshSignIn asks with max_age. It was ignored.
func TestMaxAgeNeedsAFreshSignIn(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	b := r.browser()
	b.Submit(b.Get(r.authorizeURL(c, nil)), approve).Continue()
	r.clock.advance(10 * time.Minute)
	for age, asked := range map[string]bool{"": false, "3600": false, "601": false, "600": true, "60": true, "0": true} {
		page := b.Get(r.authorizeURL(c, params{"max_age": age}))
		if got := page.Has("input[name=password]"); got != asked {
			t.Errorf("max_age=%s ten minutes after the sign-in: got asked for the password %v, want %v", age, got, asked)
		}
		if p := b.Submit(page, params{"decision": "approve", "as": user}); p.Has("#continue") == asked {
			t.Errorf("max_age=%s: got approved %v without a password", age, !asked)
		}
	}
	page := b.Get(r.authorizeURL(c, params{"max_age": "60"}))
	to := b.Submit(page, approve).Continue()
	got := r.ok(r.form("/token", codeForm(c, to.Query().Get("code"))))
	parsed, _, err := jwt.NewParser().ParseUnverified(got.str("access_token"), jwt.MapClaims{})
	if err != nil || parsed.Claims.(jwt.MapClaims)["auth_time"] != float64(r.clock.Now().Unix()) {
		t.Errorf("got %v, %v; want the time of the sign-in", parsed.Claims, err)
	}
	uri := r.form("/par", r.pushForm(c).with(params{"max_age": "0"})).str("request_uri")
	if page := b.Get(r.pushedURL(c.id, uri)); !page.Has("input[name=password]") {
		t.Error("max_age of a pushed request is ignored")
	}
	for _, age := range []string{"-1", "soon", "1e3", "99999999999999999999"} {
		if p := b.Get(r.authorizeURL(c, params{"max_age": age})); p.Status == 200 && p.Has("#authorize") {
			t.Errorf("max_age=%s: got the page, want invalid_request", age)
		}
	}
}
