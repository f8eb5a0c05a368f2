package authserver_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/oauth/authserver"
)

// forge is what it takes to make tokens of our own: the server's key, and the
// claims and header of a token that it accepts.
type forge struct {
	*rig
	key    *ecdsa.PrivateKey
	header map[string]any
	claims map[string]any
}

func newForge(t *testing.T, change ...func(*setup)) *forge {
	t.Helper()
	r := newRig(t, change...)
	token := r.tokens(r.newClient("none"), params{"scope": "mcp:tools"}).str("access_token")
	key := r.forgingKey()
	f := &forge{rig: r, key: key}
	parts := strings.Split(token, ".")
	for i, into := range []*map[string]any{&f.header, &f.claims} {
		b, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, into); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// changed returns m with members replaced; nil removes one.
func changed(m, changes map[string]any) map[string]any {
	all := maps.Clone(m)
	for name, value := range changes {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

// input renders what is signed.
func input(header, payload string) string {
	b64 := base64.RawURLEncoding.EncodeToString
	return b64([]byte(header)) + "." + b64([]byte(payload))
}

// sign signs with ES256, whatever the header says.
func sign(key *ecdsa.PrivateKey, header, payload string) string {
	in := input(header, payload)
	sum := sha256.Sum256([]byte(in))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		panic(err)
	}
	size := (key.Params().BitSize + 7) / 8
	sig := append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	return in + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// sign256 signs with HMAC, as if some public bytes were the key.
func sign256(secret []byte, header, payload string) string {
	in := input(header, payload)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(in))
	return in + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func text(m map[string]any) string {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// with returns a token signed by the server's own key, with header and claims
// changed.
func (f *forge) with(header, claims map[string]any) string {
	return sign(f.key, text(changed(f.header, header)), text(changed(f.claims, claims)))
}

func TestFAForgedTokenIsRefused(t *testing.T) {
	f := newForge(t)
	f.ok(f.call(f.with(nil, nil))) // the forge works

	type m = map[string]any
	good := f.with(nil, nil)
	parts := strings.Split(good, ".")
	payload := text(f.claims)
	stranger, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	der, _ := x509.MarshalPKIXPublicKey(&f.key.PublicKey)
	hs256 := text(changed(f.header, m{"alg": "HS256"}))
	jwk := m{"kty": "EC", "crv": "P-256", "x": "x", "y": "y"}
	now := f.clock.Now().Unix()

	fetched := false
	outside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched = true }))
	defer outside.Close()

	for name, token := range map[string]string{
		"F1 alg none":                          input(text(changed(f.header, m{"alg": "none"})), payload) + ".",
		"F1 alg None with a signature":         f.with(m{"alg": "None"}, nil),
		"F1 alg NONE":                          input(text(changed(f.header, m{"alg": "NONE"})), payload) + ".AA",
		"F1 alg nOnE":                          f.with(m{"alg": "nOnE"}, nil),
		"F2 empty signature":                   parts[0] + "." + parts[1] + ".",
		"F3 public key as a secret, DER":       sign256(der, hs256, payload),
		"F3 public key as a secret, PEM":       sign256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), hs256, payload),
		"F4 empty secret":                      sign256(nil, hs256, payload),
		"F5 embedded jwk":                      f.with(m{"jwk": jwk}, nil),
		"F6 jku":                               f.with(m{"jku": outside.URL}, nil),
		"F6 x5u":                               f.with(m{"x5u": outside.URL}, nil),
		"F7 x5c":                               f.with(m{"x5c": []string{"x"}}, nil),
		"F8 kid with a path":                   f.with(m{"kid": "../../../dev/null"}, nil),
		"F8 kid with SQL":                      f.with(m{"kid": "' OR 1=1 --"}, nil),
		"F8 kid with NUL":                      f.with(m{"kid": "a\x00b"}, nil),
		"F8 long kid":                          f.with(m{"kid": strings.Repeat("k", 10<<10)}, nil),
		"F8 kid is a URL":                      f.with(m{"kid": outside.URL}, nil),
		"F8 kid is no string":                  f.with(m{"kid": 1}, nil),
		"F9 unknown kid":                       f.with(m{"kid": strings.Repeat("k", 43)}, nil),
		"F9 no kid":                            f.with(m{"kid": nil}, nil),
		"F10 crit exp":                         f.with(m{"crit": []string{"exp"}}, nil),
		"F10 crit empty":                       f.with(m{"crit": []string{}}, nil),
		"F10 unknown crit":                     f.with(m{"crit": []string{"x"}, "x": 1}, nil),
		"F11 b64 false":                        f.with(m{"b64": false}, nil),
		"F12 ES384 over P-256":                 f.with(m{"alg": "ES384"}, nil),
		"F12 a P-384 key":                      sign(p384, text(f.header), payload),
		"F12 EdDSA":                            f.with(m{"alg": "EdDSA"}, nil),
		"F13 r and s are zero":                 parts[0] + "." + parts[1] + "." + strings.Repeat("A", 86),
		"F13 a signature in DER":               parts[0] + "." + parts[1] + "." + derSignature(t, parts[2]),
		"F13 a signature cut short":            good[:len(good)-2],
		"F13 a stranger's key":                 sign(stranger, text(f.header), payload),
		"F15 five parts":                       good + ".AA.AA",
		"F15 zip":                              f.with(m{"zip": "DEF"}, nil),
		"F15 PBES2":                            f.with(m{"alg": "PBES2-HS256+A128KW", "p2c": 1e9}, nil),
		"F17 duplicate claim":                  sign(f.key, text(f.header), strings.Replace(payload, "{", `{"scope":"admin",`, 1)),
		"F17 exp in another case":              f.with(nil, m{"exp": 1, "EXP": now + 3600}),
		"F17 aud in another case":              f.with(nil, m{"aud": nil, "AUD": f.s.Resource}),
		"F18 missing exp":                      f.with(nil, m{"exp": nil}),
		"F18 exp is a string":                  f.with(nil, m{"exp": fmt.Sprint(now + 3600)}),
		"F18 exp is a fraction":                f.with(nil, m{"exp": float64(now) + 3600.5}),
		"F18 exp is negative":                  f.with(nil, m{"exp": -1}),
		"F18 exp is zero":                      f.with(nil, m{"exp": 0}),
		"F18 exp is infinite":                  sign(f.key, text(f.header), strings.Replace(text(changed(f.claims, m{"exp": "X"})), `"X"`, "1e308", 1)),
		"F18 exp is beyond 64 bits":            sign(f.key, text(f.header), text(changed(f.claims, m{"exp": new(big.Int).Lsh(big.NewInt(1), 70)}))),
		"F18 expired":                          f.with(nil, m{"exp": now - 60}),
		"F18 iat in the future":                f.with(nil, m{"iat": now + 120}),
		"F18 missing iat":                      f.with(nil, m{"iat": nil}),
		"F19 missing aud":                      f.with(nil, m{"aud": nil}),
		"F19 empty aud":                        f.with(nil, m{"aud": ""}),
		"F19 aud is a list without us":         f.with(nil, m{"aud": []string{"https://other.example"}}),
		"F19 aud is a prefix of us":            f.with(nil, m{"aud": f.url}),
		"F19 aud with a slash":                 f.with(nil, m{"aud": f.s.Resource + "/"}),
		"F19 L3 aud is another resource":       f.with(nil, m{"aud": f.url + "/mcp2"}),
		"F20 wrong iss":                        f.with(nil, m{"iss": "https://evil.example"}),
		"F20 iss with a slash":                 f.with(nil, m{"iss": f.url + "/"}),
		"F20 iss in another case":              f.with(nil, m{"iss": strings.Replace(f.url, "http", "HTTP", 1)}),
		"F20 missing iss":                      f.with(nil, m{"iss": nil}),
		"F21 typ JWT":                          f.with(m{"typ": "JWT"}, nil),
		"F21 no typ":                           f.with(m{"typ": nil}, nil),
		"F21 typ with a prefix":                f.with(m{"typ": "application/at+jwt"}, nil),
		"F25 padding":                          good + "==",
		"F25 a space in front":                 " " + good,
		"F25 a space at the end of the claims": parts[0] + "." + parts[1] + " ." + parts[2],
		"F25 bits that do not count":           malleable(good),
		"F26 an unknown grant":                 f.with(nil, m{"grant_id": "nothing"}),
		"F26 no grant":                         f.with(nil, m{"grant_id": nil}),
		"F31 JSON":                             `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
		"another user":                         f.with(nil, m{"sub": "somebody"}),
		"another client":                       f.with(nil, m{"client_id": "somebody"}),
		"no jti":                               f.with(nil, m{"jti": nil}),
		"header is a list":                     sign(f.key, "[]", payload),
		"claims are a list":                    sign(f.key, text(f.header), "[]"),
		"claims are nothing":                   sign(f.key, text(f.header), ""),
		"header twice":                         sign(f.key, strings.Replace(text(f.header), "{", `{"alg":"ES256",`, 1), payload),
		"a name in the header in other case":   sign(f.key, strings.Replace(text(f.header), `"alg"`, `"ALG"`, 1), payload),
		"empty":                                "",
		"dots":                                 "..",
	} {
		t.Run(name, func(t *testing.T) {
			a := f.call(token)
			refused(t, a, 401, "invalid_token")
			if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, `Bearer error="invalid_token", error_description="`) ||
				!strings.Contains(got, `, resource_metadata="`+f.url+`/.well-known/oauth-protected-resource/mcp", scope="mcp:tools mcp:more"`) {
				t.Errorf("got WWW-Authenticate %s", got)
			}
		})
	}
	if fetched {
		t.Error("F6: a token made the server fetch something")
	}
}

