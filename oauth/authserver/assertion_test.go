package authserver_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// signer is a client with a key.
type signer struct {
	client
	t   *testing.T
	key crypto.Signer
	alg jose.SignatureAlgorithm
	kid string
}

func newSigner(t *testing.T, alg jose.SignatureAlgorithm) *signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch alg {
	case jose.ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &signer{t: t, key: key, alg: alg, kid: "k1"}
}

// jwks is the client's key set.
func (s *signer) jwks() string {
	b, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: s.kid, Use: "sig", Algorithm: string(s.alg)}}})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// register registers the client with its keys.
func (s *signer) register(r *rig, keys string) *signer {
	r.t.Helper()
	a := r.register(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"private_key_jwt",` + keys + `}`)
	if a.status != 201 || a.json["client_secret"] != nil {
		r.t.Fatalf("got %d %s, want a client without a secret", a.status, a.body)
	}
	s.client = client{id: a.str("client_id"), redirect: callback}
	return s
}

// sign signs claims; header holds names and values in turn.
func (s *signer) sign(claims map[string]any, header ...any) string {
	s.t.Helper()
	options := (&jose.SignerOptions{}).WithHeader("kid", s.kid)
	for i := 0; i+1 < len(header); i += 2 {
		options.WithHeader(jose.HeaderKey(header[i].(string)), header[i+1])
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: s.alg, Key: s.key}, options)
	if err != nil {
		s.t.Fatal(err)
	}
	payload, _ := json.Marshal(claims)
	signed, err := signer.Sign(payload)
	if err != nil {
		s.t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		s.t.Fatal(err)
	}
	return compact
}

// claims are what a good assertion says, with some replaced; nil leaves out.
func (s *signer) claims(r *rig, changes map[string]any) map[string]any {
	jti := make([]byte, 8)
	rand.Read(jti)
	now := r.clock.Now()
	all := map[string]any{"iss": s.id, "sub": s.id, "aud": r.url, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "jti": base64.StdEncoding.EncodeToString(jti)}
	for name, value := range changes {
		all[name] = value
		if value == nil {
			delete(all, name)
		}
	}
	return all
}

func asserted(assertion string) params {
	return params{"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion": assertion}
}

func TestAClientProvesItselfByAKey(t *testing.T) {
	r := newRig(t)
	for _, alg := range []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.EdDSA, jose.RS256, jose.PS256} {
		t.Run(string(alg), func(t *testing.T) {
			s := newSigner(t, alg)
			s.register(r, `"jwks":`+s.jwks())
			proof := func(changes map[string]any) params { return asserted(s.sign(s.claims(r, changes))) }
			got := r.ok(r.form("/token", codeForm(s.client, r.code(s.client, nil)).with(proof(nil))))
			r.ok(r.call(got.str("access_token")))
			form := refreshForm(s.client, got.str("refresh_token")).with(params{"client_id": "-"})
			got = r.ok(r.form("/token", form.with(proof(map[string]any{"aud": []string{"https://other.example", r.url + "/token"}}))))
			a := r.ok(r.form("/introspect", params{"token": got.str("access_token")}.with(proof(map[string]any{"aud": r.url + "/introspect"}))))
			if a.json["active"] != true {
				t.Errorf("got %s, want its own token to be active", a.body)
			}
			r.ok(r.form("/revoke", params{"token": got.str("access_token")}.with(proof(nil))))
			refused(t, r.call(got.str("access_token")), 401, "invalid_token")
		})
	}
}

func TestD12AnAssertionThatDoesNotHold(t *testing.T) {
	r := newRig(t)
	s, other := newSigner(t, jose.ES256), newSigner(t, jose.ES256)
	s.register(r, `"jwks":`+s.jwks())
	other.register(r, `"jwks":`+other.jwks())
	secretive := r.newClient("client_secret_post")
	used := s.sign(s.claims(r, nil))
	now := r.clock.Now()
	with := func(name string, value any) string { return s.sign(s.claims(r, map[string]any{name: value})) }
	refused(t, r.form("/token", codeForm(s.client, "rialto_code_x").with(asserted(used))), 400, "invalid_grant") // came in
	hmac, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(s.jwks())}, nil)
	if err != nil {
		t.Fatal(err)
	}
	payload, _ := json.Marshal(s.claims(r, nil))
	symmetric, err := hmac.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	confused, _ := symmetric.CompactSerialize()
	b64 := base64.RawURLEncoding.EncodeToString
	for name, assertion := range map[string]string{
		"replayed":                   used,
		"another audience":           with("aud", "https://other.example"),
		"the resource as audience":   with("aud", r.s.Resource),
		"no audience":                with("aud", nil),
		"an audience that is longer": with("aud", r.url+"/token/x"),
		"expired":                    with("exp", now.Add(-61*time.Second).Unix()),
		"no exp":                     with("exp", nil),
		"exp as a string":            with("exp", "9999999999"),
		"exp as a fraction":          with("exp", 1e308),
		"it lives too long":          with("exp", now.Add(7*time.Minute).Unix()),
		"from the future":            with("iat", now.Add(2*time.Minute).Unix()),
		"not yet":                    with("nbf", now.Add(2*time.Minute).Unix()),
		"no jti":                     with("jti", nil),
		"a jti without end":          with("jti", strings.Repeat("x", 300)),
		"another iss":                with("iss", other.id),
		"another sub":                with("sub", other.id),
		"another client's key":       other.sign(s.claims(r, nil)),
		"an unknown client":          other.sign(map[string]any{"iss": "x", "sub": "x", "aud": r.url, "exp": now.Add(time.Minute).Unix(), "jti": "x"}),
		"alg none":                   b64([]byte(`{"alg":"none"}`)) + "." + b64(payload) + ".",
		"alg none with a signature":  b64([]byte(`{"alg":"none"}`)) + "." + b64(payload) + ".eA",
		"the public key as a secret": confused,
		"crit":                       s.sign(s.claims(r, nil), "crit", []string{"exp"}),
		"jku":                        s.sign(s.claims(r, nil), "jku", "https://evil.example/jwks"),
		"an access token":            s.sign(s.claims(r, nil), "typ", "at+jwt"),
		"a proof of DPoP":            s.sign(s.claims(r, nil), "typ", "dpop+jwt"),
		"an unknown key":             (&signer{t: t, key: s.key, alg: s.alg, kid: "k2"}).sign(s.claims(r, nil)),
		"white space":                used + " ",
		"not a JWT":                  "x",
		"five parts":                 "a.b.c.d.e",
		"without end":                strings.Repeat("x", 9000),
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, r.form("/token", codeForm(s.client, "rialto_code_x").with(asserted(assertion))), 401, "invalid_client")
		})
	}
	good := func() params { return asserted(s.sign(s.claims(r, nil))) }
	form := codeForm(s.client, "rialto_code_x")
	refused(t, r.form("/token", form), 401, "invalid_client")
	refused(t, r.form("/token", form.with(good()).with(params{"client_assertion_type": "x"})), 401, "invalid_client")
	refused(t, r.form("/token", form.with(good()).with(params{"client_id": other.id})), 401, "invalid_client")
	refused(t, r.form("/token", form.with(good()).with(params{"client_secret": "x"})), 400, "invalid_request") // D2
	refused(t, r.form("/token", form.with(good()), "Authorization", basic(s.id, "x")), 400, "invalid_request")
	bySecret := asserted(s.sign(s.claims(r, map[string]any{"iss": secretive.id, "sub": secretive.id})))
	refused(t, r.form("/token", codeForm(secretive, "rialto_code_x").with(bySecret)), 401, "invalid_client") // D4
}

func TestAClientsKeysAreFetchedFromItsAddress(t *testing.T) {
	r, v := documented(t)
	s := newSigner(t, jose.RS256)
	v.serve(200, s.jwks())
	s.register(r, `"jwks_uri":"`+v.url+`/jwks.json"`)
	ask := func(s *signer) answer {
		return r.form("/token", codeForm(s.client, "rialto_code_x").with(asserted(s.sign(s.claims(r, nil)))))
	}
	refused(t, ask(s), 400, "invalid_grant")
	refused(t, ask(s), 400, "invalid_grant")
	if n := v.fetched.Load(); n != 1 {
		t.Errorf("fetched %d times, want once", n)
	}

	next := newSigner(t, jose.RS256) // G9: the client rotates its key
	next.client, next.kid = s.client, "k2"
	v.serve(200, next.jwks())
	refused(t, ask(next), 401, "invalid_client") // we have looked a moment ago
	r.clock.advance(31 * time.Second)
	refused(t, ask(next), 400, "invalid_grant")
	refused(t, ask(s), 401, "invalid_client") // G10
	flood := newSigner(t, jose.RS256)
	flood.client, flood.kid = s.client, "k3"
	before := v.fetched.Load()
	for range 20 {
		refused(t, ask(flood), 401, "invalid_client")
	}
	if n := v.fetched.Load() - before; n != 0 {
		t.Errorf("a flood of unknown key IDs made us fetch %d times", n)
	}

	v.serve(500, "")
	r.clock.advance(30 * time.Minute)
	refused(t, ask(next), 400, "invalid_grant") // an outage
	r.clock.advance(31 * time.Minute)
	refused(t, ask(next), 503, "temporarily_unavailable")
}

func TestI18ADocumentedClientWithAKeyMustUseIt(t *testing.T) {
	r, v := documented(t)
	s := newSigner(t, jose.ES256)
	serve := func(methods string) client {
		v.serve(200, `{"client_id":"{id}","redirect_uris":["`+callback+`"],"jwks":`+s.jwks()+`,`+methods+`}`)
		r.clock.advance(time.Hour)
		return v.client("/client.json")
	}
	s.client = serve(`"token_endpoint_auth_method":"private_key_jwt"`)
	refused(t, r.form("/token", codeForm(s.client, "rialto_code_x")), 401, "invalid_client")
	r.ok(r.form("/token", codeForm(s.client, r.code(s.client, nil)).with(asserted(s.sign(s.claims(r, nil))))))

	// ChatGPT's document offers both, and either will do.
	serve(`"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"]`)
	token := params{"token": r.tokens(s.client, nil).str("access_token")}
	r.ok(r.form("/token", codeForm(s.client, r.code(s.client, nil)).with(asserted(s.sign(s.claims(r, nil))))))
	// M1: so it proves nothing, and it cannot introspect.
	refused(t, r.form("/introspect", token.with(params{"client_id": s.id})), 401, "invalid_client")
	refused(t, r.form("/introspect", token.with(asserted(s.sign(s.claims(r, nil))))), 401, "invalid_client")
}

func TestF14AWeakKeyIsNoKey(t *testing.T) {
	r := newRig(t)
	weak := `{"kty":"RSA","e":"AQAB","kid":"k1","n":"` + base64.RawURLEncoding.EncodeToString(append([]byte{0xc1}, make([]byte, 127)...)) + `"}`
	s := newSigner(t, jose.RS256)
	s.register(r, `"jwks":{"keys":[`+weak+`]}`)
	refused(t, r.form("/token", codeForm(s.client, "rialto_code_x").with(asserted(s.sign(s.claims(r, nil))))), 401, "invalid_client")
	many := strings.TrimSuffix(strings.Repeat(weak+",", 21), ",")
	refused(t, r.register(`{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[`+many+`]}}`), 400, "invalid_client_metadata")
}
