package authserver_test

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/mux"

	"rialto/bridge/operator"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/store"
	"rialto/store/storetest"
)

// replica starts another server of the same issuer over the same store.
func (r *rig) replica(change ...func(*setup)) *authserver.Server {
	return newServer(authserver.Config{
		Issuer: r.s.Issuer, Resource: r.s.Resource, Name: r.s.Name, Scopes: r.s.Scopes.All,
		Secret: r.s.Keys.Secret, Now: r.clock.Now, Log: r.s.Keys.Env.Log,
	}, r.db.OAuth, change)
}

// status tells how a guard answers a token.
func status(s *authserver.Server, token string) int { return statusOf(s, "Bearer "+token) }

func statusOf(s *authserver.Server, authorization string, proofs ...string) int {
	req := httptest.NewRequest("POST", "/mcp", nil)
	req.Header.Set("Authorization", authorization)
	req.Header["Dpop"] = proofs
	w := httptest.NewRecorder()
	s.Guard.Require(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), "mcp:tools").ServeHTTP(w, req)
	return w.Code
}

func (r *rig) jwks() jose.JSONWebKeySet {
	r.t.Helper()
	a := r.do(r.request("GET", "/jwks.json", "", ""))
	var set jose.JSONWebKeySet
	if err := json.Unmarshal([]byte(a.body), &set); err != nil || a.status != 200 {
		r.t.Fatalf("got %d %s: %v", a.status, a.body, err)
	}
	if strings.Contains(a.body, `"d"`) || a.header.Get("Cache-Control") != "public, max-age=300" {
		r.t.Errorf("got %v %s, want public keys that may be cached", a.header, a.body)
	}
	return set
}

