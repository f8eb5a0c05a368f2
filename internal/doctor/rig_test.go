package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// rig is a small server that does everything right, and a fault that spoils
// what it answers.
type rig struct {
	url    string
	spoil  func(*exchange)
	forget string // see subscribe

	refusal func(*exchange) // of webhooks

	mu        sync.Mutex
	clients   map[string][]string // redirect URIs by id
	codes     map[string]string   // challenge by code; "" when used
	successor map[string]string   // by refresh token; "" when unused
	live      map[string]bool     // access tokens
	issued    []string            // everything secret that was ever given out
}

// exchange is a request and the answer to it.
type exchange struct {
	r    *http.Request
	body []byte
	w    *httptest.ResponseRecorder
}

// at tells whether the request has a method and a path.
func (x *exchange) at(pattern string) bool { return x.r.Method+" "+x.r.URL.Path == pattern }

// says tells whether the request's body or query holds a text.
func (x *exchange) says(text string) bool {
	return bytes.Contains(x.body, []byte(text)) || strings.Contains(x.r.URL.RawQuery, text)
}

// answer replaces the answer.
func (x *exchange) answer(status int, contentType, body string) {
	x.w.Code, x.w.Body = status, bytes.NewBufferString(body)
	x.w.Header().Set("Content-Type", contentType)
}

// edit changes the JSON object of the answer.
func (x *exchange) edit(f func(map[string]any)) {
	m := map[string]any{}
	if json.Unmarshal(x.w.Body.Bytes(), &m) == nil {
		f(m)
		b, _ := json.Marshal(m)
		x.w.Body = bytes.NewBuffer(b)
	}
}

func newRig(t testing.TB, spoil func(*exchange)) *rig {
	t.Helper()
	g := &rig{spoil: spoil, clients: map[string][]string{}, codes: map[string]string{}, successor: map[string]string{}, live: map[string]bool{}}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	g.url = s.URL
	return g
}

// examine lets the doctor log in at the rig and look.
func (g *rig) examine(t testing.TB, change ...func(*Doctor)) *Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	d := &Doctor{Login: approve}
	for _, f := range change {
		f(d)
	}
	return d.Examine(ctx, g.url+"/mcp")
}

// approve is a person who says yes at once.
func approve(ctx context.Context, address string) error {
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
		if err != nil {
			return
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	return nil
}

func (g *rig) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	x := &exchange{r, body, httptest.NewRecorder()}
	x.w.Header().Set("Access-Control-Allow-Origin", "*")
	x.w.Header().Set("Cache-Control", "no-store")
	g.serve(x)
	if g.spoil != nil {
		g.spoil(x)
	}
	maps.Copy(w.Header(), x.w.Header())
	w.WriteHeader(x.w.Code)
	w.Write(x.w.Body.Bytes())
}

func (x *exchange) json(status int, v any) {
	b, _ := json.Marshal(v)
	x.answer(status, "application/json", string(b))
}

func (x *exchange) refuse(status int, code string) { x.json(status, map[string]any{"error": code}) }

func (g *rig) serve(x *exchange) {
	if x.r.Method == http.MethodOptions {
		x.w.Header().Set("Access-Control-Allow-Headers", strings.Join(mcpHeaders(), ", "))
		x.w.Code = http.StatusNoContent
		return
	}
	switch x.r.URL.Path {
	case "/mcp", "/mcp/":
		g.guard(x)
	case resourcePath, resourcePath + "/mcp":
		x.json(200, map[string]any{"resource": g.url + "/mcp", "authorization_servers": []string{g.url}, "scopes_supported": []string{"tools"}})
	case "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration":
		x.json(200, g.metadata())
	case cardPath:
		x.json(200, map[string]any{"name": "rig", "supportedInterfaces": []map[string]any{
			{"url": g.url + "/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}, {"url": g.url + "/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}}})
	case "/a2a", "/a2a/tasks/rialto-doctor":
		x.json(200, map[string]any{"error": map[string]any{"code": -32001, "message": "there is no such task"}})
	case "/register":
		g.register(x)
	case "/authorize":
		g.authorize(x)
	case "/token":
		g.token(x)
	case "/revoke":
		clear(g.live)
	default:
		x.answer(http.StatusNotFound, "text/plain", "not here")
	}
}