// derSignature re-encodes a signature as other protocols do.
func derSignature(t *testing.T, encoded string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	der, err := asn1.Marshal([]*big.Int{new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])})
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(der)
}

// malleable changes bits of the last letter that a lax decoder drops: 64 bytes
// leave four of them.
func malleable(token string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(letters, token[len(token)-1])
	return token[:len(token)-1] + string(letters[last^1])
}

func TestF13AndF18SmallThingsDoNotMatter(t *testing.T) {
	f := newForge(t)
	now := f.clock.Now().Unix()
	for name, token := range map[string]string{
		"expired within the leeway":          f.with(nil, map[string]any{"exp": now - 59}),
		"issued within the leeway":           f.with(nil, map[string]any{"iat": now + 59}),
		"a claim that we do not know":        f.with(nil, map[string]any{"x": 1, "SCOPE": "admin"}),
		"F19 a scope that we do not know":    f.with(nil, map[string]any{"scope": "mcp:tools other"}),
		"F17 scope in other case is no harm": f.with(nil, map[string]any{"Scope": "nothing"}),
	} {
		if a := f.call(token); a.status != 200 {
			t.Errorf("%s: got %d %s, want 200", name, a.status, a.body)
		}
	}
}

func TestF16AHugeTokenIsRefusedFast(t *testing.T) {
	f := newForge(t)
	h := f.s.Guard.Require(http.NotFoundHandler())
	for name, token := range map[string]string{
		"a megabyte":     strings.Repeat("A", 1<<20),
		"a million dots": strings.Repeat(".", 1<<20),
		"deep JSON":      input(strings.Repeat("[", 3000), "{}") + ".AA",
		"8 KiB":          strings.Repeat("A", 4<<10) + "." + strings.Repeat("A", 3<<10) + ".AA",
	} {
		req := httptest.NewRequest("POST", "/mcp", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		least := time.Hour
		for range 10 { // a busy machine may pause, but hardly each time
			w := httptest.NewRecorder()
			start := time.Now()
			h.ServeHTTP(w, req)
			least = min(least, time.Since(start))
			if w.Code != 401 {
				t.Fatalf("%s: got %d, want 401", name, w.Code)
			}
		}
		if least > 250*time.Millisecond { // well under 1 ms on a quiet machine
			t.Errorf("%s: took %s", name, least)
		}
	}
}

func TestF23AndF24OnlyTheWholeScopeCounts(t *testing.T) {
	f := newForge(t)
	for _, scope := range []any{
		"mcp:tools2", "mcp:tools:", "mcp:tools:a:b", "mcp:tools:a/b", "mcp:tools: a", "mcp", "mcp:*", "xmcp:tools", "mcp:tool", "MCP:TOOLS", "mcp:more", "", nil,
		"mcp:more\tmcp:tools", "mcp:more\nmcp:tools", "mcp:more\u00a0mcp:tools", "mcp:more\u2003mcp:tools", "mcp:more,mcp:tools",
	} {
		a := f.call(f.with(nil, map[string]any{"scope": scope}))
		refused(t, a, 403, "insufficient_scope")
		if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, `Bearer error="insufficient_scope"`) || !strings.Contains(got, `scope="mcp:tools"`) {
			t.Errorf("%q: got WWW-Authenticate %s, want the scope that is needed", scope, got)
		}
	}
	demo := func(scope string) answer {
		return f.do(f.request("POST", "/demo", "", "", "Authorization", "Bearer "+f.with(nil, map[string]any{"scope": scope})))
	}
	for _, scope := range []string{"mcp:tools:other", "mcp:tools:demo2", "xmcp:tools:demo", "mcp:tools:Demo", "mcp:more mcp:tools:demo\t", "mcp:tools:dem*"} {
		a := demo(scope)
		refused(t, a, 403, "insufficient_scope")
		if got := a.header.Get("WWW-Authenticate"); !strings.Contains(got, `scope="mcp:tools:demo"`) {
			t.Errorf("%q: got WWW-Authenticate %s, want the use case that is needed", scope, got)
		}
	}
	for _, scope := range []string{"mcp:tools:demo", "mcp:more mcp:tools:demo", "mcp:tools:*", "mcp:tools"} {
		f.ok(demo(scope))
	}
	f.ok(f.call(f.with(nil, map[string]any{"scope": "mcp:tools:other"}))) // may call tools, there
	for _, scope := range []any{[]string{"mcp:tools"}, 1, true} {
		refused(t, f.call(f.with(nil, map[string]any{"scope": scope})), 401, "invalid_token")
	}
}

