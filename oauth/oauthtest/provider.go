package oauthtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Provider is an identity provider that does what a test tells it to, right or
// wrong. It signs everybody in at once, as the person that its Claims name.
type Provider struct {
	URL      string
	ClientID string
	KeyID    string

	mu       sync.Mutex
	t        testing.TB
	now      func() time.Time
	key      *ecdsa.PrivateKey
	logins   map[string]url.Values // authorization requests by code
	asked    map[string]int
	metadata map[string]any
	claims   map[string]any
	idToken  func(header, claims map[string]any) string
	instead  map[string]http.HandlerFunc
}

// NewProvider starts one, with a clock that tells when its tokens are made.
func NewProvider(t testing.TB, now func() time.Time) *Provider {
	p := &Provider{
		ClientID: "rialto", KeyID: "k1", t: t, now: now, logins: map[string]url.Values{},
		asked: map[string]int{}, instead: map[string]http.HandlerFunc{},
	}
	p.NewKey("k1")
	ts := httptest.NewServer(p)
	t.Cleanup(ts.Close)
	p.URL = ts.URL
	p.metadata = map[string]any{
		"issuer":                 p.URL,
		"authorization_endpoint": p.URL + "/authorize",
		"token_endpoint":         p.URL + "/token",
		"userinfo_endpoint":      p.URL + "/userinfo",
		"jwks_uri":               p.URL + "/keys",
		"authorization_response_iss_parameter_supported": true,
	}
	p.claims = map[string]any{"sub": "1", "preferred_username": "ada", "email": "ada@corp.example", "email_verified": true}
	return p
}

// NewKey gives the provider another key, and forgets the one before.
func (p *Provider) NewKey(id string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.KeyID = key, id
}

// Key returns the key with which the provider signs.
func (p *Provider) Key() *ecdsa.PrivateKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.key
}

// Metadata changes what the provider says of itself; nil removes a member.
func (p *Provider) Metadata(changes map[string]any) { p.change(&p.metadata, changes) }

// Claims changes what the provider says of the person.
func (p *Provider) Claims(changes map[string]any) { p.change(&p.claims, changes) }

func (p *Provider) change(m *map[string]any, changes map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, value := range changes {
		if (*m)[name] = value; value == nil {
			delete(*m, name)
		}
	}
}

// IDToken replaces the way in which ID tokens are made of their header and
// claims; nil is the right one.
func (p *Provider) IDToken(f func(header, claims map[string]any) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idToken = f
}

// Instead replaces an endpoint; nil brings the right one back.
func (p *Provider) Instead(path string, h http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.instead[path] = h
}

// Asked returns how often an endpoint was called.
func (p *Provider) Asked(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// Sign signs with the provider's key.
func (p *Provider) Sign(header, claims map[string]any) string {
	return SignES256(p.Key(), header, claims)
}

// SignES256 makes a JWT, whatever its header says.
func SignES256(key *ecdsa.PrivateKey, header, claims map[string]any) string {
	in := encoded(header) + "." + encoded(claims)
	sum := sha256.Sum256([]byte(in))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return in + "." + base64.RawURLEncoding.EncodeToString(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

func encoded(m map[string]any) string {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // tests give plain values
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.Path]++
	h := p.instead[r.URL.Path]
	p.mu.Unlock()
	if h != nil {
		h(w, r)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		p.answer(w, p.metadata)
	case "/keys":
		p.answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: p.KeyID, Algorithm: "ES256", Use: "sig"}}})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.token(w, r)
	case "/userinfo":
		p.answer(w, p.claims)
	default:
		http.NotFound(w, r)
	}
}

func (p *Provider) answer(w http.ResponseWriter, v any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.t.Error(err)
	}
}

// authorize signs the person in and sends the browser back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	code := rand.Text()
	p.mu.Lock()
	p.logins[code] = r.URL.Query()
	p.mu.Unlock()
	q := url.Values{"code": {code}, "state": {r.URL.Query().Get("state")}, "iss": {p.URL}}
	http.Redirect(w, r, r.URL.Query().Get("redirect_uri")+"?"+q.Encode(), http.StatusFound)
}

// token redeems a code once, if the verifier is that of the request.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	asked, known := p.logins[r.FormValue("code")]
	delete(p.logins, r.FormValue("code"))
	make, claims := p.idToken, map[string]any{}
	for name, value := range p.claims {
		claims[name] = value
	}
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	for name, value := range map[string]any{
		"iss": p.URL, "aud": p.ClientID, "nonce": asked.Get("nonce"),
		"iat": p.now().Unix(), "exp": p.now().Add(5 * time.Minute).Unix(),
	} {
		claims[name] = value
	}
	if make == nil {
		make = p.Sign
	}
	p.answer(w, map[string]any{
		"access_token": "at", "token_type": "Bearer", "expires_in": 300,
		"id_token": make(map[string]any{"alg": "ES256", "typ": "JWT", "kid": p.KeyID}, claims),
	})
}

// AccessToken returns an access token of the provider for a person who may use
// tools in the use case "sales", with claims changed.
func (p *Provider) AccessToken(changes map[string]any) string {
	claims := map[string]any{
		"iss": p.URL, "sub": "machine-1", "aud": "https://rialto.example", "scope": "mcp:tools:sales", "jti": rand.Text(),
		"iat": p.now().Unix(), "exp": p.now().Add(time.Hour).Unix(),
	}
	for name, value := range changes {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return p.Sign(p.TokenHeader(), claims)
}

// TokenHeader returns the header of an access token.
func (p *Provider) TokenHeader() map[string]any {
	return map[string]any{"alg": "ES256", "typ": "at+jwt", "kid": p.KeyID}
}

// Issued tells whether an address is the provider's own, with the given path.
func (p *Provider) Issued(address, path string) bool {
	return strings.HasPrefix(address, p.URL+path+"?")
}
