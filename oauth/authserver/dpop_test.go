package authserver_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"rialto/oauth/authserver"
)

// prover is a client with a key of its own. It makes proofs with another
// library than the one that checks them.
type prover struct {
	*rig
	key    *ecdsa.PrivateKey
	jwk    map[string]any
	header map[string]any // in place of the members of a proof's header
	serial int
}

func newProver(r *rig) *prover {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		r.t.Fatal(err)
	}
	x, y := make([]byte, 32), make([]byte, 32)
	b64 := base64.RawURLEncoding.EncodeToString
	return &prover{rig: r, key: key, jwk: map[string]any{
		"kty": "EC", "crv": "P-256", "x": b64(key.X.FillBytes(x)), "y": b64(key.Y.FillBytes(y)),
	}}
}

func (p *prover) thumbprint() string {
	sum, err := (&jose.JSONWebKey{Key: p.key.Public()}).Thumbprint(5) // crypto.SHA256
	if err != nil {
		p.t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(sum)
}

// prove returns a proof for a request, with claims replaced; nil removes one.
func (p *prover) prove(method, path, token string, change map[string]any) string {
	p.t.Helper()
	p.serial++
	claims := map[string]any{
		"jti": strings.Repeat("x", p.serial), "htm": method, "htu": p.url + path, "iat": p.clock.Now().Unix(),
	}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims(changed(claims, change)))
	t.Header = changed(map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": p.jwk}, p.header)
	signed, err := t.SignedString(p.key)
	if err != nil {
		p.t.Fatal(err)
	}
	return signed
}

// token asks the token endpoint, with a proof.
func (p *prover) token(form params) answer {
	p.t.Helper()
	return p.form("/token", form, "DPoP", p.prove("POST", "/token", "", nil))
}

// use calls the resource with a token and the proofs, under a scheme.
func (p *prover) use(scheme, token string, proofs ...string) answer {
	p.t.Helper()
	req := p.request("POST", "/mcp", "application/json", "{}", "Authorization", scheme+" "+token)
	req.Header["Dpop"] = proofs
	return p.do(req)
}

func TestATokenThatIsBoundToAKeyTakesAProof(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("none")
	got := p.ok(p.token(codeForm(c, p.code(c, nil))))
	if got.str("token_type") != "DPoP" {
		t.Fatalf("got token_type %s, want DPoP", got.str("token_type"))
	}
	token := got.str("access_token")
	p.ok(p.use("DPoP", token, p.prove("POST", "/mcp", token, nil)))
	p.ok(p.use("dpop", token, p.prove("POST", "/mcp", token, nil)))

	// RFC 9449 section 6.1
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(token, claims); err != nil || claims["cnf"].(map[string]any)["jkt"] != p.thumbprint() {
		t.Errorf("got cnf %v, want the thumbprint %s", claims["cnf"], p.thumbprint())
	}
	// N4, F30: RFC 9449 section 7.2
	for name, a := range map[string]answer{
		"as a bearer token":              p.use("Bearer", token),
		"as a bearer token with a proof": p.use("Bearer", token, p.prove("POST", "/mcp", token, nil)),
		"with another's proof":           p.use("DPoP", token, newProver(p.rig).prove("POST", "/mcp", token, nil)),
	} {
		if a.status != 401 || a.str("error") != "invalid_token" {
			t.Errorf("%s: got %d %s, want 401 invalid_token", name, a.status, a.body)
		}
	}
	if a := p.use("DPoP", token); a.status != 401 || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), `DPoP algs="ES256 `) {
		t.Errorf("without a proof: got %d %v", a.status, a.header)
	}
	bearer := p.tokens(c, nil).str("access_token")
	refused(t, p.use("DPoP", bearer, p.prove("POST", "/mcp", bearer, nil)), 401, "invalid_token")
}