func TestF26ARevocationBitesAtOnce(t *testing.T) {
	f := newForge(t)
	token := f.with(nil, nil)
	f.ok(f.call(token)) // now it is in every cache
	c := client{id: f.claims["client_id"].(string)}
	f.ok(f.form("/revoke", params{"client_id": c.id, "token": token}))
	refused(t, f.call(token), 401, "invalid_token")
}

func TestARevocationElsewhereBitesWithinTwoSeconds(t *testing.T) {
	f := newForge(t)
	token := f.with(nil, nil)
	f.ok(f.call(token))
	if err := f.db.OAuth.Grants.RevokeGrant(t.Context(), f.claims["grant_id"].(string), f.clock.Now()); err != nil {
		t.Fatal(err)
	}
	f.clock.advance(2 * time.Second)
	refused(t, f.call(token), 401, "invalid_token")
}

func TestF27ToF30WhereATokenMayStand(t *testing.T) {
	f := newForge(t)
	token := f.with(nil, nil)
	begin := `Bearer resource_metadata="` + f.url + `/.well-known/oauth-protected-resource/mcp", scope="mcp:tools mcp:more"`
	for name, test := range map[string]struct {
		request   *http.Request
		status    int
		challenge string
	}{
		"F27 no token, POST":              {f.request("POST", "/mcp", "application/json", "{}"), 401, begin},
		"F27 no token, GET":               {f.request("GET", "/mcp", "", ""), 401, begin},
		"F27 no token, DELETE":            {f.request("DELETE", "/mcp", "", ""), 401, begin},
		"F27 another scheme":              {f.request("POST", "/mcp", "", "", "Authorization", "Basic QTpC"), 401, begin},
		"F30 DPoP scheme":                 {f.request("POST", "/mcp", "", "", "Authorization", "DPoP "+token), 401, `DPoP algs="`},
		"F28 in the query":                {f.request("POST", "/mcp?access_token="+token, "", ""), 400, `Bearer error="invalid_request"`},
		"F28 in the query, escaped":       {f.request("POST", "/mcp?access%5Ftoken="+token, "", ""), 401, begin},
		"F28 in the query and header":     {f.request("POST", "/mcp?access_token=x", "", "", "Authorization", "Bearer "+token), 400, `Bearer error="invalid_request"`},
		"F28 in a form":                   {f.request("POST", "/mcp", formType, "access_token="+token), 401, begin},
		"F29 two headers":                 {f.request("POST", "/mcp", "", "", "Authorization", "Bearer "+token, "Authorization", "Bearer "+token), 400, `Bearer error="invalid_request"`},
		"scheme in other case is a token": {f.request("POST", "/mcp", "", "", "Authorization", "bEARER "+token), 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := f.do(test.request)
			got := a.header.Get("WWW-Authenticate")
			if a.status != test.status || test.challenge == begin && got != begin || !strings.HasPrefix(got, test.challenge) {
				t.Errorf("got %d %s, want %d %s", a.status, got, test.status, test.challenge)
			}
		})
	}
}

