package login_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// authority is an MCP server and its authorization server: strict, with refresh tokens that work
// once. A second use of one ends all tokens.
type authority struct {
	*httptest.Server
	t *testing.T

	clock    atomic.Int64 // seconds
	nonces   bool         // proofs need one
	refuse   atomic.Bool  // refuses refresh tokens
	down     atomic.Bool  // the token endpoint answers 503
	hang     atomic.Bool  // the token endpoint waits until the client goes
	hanging  chan struct{}
	pages    atomic.Int32 // pages of the login that were opened
	renewals atomic.Int32
	reused   atomic.Int32
	atOnce   atomic.Int32
	most     atomic.Int32 // renewals at a time

	mu      sync.Mutex
	serial  int
	access  string
	expires int64
	scope   string
	refresh string
	proofs  map[string]bool
}

const life = 600 // seconds that an access token is valid

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, hanging: make(chan struct{}, 1), proofs: map[string]bool{}}
	a.clock.Store(time.Now().Unix())
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", a.resource)
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL},
			"scopes_supported": []string{"tools"}, "dpop_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token",
			"registration_endpoint": a.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"authorization_response_iss_parameter_supported": true, "dpop_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 201, map[string]any{"client_id": "client", "token_endpoint_auth_method": "none"})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		a.pages.Add(1)
		q := r.URL.Query()
		a.scope = q.Get("scope")
		if q.Get("resource") != a.URL+"/mcp" {
			t.Errorf("authorize: got resource %q", q.Get("resource"))
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=code&state="+q.Get("state")+"&iss="+a.URL, http.StatusFound)
	})
	mux.HandleFunc("/token", a.token)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func answer(w http.ResponseWriter, status int, doc any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(doc)
}

func (a *authority) resource(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token == "" || token != a.access || a.clock.Load() >= a.expires || scheme != "DPoP" {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if !a.proven(w, r, token) {
		return
	}
	if more := r.URL.Query().Get("scope"); !slices.Contains(strings.Fields(a.scope), more) && more != "" {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+more+`"`)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	fmt.Fprint(w, "hello")
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	if got := r.FormValue("resource"); got != a.URL+"/mcp" {
		a.t.Errorf("token: got resource %q", got)
	}
	if a.hang.Load() {
		a.hanging <- struct{}{}
		<-r.Context().Done()
		return
	}
	if a.down.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	renewal := r.FormValue("grant_type") == "refresh_token"
	if renewal {
		n := a.atOnce.Add(1)
		defer a.atOnce.Add(-1)
		a.most.Store(max(a.most.Load(), n))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.proven(w, r, "") {
		return
	}
	if renewal && r.FormValue("refresh_token") != a.refresh {
		a.reused.Add(1)
		a.access = ""
	}
	if renewal && (a.access == "" || a.refuse.Load()) {
		answer(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	if renewal {
		a.renewals.Add(1)
	}
	a.serial++
	a.access = fmt.Sprint("access-", a.serial)
	a.refresh = fmt.Sprint("refresh-", a.serial)
	a.expires = a.clock.Load() + life
	answer(w, 200, map[string]any{"access_token": a.access, "refresh_token": a.refresh, "token_type": "DPoP", "expires_in": life})
}

// proven checks the proof of a request (RFC 9449 section 4.3).
func (a *authority) proven(w http.ResponseWriter, r *http.Request, token string) bool {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(r.Header.Get("DPoP"), claims, func(t *jwt.Token) (any, error) {
		jwk, _ := t.Header["jwk"].(map[string]any)
		point := []byte{4}
		for _, name := range []string{"x", "y"} {
			b, err := base64.RawURLEncoding.DecodeString(fmt.Sprint(jwk[name]))
			if err != nil {
				return nil, err
			}
			point = append(point, b...)
		}
		return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	}, jwt.WithValidMethods([]string{"ES256"}), jwt.WithTimeFunc(func() time.Time { return time.Unix(a.clock.Load()+1, 0) }))
	sum := sha256.Sum256([]byte(token))
	hash := base64.RawURLEncoding.EncodeToString(sum[:])
	id := fmt.Sprint(claims["jti"])
	switch {
	case err != nil, claims["htm"] != r.Method, claims["htu"] != a.URL+r.URL.Path, a.proofs[id], token != "" && claims["ath"] != hash:
		a.t.Errorf("%s %s: a wrong proof %v: %v", r.Method, r.URL, claims, err)
		answer(w, 400, map[string]any{"error": "invalid_dpop_proof"})
		return false
	case a.nonces && claims["nonce"] != "nonce of "+r.URL.Path:
		w.Header().Set("DPoP-Nonce", "nonce of "+r.URL.Path)
		answer(w, map[bool]int{true: 401, false: 400}[token != ""], map[string]any{"error": "use_dpop_nonce"})
		return false
	}
	a.proofs[id] = true
	return true
}