func TestN1ToN3AProofIsForOneRequestOfOneKey(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("none")
	token := p.ok(p.token(codeForm(c, p.code(c, nil)))).str("access_token")
	type m = map[string]any
	now := p.clock.Now().Unix()
	private := maps.Clone(p.jwk)
	scalar, err := p.key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	private["d"] = base64.RawURLEncoding.EncodeToString(scalar)
	for name, test := range map[string]struct{ header, claims m }{
		"no jwk":                     {header: m{"jwk": nil}},
		"a private jwk":              {header: m{"jwk": private}},
		"a jwk that is no key":       {header: m{"jwk": m{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}}},
		"a symmetric jwk":            {header: m{"jwk": m{"kty": "oct", "k": "AAAA"}}},
		"a list of keys":             {header: m{"jwk": []m{p.jwk, p.jwk}}},
		"two keys where one belongs": {header: m{"jwk": "x\"},{\"kty\""}},
		"another's jwk":              {header: m{"jwk": newProver(p.rig).jwk}},
		"a jwk of another use":       {header: m{"jwk": changed(p.jwk, m{"use": "enc"})}},
		"alg none":                   {header: m{"alg": "none"}},
		"alg HS256":                  {header: m{"alg": "HS256"}},
		"alg of another kind of key": {header: m{"alg": "RS256"}},
		"typ JWT":                    {header: m{"typ": "JWT"}},
		"no typ":                     {header: m{"typ": nil}},
		"jku":                        {header: m{"jku": p.url}},
		"crit":                       {header: m{"crit": []string{"exp"}}},
		"no jti":                     {claims: m{"jti": nil}},
		"a long jti":                 {claims: m{"jti": strings.Repeat("x", 257)}},
		"another method":             {claims: m{"htm": "GET"}},
		"the method in small":        {claims: m{"htm": "post"}},
		"another path":               {claims: m{"htu": p.url + "/token"}},
		"the path in another case":   {claims: m{"htu": p.url + "/MCP"}},
		"a path behind":              {claims: m{"htu": p.url + "/mcp/"}},
		"another port":               {claims: m{"htu": "http://127.0.0.1:1/mcp"}},
		"another scheme":             {claims: m{"htu": strings.Replace(p.url, "http", "https", 1) + "/mcp"}},
		"another host":               {claims: m{"htu": "http://evil.example/mcp"}},
		"user information":           {claims: m{"htu": strings.Replace(p.url, "://", "://a@", 1) + "/mcp"}},
		"no address":                 {claims: m{"htu": "/mcp"}},
		"old":                        {claims: m{"iat": now - 301}},
		"from the future":            {claims: m{"iat": now + 301}},
		"no iat":                     {claims: m{"iat": nil}},
		"iat is text":                {claims: m{"iat": "now"}},
		"no ath":                     {claims: m{"ath": nil}},
		"the ath of another token":   {claims: m{"ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"}},
	} {
		t.Run(name, func(t *testing.T) {
			p.header = test.header
			if name == "alg none" || name == "alg HS256" || name == "alg of another kind of key" {
				p.header = nil // the library would not sign
				parts := strings.Split(p.prove("POST", "/mcp", token, nil), ".")
				forged := strings.TrimSuffix(input(text(changed(m{"typ": "dpop+jwt", "jwk": p.jwk}, test.header)), ""), ".")
				refused(t, p.use("DPoP", token, forged+"."+parts[1]+"."+parts[2]), 401, "invalid_dpop_proof")
				return
			}
			refused(t, p.use("DPoP", token, p.prove("POST", "/mcp", token, test.claims)), 401, "invalid_dpop_proof")
		})
	}
	p.header = nil
	for name, claims := range map[string]m{
		"a query and a fragment do not count": {"htu": p.url + "/mcp?x=1#y"},
		"nor does the case of the scheme":     {"htu": strings.Replace(p.url, "http", "HTTP", 1) + "/mcp"},
		"a clock that is late":                {"iat": now - 299},
		"a clock that is early":               {"iat": now + 299},
		"claims that we do not know":          {"x": 1},
	} {
		if a := p.use("DPoP", token, p.prove("POST", "/mcp", token, claims)); a.status != 200 {
			t.Errorf("%s: got %d %s, want 200", name, a.status, a.body)
		}
	}
	once := p.prove("POST", "/mcp", token, nil)
	p.ok(p.use("DPoP", token, once))
	refused(t, p.use("DPoP", token, once), 401, "invalid_dpop_proof")
	early := p.prove("POST", "/mcp", token, m{"iat": now + 299})
	p.ok(p.use("DPoP", token, early))
	p.clock.advance(9 * time.Minute) // it is still in time
	refused(t, p.use("DPoP", token, early), 401, "invalid_dpop_proof")
	two := []string{p.prove("POST", "/mcp", token, nil), p.prove("POST", "/mcp", token, nil)}
	refused(t, p.use("DPoP", token, two...), 401, "invalid_dpop_proof") // N2
	refused(t, p.form("/token", params{"grant_type": "refresh_token", "client_id": c.id, "refresh_token": "x"}, "DPoP", once), 400, "invalid_dpop_proof")
}