func TestTheGuardDoesNotReadTheBody(t *testing.T) {
	f := newForge(t)
	w := httptest.NewRecorder()
	f.s.Guard.Require(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("POST", "/mcp", unreadable{t}))
	if w.Code != 401 {
		t.Errorf("got %d, want 401", w.Code)
	}
}

type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, http.ErrBodyReadAfterClose
}

func TestF9AFloodOfUnknownKeysAsksTheStoreSeldom(t *testing.T) {
	var keys *countedKeys
	f := newForge(t, func(s *setup) {
		keys = &countedKeys{KeyStore: s.Stores.Keys}
		s.Stores.Keys = keys
	})
	before := keys.asked.Load()
	for i := range 200 {
		refused(t, f.call(f.with(map[string]any{"kid": fmt.Sprintf("%043d", i)}, nil)), 401, "invalid_token")
	}
	f.clock.advance(31 * time.Second)
	f.call(f.with(map[string]any{"kid": strings.Repeat("k", 43)}, nil))
	if got := keys.asked.Load() - before; got != 1 {
		t.Errorf("got %d questions to the store, want one after 30 seconds", got)
	}
}

func TestO3WithoutTheStoreNobodyIsLetIn(t *testing.T) {
	f := newForge(t)
	token := f.with(nil, nil)
	f.ok(f.call(token))
	f.db.Close()
	f.clock.advance(2 * time.Second)
	a := f.call(token)
	refused(t, a, 503, "temporarily_unavailable")
	if a.header.Get("WWW-Authenticate") != "" || a.header.Get("Retry-After") == "" {
		t.Errorf("got %v, want a retry and no challenge: the token is not to blame", a.header)
	}
	refused(t, f.form("/token", refreshForm(client{id: "rialto_client_" + strings.Repeat("x", 43)}, "x")), 503, "temporarily_unavailable")
	local(t, f.browser().Get(f.authorizeURL(client{id: "rialto_client_" + strings.Repeat("x", 43)}, nil)), 503)
}