func (g *rig) metadata() map[string]any {
	return map[string]any{
		"issuer": g.url, "authorization_endpoint": g.url + "/authorize", "token_endpoint": g.url + "/token",
		"registration_endpoint": g.url + "/register", "revocation_endpoint": g.url + "/revoke",
		"scopes_supported": []string{"tools", offline}, "response_types_supported": []string{"code"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "code_challenge_methods_supported": []string{"S256"},
		issSupported: true, cimdSupported: true,
	}
}

func (g *rig) register(x *exchange) {
	var m struct {
		Redirects []string `json:"redirect_uris"`
	}
	if json.Unmarshal(x.body, &m) != nil || x.says("javascript:") {
		x.refuse(400, "invalid_redirect_uri")
		return
	}
	id := rand.Text()
	g.clients[id] = m.Redirects
	x.json(201, map[string]any{"client_id": id, "redirect_uris": m.Redirects, "token_endpoint_auth_method": "none"})
}

func (g *rig) authorize(x *exchange) {
	q := x.r.URL.Query()
	to := parsed(q.Get("redirect_uri"))
	known := slices.ContainsFunc(g.clients[q.Get("client_id")], func(r string) bool {
		u := parsed(r)
		return u.Hostname() == to.Hostname() && u.Path == to.Path
	})
	x.w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	back := url.Values{"state": {q.Get("state")}, "iss": {g.url}}
	switch {
	case !known:
		x.answer(400, "text/html", "This link doesn't work")
		return
	case q.Get("code_challenge_method") != "S256":
		back.Set("error", "invalid_request")
	case x.r.Method == http.MethodGet:
		x.answer(200, "text/html", "May it?")
		return
	default:
		back.Set("code", g.secret("code"))
		g.codes[back.Get("code")] = q.Get("code_challenge")
	}
	to.RawQuery = back.Encode()
	x.w.Header().Set("Location", to.String())
	x.w.Code = http.StatusSeeOther
}

func (g *rig) secret(kind string) string {
	s := kind + "-" + rand.Text()
	g.issued = append(g.issued, s)
	return s
}

func (g *rig) token(x *exchange) {
	f, _ := url.ParseQuery(string(x.body))
	if g.clients[f.Get("client_id")] == nil {
		x.refuse(401, "invalid_client")
		return
	}
	refresh, next := f.Get("refresh_token"), ""
	if challenge := g.codes[f.Get("code")]; challenge != "" {
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) == challenge {
			g.codes[f.Get("code")], next = "", g.secret("refresh")
		}
	} else if successor, ok := g.successor[refresh]; ok {
		if next = successor; next == "" {
			next = g.secret("refresh")
			g.successor[refresh] = next
		}
	}
	if next == "" {
		x.refuse(400, "invalid_grant")
		return
	}
	if _, ok := g.successor[next]; !ok {
		g.successor[next] = ""
	}
	access := g.secret("access")
	g.live[access] = true
	x.json(200, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": next, "scope": "tools"})
}

func (g *rig) guard(x *exchange) {
	h := x.w.Header()
	token, sent := strings.CutPrefix(x.r.Header.Get("Authorization"), "Bearer ")
	if !g.live[token] {
		challenge := fmt.Sprintf(`Bearer resource_metadata="%s%s/mcp", scope="tools"`, g.url, resourcePath)
		if sent {
			challenge += `, error="invalid_token"`
		}
		h.Set("WWW-Authenticate", challenge)
		h.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Mcp-Session-Id")
		x.refuse(401, "unauthorized")
		return
	}
	switch origin := x.r.Header.Get("Origin"); {
	case origin != "" && origin != g.url:
		x.refuse(403, "origin")
	case x.r.Method == http.MethodGet:
		x.answer(405, "text/plain", "")
	case x.r.Method == http.MethodDelete:
		x.w.Code = http.StatusNoContent
	default:
		g.mcp(x)
	}
}