// TestN1AProofMayHoldTheDigestOfTheBody: some clients add the claim, and the others do not.
func TestN1AProofMayHoldTheDigestOfTheBody(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("none")
	digest := func(body string) map[string]any {
		sum := sha256.Sum256([]byte(body))
		return map[string]any{"content_digest": "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"}
	}
	atToken := p.prove("POST", "/token", "", digest("another"))
	token := p.ok(p.form("/token", codeForm(c, p.code(c, nil)), "DPoP", atToken)).str("access_token")
	p.ok(p.use("DPoP", token, p.prove("POST", "/mcp", token, digest("{}"))))
	for name, claims := range map[string]map[string]any{
		"another body":      digest("{ }"),
		"another algorithm": {"content_digest": "sha-512=:AAAA:"},
		"no digest":         {"content_digest": "{}"},
	} {
		if a := p.use("DPoP", token, p.prove("POST", "/mcp", token, claims)); a.status != 400 && a.status != 401 {
			t.Errorf("%s: got %d %s, want a refusal", name, a.status, a.body)
		}
	}
}

func TestN1AProofWorksOnceOnEveryReplica(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("none")
	token := p.ok(p.token(codeForm(c, p.code(c, nil)))).str("access_token")
	proof := p.prove("POST", "/mcp", token, nil)
	other := p.replica()
	counts := make(chan int, 16)
	for i := range cap(counts) {
		s := []*authserver.Server{p.s, other}[i%2]
		go func() { counts <- statusOf(s, "DPoP "+token, proof) }()
	}
	ok := 0
	for range cap(counts) {
		if <-counts == 200 {
			ok++
		}
	}
	if ok != 1 {
		t.Errorf("got %d requests through with one proof, want one", ok)
	}
}

func TestE11ARefreshTokenOfAPublicClientIsBoundToItsKey(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("none")
	first := p.ok(p.token(codeForm(c, p.code(c, nil))))
	refresh := refreshForm(c, first.str("refresh_token"))
	refused(t, p.form("/token", refresh), 400, "invalid_grant")
	refused(t, newProver(p.rig).token(refresh), 400, "invalid_grant")
	second := p.ok(p.token(refresh)) // nothing was used up
	if again := p.ok(p.token(refresh)); again.str("refresh_token") != second.str("refresh_token") {
		t.Error("within the grace: got another successor")
	}
	refused(t, newProver(p.rig).token(refresh), 400, "invalid_grant")
	refused(t, p.form("/token", refreshForm(c, second.str("refresh_token"))), 400, "invalid_grant") // the successor is bound, too

	// A client that has begun without a proof may begin to prove.
	plain := p.tokens(c, nil)
	bound := p.ok(p.token(refreshForm(c, plain.str("refresh_token"))))
	refused(t, p.form("/token", refreshForm(c, bound.str("refresh_token"))), 400, "invalid_grant")

	// One that proves who it is may change its key (RFC 9449 section 5).
	web := p.newClient("client_secret_post")
	withSecret := func(f params) params { return f.with(params{"client_secret": web.secret}) }
	got := p.ok(p.token(withSecret(codeForm(web, p.code(web, nil)))))
	next := newProver(p.rig)
	again := p.ok(next.token(withSecret(refreshForm(web, got.str("refresh_token")))))
	token := again.str("access_token")
	p.ok(p.use("DPoP", token, next.prove("POST", "/mcp", token, nil)))
	refused(t, p.use("DPoP", token, p.prove("POST", "/mcp", token, nil)), 401, "invalid_token")
}