// TestAStreamEndsWithItsGrant holds a request open for longer than its token lives. It once went on for as long as
// its handler wrote, whatever became of the grant and of the resource.
func TestAStreamEndsWithItsGrant(t *testing.T) {
	r := withResources(t)
	for name, end := range map[string]func(s *authserver.Server, grant string) error{
		"the resource is removed": func(s *authserver.Server, _ string) error {
			s.Resources.Set(*s.Resources.Default())
			return nil
		},
		"another replica revokes the grant": func(_ *authserver.Server, grant string) error {
			return r.s.Grants.Revoke(t.Context(), grant, "test")
		},
	} {
		t.Run(name, func(t *testing.T) {
			access := r.tokens(r.newClient("none"), params{"resource": r.url + "/mcp/sales"}).str("access_token")
			p, _, err := r.s.Tokens.Alive(t.Context(), access, time.Now().Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				s := r.replica()
				s.Resources.Set(*s.Resources.Default(), *r.s.Resources.Of(r.url + "/mcp/sales"))
				ended := false
				guarded := s.Guard.Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					<-r.Context().Done()
					ended = true
				}), "mcp:tools")
				req := httptest.NewRequest("GET", "/mcp/sales", nil).WithContext(t.Context())
				req.Header.Set("Authorization", "Bearer "+access)
				go guarded.ServeHTTP(httptest.NewRecorder(), req)
				time.Sleep(2 * time.Hour)
				r.clock.advance(2 * time.Hour)
				synctest.Wait()
				if ended {
					t.Fatal("it ended with its token")
				}
				if err := end(s, p.GrantID); err != nil {
					t.Fatal(err)
				}
				r.clock.advance(3 * time.Second)
				time.Sleep(time.Minute)
				synctest.Wait()
				if !ended {
					t.Error("it goes on")
				}
			})
		})
	}
}