func TestAnotherLibraryVerifiesOurTokens(t *testing.T) {
	r := newRig(t)
	token := r.tokens(r.newClient("none"), nil).str("access_token")
	parsed, err := jwt.Parse(token, func(tok *jwt.Token) (any, error) {
		set := r.jwks()
		keys := set.Key(tok.Header["kid"].(string))
		if len(keys) != 1 {
			t.Fatalf("got %d keys with that ID, want one", len(keys))
		}
		return keys[0].Key.(*ecdsa.PublicKey), nil
	}, jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer(r.url), jwt.WithAudience(r.s.Resource), jwt.WithTimeFunc(r.clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	claims := parsed.Claims.(jwt.MapClaims)
	for _, name := range []string{"iss", "sub", "aud", "client_id", "scope", "iat", "exp", "jti", "auth_time", "grant_id"} { // RFC 9068 section 2.2
		if claims[name] == nil {
			t.Errorf("the token lacks %s", name)
		}
	}
	if parsed.Header["typ"] != "at+jwt" {
		t.Errorf("got typ %v, want at+jwt", parsed.Header["typ"])
	}
}

func TestTheKeyIDIsTheThumbprint(t *testing.T) {
	set := newRig(t).jwks()
	if len(set.Keys) != 1 || set.Keys[0].Use != "sig" || set.Keys[0].Algorithm != "ES256" {
		t.Fatalf("got %+v", set)
	}
	sum, err := set.Keys[0].Thumbprint(5) // crypto.SHA256
	if err != nil || base64.RawURLEncoding.EncodeToString(sum) != set.Keys[0].KeyID {
		t.Errorf("got kid %s, want the thumbprint of RFC 7638", set.Keys[0].KeyID)
	}
}

func TestO1TheOperatorRotatesTheKeyWithoutA401(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	other := r.replica()
	before := r.tokens(c, nil).str("access_token")
	next, err := other.Keys.Rotate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.s.Keys.Rotate(t.Context())
	if err != nil || again.ID != next.ID {
		t.Errorf("got key %s, %v; want the one that waits for its turn, %s", again.ID, err, next.ID)
	}
	if set := r.jwks(); len(set.Keys) != 2 {
		t.Fatalf("got %d keys, want the next one beside the old", len(set.Keys))
	}
	r.clock.advance(next.Active.Sub(r.clock.Now()) - time.Second)
	if got := kid(t, r.tokens(c, nil).str("access_token")); got == next.ID {
		t.Error("the new key signs before caches can know it")
	}
	r.clock.advance(time.Second)
	after := r.tokens(c, nil).str("access_token")
	if kid(t, after) != next.ID {
		t.Error("the old key still signs")
	}
	for _, token := range []string{before, after} {
		if first, second := status(r.s, token), status(other, token); first != 200 || second != 200 {
			t.Errorf("got %d here and %d at the other replica, want 200", first, second)
		}
	}
	if keys, err := r.s.Keys.List(t.Context()); err != nil || len(keys) != 2 || keys[1] != next {
		t.Errorf("got %+v, %v, want the old key and the new", keys, err)
	}
}

func TestO1AndO2AKeyIsRotatedWithoutA401(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	other := r.replica()
	refresh := r.tokens(c, nil).str("refresh_token")
	var last string
	step := func() {
		t.Helper()
		got := r.ok(r.form("/token", refreshForm(c, refresh)))
		refresh, last = got.str("refresh_token"), got.str("access_token")
		if first, second := status(r.s, last), status(other, last); first != 200 || second != 200 {
			t.Fatalf("got %d here and %d at the other replica, want 200", first, second)
		}
	}
	step()
	old := r.jwks().Keys[0].KeyID
	for range 4 { // keep the refresh token from going idle
		r.clock.advance(20 * 24 * time.Hour)
		step()
	}
	before := last
	r.clock.advance(10*24*time.Hour - time.Minute)
	c = r.newClient("none")
	refresh = r.tokens(c, nil).str("refresh_token")
	r.clock.advance(2 * time.Minute)
	for _, s := range []*authserver.Server{r.s, other, r.s} { // replicas do not rotate twice
		if err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.clock.advance(time.Minute)
	if set := r.jwks(); len(set.Keys) != 2 {
		t.Fatalf("got %d keys, want the next one beside the old", len(set.Keys))
	}
	step()
	if kid(t, last) != old {
		t.Error("the new key signs before caches can know it")
	}
	r.clock.advance(10 * time.Minute)
	step()
	if kid(t, last) == old {
		t.Error("the old key still signs")
	}
	if kid(t, before) != old || len(r.jwks().Keys) != 2 {
		t.Error("the old key is gone while tokens of it may live")
	}
}

func kid(t *testing.T, token string) string {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Header["kid"].(string)
}

func TestReplicasThatStartTogetherShareOneKey(t *testing.T) {
	r := newRig(t)
	first := r.tokens(r.newClient("none"), nil).str("access_token")
	for range 3 {
		if got := status(r.replica(), first); got != 200 {
			t.Errorf("got %d at a fresh replica, want 200", got)
		}
	}
	if n := len(r.jwks().Keys); n != 1 {
		t.Errorf("got %d keys, want one", n)
	}
}

func TestAWrongSecretIsNoticedAtStart(t *testing.T) {
	r := newRig(t)
	if err := r.s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, secret := range [][]byte{bytes.Repeat([]byte{8}, 32), []byte("short"), nil} {
		if err := r.replica(func(s *setup) { s.Secret = secret }).Ready(t.Context()); err == nil {
			t.Errorf("secret %x: got no error", secret)
		}
	}
}

func TestO4ClocksOfReplicasMayDiffer(t *testing.T) {
	r := newRig(t)
	token := r.tokens(r.newClient("none"), nil).str("access_token")
	for _, ahead := range []time.Duration{-50 * time.Second, 50 * time.Second} {
		s := r.replica(func(s *setup) { s.Now = func() time.Time { return r.clock.Now().Add(ahead) } })
		if got := status(s, token); got != 200 {
			t.Errorf("a clock %s ahead: got %d, want 200", ahead, got)
		}
	}
}

func TestO7ForwardedAddressesAreBelievedFromProxiesOnly(t *testing.T) {
	limited := func(t *testing.T, peer string, proxies []netip.Prefix, header func(i int) string) bool {
		r := newRig(t, func(s *setup) { s.Registration.PerHour, s.TrustedProxies = 3, proxies })
		m := mux.NewRouter()
		r.s.Routes(m)
		for i := range 5 {
			req := httptest.NewRequest("POST", "/register", strings.NewReader(`{"redirect_uris":["https://a.example"]}`))
			req.RemoteAddr = peer
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Forwarded-For", header(i))
			w := httptest.NewRecorder()
			if m.ServeHTTP(w, req); w.Code == 429 {
				return true
			}
		}
		return false
	}
	local := []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("10.0.0.0/8")}
	address := func(i int) string { return "192.0.2." + string(rune('1'+i)) }
	for name, test := range map[string]struct {
		proxies []netip.Prefix
		header  func(i int) string
		limited bool
	}{
		"nobody is trusted":                     {nil, address, true},
		"the proxy tells five addresses":        {local, address, false},
		"two proxies":                           {local, func(i int) string { return address(i) + ", 10.1.2.3" }, false},
		"a forged address before the real one":  {local, func(i int) string { return address(i) + ", 198.51.100.1" }, true},
		"one /64":                               {local, func(i int) string { return "2001:db8::" + string(rune('1'+i)) }, true},
		"five networks":                         {local, func(i int) string { return "2001:db8:0:" + string(rune('1'+i)) + "::1" }, false},
		"rubbish counts for the proxy":          {local, func(i int) string { return "x" + string(rune('1'+i)) }, true},
		"an IPv4 address in IPv6 is that of v4": {local, func(i int) string { return []string{"192.0.2.1", "::ffff:192.0.2.1"}[i%2] }, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := limited(t, "203.0.113.1:4711", test.proxies, test.header); got != test.limited {
				t.Errorf("got limited %v, want %v", got, test.limited)
			}
		})
	}
}

func TestO8ACopyOfTheDatabaseOpensNothing(t *testing.T) {
	path := storetest.File(t, store.Open)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	r := serve(t, db, httptest.NewUnstartedServer(nil))
	c := r.newClient("client_secret_post")
	form := func(p params) params { return p.with(params{"client_secret": c.secret}) }
	b := r.browser()
	waiting := b.Get(r.authorizeURL(c, nil))
	code := r.code(c, nil)
	first := r.ok(r.form("/token", form(codeForm(c, r.code(c, nil)))))
	second := r.ok(r.form("/token", form(refreshForm(c, first.str("refresh_token")))))
	b.Submit(b.Get(r.authorizeURL(c, nil)), approve).Continue()
	key := r.forgingKey()
	scalar, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{
		"client secret": c.secret, "code": code, "password": password,
		"first refresh token": first.str("refresh_token"), "second refresh token": second.str("refresh_token"),
		"access token": second.str("access_token"), "handle": waiting.Attribute("input[name=handle]", "value"),
		"signing key": string(scalar),
	}
	for _, cookie := range b.Cookies(r.url) {
		secrets["cookie "+cookie.Name] = cookie.Value
	}
	if len(secrets) < 10 {
		t.Fatalf("got %d secrets, want cookies among them", len(secrets))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	dump, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(dump, []byte(c.id)) {
		t.Fatal("the dump does not hold what was stored")
	}
	for name, secret := range secrets {
		raw, _ := base64.RawURLEncoding.DecodeString(secret[max(0, len(secret)-43):])
		if bytes.Contains(dump, []byte(secret)) || len(raw) == 32 && bytes.Contains(dump, raw) {
			t.Errorf("the database holds the %s", name)
		}
	}
}

func TestO9SealedRowsCannotBeSwapped(t *testing.T) {
	r := newRig(t)
	if err := r.s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys, err := r.db.OAuth.Keys.Keys(t.Context(), r.clock.Now())
	if err != nil || len(keys) != 1 {
		t.Fatalf("got %v, %v", keys, err)
	}
	swapped := keys[0]
	swapped.Seq, swapped.KeyID = 2, "another"
	if err := r.db.OAuth.Keys.AddKey(t.Context(), swapped, swapped.Active); err != nil {
		t.Fatal(err)
	}
	if err := r.replica().Ready(t.Context()); err == nil {
		t.Error("a key opened under another row's name")
	}
}

func TestATokenIsIssuedByHand(t *testing.T) {
	r := newRig(t)
	token, g, err := r.s.Tokens.Issue(t.Context(), "Ada", []string{"mcp:tools"}, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var seen oauth.Principal
	r.reached = func(p oauth.Principal) { seen = p }
	r.ok(r.call(token))
	if seen.ClientID != "cli" || seen.Name != user || !seen.Has("mcp:tools") || !seen.Expires.Equal(g.Expires) || !g.Expires.Equal(r.clock.Now().Add(24*time.Hour)) {
		t.Errorf("got %+v until %s", seen, g.Expires)
	}
	if err := r.db.OAuth.Grants.RevokeGrant(t.Context(), g.ID, r.clock.Now()); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(2 * time.Second)
	refused(t, r.call(token), 401, "invalid_token")

	if _, _, err := r.s.Tokens.Issue(t.Context(), "nobody", []string{"mcp:tools"}, 0); !errors.Is(err, oauth.ErrNotFound) {
		t.Errorf("an unknown account: got %v, want ErrNotFound", err)
	}
	for _, scopes := range [][]string{nil, {"root"}, {"mcp:tools", "root"}} {
		if _, _, err := r.s.Tokens.Issue(t.Context(), user, scopes, 0); err == nil {
			t.Errorf("scopes %v: got no error", scopes)
		}
	}
	if _, g, err = r.s.Tokens.Issue(t.Context(), user, []string{"mcp:tools"}, 10*365*24*time.Hour); err != nil || g.Expires.After(r.clock.Now().Add(90*24*time.Hour)) {
		t.Errorf("got %+v, %v, want 90 days at most", g, err)
	}
}

func TestWhatIsAliveSurvivesARestart(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	got := r.tokens(c, nil)
	if s := status(r.replica(), got.str("access_token")); s != 200 {
		t.Errorf("the access token after a restart: got %d, want 200", s)
	}
}

// TestTheLastUseOfAGrantIsKnown goes through the guard with a token and asks the
// store what it knows of the grant, before and after the uses are saved.
func TestTheLastUseOfAGrantIsKnown(t *testing.T) {
	r := newRig(t)
	token, _, err := r.s.Tokens.Issue(t.Context(), "ada", []string{"mcp:tools"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if got := status(r.s, token); got != http.StatusOK {
		t.Fatalf("got %d with a token", got)
	}
	db := r.db
	used := func() time.Time {
		grants, err := db.OAuthLists.ListGrants(t.Context(), operator.GrantFilter{}, operator.Rows{Limit: 1, Now: r.clock.Now()})
		if err != nil || len(grants) != 1 {
			t.Fatalf("got %+v, %v", grants, err)
		}
		return grants[0].Used
	}
	if got := used(); !got.IsZero() {
		t.Errorf("got %v before the uses were saved: each request would write", got)
	}
	if err := r.s.Grants.SaveUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := used(); !got.Equal(r.clock.Now().Truncate(time.Millisecond)) {
		t.Errorf("got %v, want %v", got, r.clock.Now())
	}
}