func TestN3ACodeMayBeBoundToAKeyBeforehand(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("none")
	bind := params{"dpop_jkt": p.thumbprint()}
	p.ok(p.token(codeForm(c, p.code(c, bind))))
	refused(t, p.form("/token", codeForm(c, p.code(c, bind))), 400, "invalid_grant")
	refused(t, newProver(p.rig).token(codeForm(c, p.code(c, bind))), 400, "invalid_grant")
	for _, jkt := range []string{"short", strings.Repeat("=", 43)} {
		sentBack(t, p.rig, p.browser().Get(p.authorizeURL(c, params{"dpop_jkt": jkt})).Continue(), "invalid_request")
	}

	// RFC 9449 section 10.1: a proof at the endpoint for pushed requests binds, too.
	push := params{
		"response_type": "code", "client_id": c.id, "redirect_uri": c.redirect, "code_challenge": challenge, "code_challenge_method": "S256",
	}
	pushed := p.form("/par", push, "DPoP", p.prove("POST", "/par", "", nil))
	if pushed.status != http.StatusCreated {
		t.Fatalf("got %d %s, want 201", pushed.status, pushed.body)
	}
	code := func() string {
		to := p.person.Authorize(p.url+"/authorize?"+params{"client_id": c.id, "request_uri": pushed.str("request_uri")}.encode(), user, password)
		return to.Query().Get("code")
	}
	refused(t, newProver(p.rig).token(codeForm(c, code())), 400, "invalid_grant")
	other := push.with(params{"dpop_jkt": newProver(p.rig).thumbprint()})
	refused(t, p.form("/par", other, "DPoP", p.prove("POST", "/par", "", nil)), 400, "invalid_dpop_proof")
}

func TestIntrospectionNamesTheKeyOfAToken(t *testing.T) {
	p := newProver(newRig(t))
	c := p.newClient("client_secret_post")
	secret := params{"client_secret": c.secret}
	token := p.ok(p.token(codeForm(c, p.code(c, nil)).with(secret))).str("access_token")
	a := p.ok(p.form("/introspect", params{"client_id": c.id, "token": token}.with(secret)))
	if cnf, _ := a.json["cnf"].(map[string]any); cnf["jkt"] != p.thumbprint() || a.str("token_type") != "DPoP" {
		t.Errorf("got %s, want the key and the type DPoP", a.body)
	}
}

// TestN8AClientThatWantsBoundTokensGetsNoOther keeps what a client registered:
// a thief of its code or refresh token cannot ask for a token without a key.
func TestN8AClientThatWantsBoundTokensGetsNoOther(t *testing.T) {
	p := newProver(newRig(t))
	wants := func(bound string) string {
		return `"token_endpoint_auth_method":"none","redirect_uris":["` + callback + `"],"dpop_bound_access_tokens":` + bound + `}`
	}
	a := p.register("{" + wants("true"))
	c := client{id: a.str("client_id"), redirect: callback}
	path, manages := strings.TrimPrefix(a.str("registration_client_uri"), p.url), a.str("registration_access_token")
	if read := p.ok(p.manage("GET", path, manages, "")); a.json["dpop_bound_access_tokens"] != true || read.json["dpop_bound_access_tokens"] != true {
		t.Fatalf("got %s, then %s, want the metadata that was sent", a.body, read.body)
	}
	code := codeForm(c, p.code(c, nil))
	refused(t, p.form("/token", code), 400, "invalid_dpop_proof")
	first := p.ok(p.token(code)) // the code is not used up by that
	again := refreshForm(c, first.str("refresh_token"))
	refused(t, p.form("/token", again), 400, "invalid_dpop_proof")
	if got := p.ok(p.token(again)); got.str("token_type") != "DPoP" {
		t.Errorf("got token_type %s, want DPoP", got.str("token_type"))
	}
	p.clock.advance(time.Minute)
	changed := p.ok(p.manage("PUT", path, manages, `{"client_id":"`+c.id+`",`+wants("false")))
	if changed.json["dpop_bound_access_tokens"] == true {
		t.Errorf("got %s, want what was registered anew", changed.body)
	}
	p.ok(p.form("/token", codeForm(c, p.code(c, nil))))
	refused(t, p.register("{"+wants(`"yes"`)), 400, "invalid_client_metadata")
}
