package authserver_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/gorilla/mux"

	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/oauthtest"
	"rialto/store"
	"rialto/store/storetest"
)

// The vector of RFC 7636 appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

const (
	user     = "ada"
	password = "correct horse battery staple"
	callback = "http://127.0.0.1:9/cb"
)

// clock is a clock that moves only when a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// rig is a running server with an account, over a store of its own.
type rig struct {
	t       testing.TB
	s       *authserver.Server
	db      *store.DB
	clock   *clock
	url     string
	http    *http.Client
	log     *lockedBuffer
	reached func(oauth.Principal) // called when Guard let a request through
	person  *oauthtest.Browser    // who approves; signed in after the first time
}

// newRig starts a server on loopback. change may alter it before.
func newRig(t testing.TB, change ...func(*setup)) *rig {
	t.Helper()
	db, err := store.Open(context.Background(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return serve(t, db, httptest.NewUnstartedServer(nil), change...)
}

// serve starts a server over a store that is open.
func serve(t testing.TB, db *store.DB, ts *httptest.Server, change ...func(*setup)) *rig {
	t.Helper()
	r := &rig{t: t, db: db, clock: &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}, log: &lockedBuffer{}}
	r.url = "http://" + ts.Listener.Addr().String()
	if ts.TLS != nil {
		r.url = "https://" + ts.Listener.Addr().String()
	}
	config := authserver.Config{
		Issuer:       r.url,
		Resource:     r.url + "/mcp",
		Name:         "Rialto",
		Scopes:       []oauth.Scope{{Name: "mcp:tools", Words: "Use the tools"}, {Name: "mcp:more", Words: "Do more"}, {Name: "admin", Words: "Run this server"}},
		Secret:       bytes.Repeat([]byte{7}, 32),
		Now:          r.clock.Now,
		Log:          slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Registration: authserver.Registration{PerHour: 1000},
	}
	r.s = newServer(config, db.OAuth, change)
	m := mux.NewRouter().SkipClean(true).UseEncodedPath()
	r.s.Routes(m)
	m.Handle("/mcp", r.s.Guard.Require(http.HandlerFunc(r.resource), "mcp:tools"))
	m.Handle("/demo", r.s.Guard.Require(http.HandlerFunc(r.resource), "mcp:tools:demo"))
	m.Handle("/page", r.s.Sessions.Require(http.HandlerFunc(r.resource)))
	ts.Config.Handler = m
	if ts.TLS != nil {
		ts.StartTLS()
	} else {
		ts.Start()
	}
	t.Cleanup(ts.Close)
	r.http = ts.Client()
	r.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	oauthtest.AddUser(t, r.s, user, password)
	return r
}

// setup is what a test may change before a server starts.
type setup struct {
	authserver.Config
	Stores authserver.Stores
	Opens  titles
}

// titles names the agents that a grant reaches.
type titles func(some []string, all bool) []string

func (t titles) Titles(_ string, some []string, all bool) []string { return t(some, all) }

func newServer(config authserver.Config, stores authserver.Stores, change []func(*setup)) *authserver.Server {
	s := &setup{Config: config, Stores: stores}
	for _, f := range change {
		f(s)
	}
	as := authserver.New(s.Config, s.Stores)
	if s.Opens != nil {
		as.Consent.Agents = s.Opens
	}
	return as
}

// forgingKey returns the server's own key, to forge tokens with.
func (r *rig) forgingKey() *ecdsa.PrivateKey {
	r.t.Helper()
	k, _, err := r.s.Keys.PublishedKey(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return k.Key.(jose.JSONWebKey).Key.(*ecdsa.PrivateKey)
}

// resource is what Guard protects.
func (r *rig) resource(w http.ResponseWriter, req *http.Request) {
	p, _ := oauth.FromContext(req.Context())
	if _, err := io.ReadAll(req.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.reached != nil {
		r.reached(p)
	}
	fmt.Fprintf(w, "hello %s", p.Name)
}

// lockedBuffer collects the log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (r *rig) browser() *oauthtest.Browser { return oauthtest.NewBrowser(r.t, r.http.Transport) }

// answer is what an endpoint answered.
type answer struct {
	status int
	header http.Header
	body   string
	json   map[string]any // nil if the body is no JSON object
}

func (a answer) str(name string) string { s, _ := a.json[name].(string); return s }

func (r *rig) do(req *http.Request) answer {
	r.t.Helper()
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		r.t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(body)}
	json.Unmarshal(body, &a.json)
	return a
}

func (r *rig) request(method, path, contentType, body string, header ...string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return req
}

const formType = "application/x-www-form-urlencoded"

// form sends a form; header holds names and values in turn.
func (r *rig) form(path string, form params, header ...string) answer {
	r.t.Helper()
	return r.do(r.request(http.MethodPost, path, formType, form.encode(), header...))
}

// register registers a client with the given metadata, as JSON.
func (r *rig) register(metadata string) answer {
	r.t.Helper()
	return r.do(r.request(http.MethodPost, "/register", "application/json", metadata))
}

// client is a client as it knows itself.
type client struct{ id, secret, redirect string }

// newClient registers a client; a method of "none" makes it a public one.
func (r *rig) newClient(method string, redirects ...string) client {
	r.t.Helper()
	if len(redirects) == 0 {
		redirects = []string{callback}
	}
	uris, _ := json.Marshal(redirects)
	a := r.register(`{"client_name":"Test app","token_endpoint_auth_method":"` + method + `","redirect_uris":` + string(uris) + `}`)
	if a.status != http.StatusCreated {
		r.t.Fatalf("registration: got %d %s, want 201", a.status, a.body)
	}
	return client{a.str("client_id"), a.str("client_secret"), redirects[0]}
}

// params are parameters by name. One whose value is "-" is left out.
type params map[string]string

func (p params) encode() string {
	v := url.Values{}
	for name, value := range p {
		if value != "-" {
			v.Set(name, value)
		}
	}
	return v.Encode()
}

// with returns the parameters with some replaced.
func (p params) with(changes params) params {
	all := maps.Clone(p)
	maps.Copy(all, changes)
	return all
}

// authorizeURL returns the address where c begins, with parameters replaced.
func (r *rig) authorizeURL(c client, changes params) string {
	return r.url + "/authorize?" + params{
		"response_type":         "code",
		"client_id":             c.id,
		"redirect_uri":          c.redirect,
		"scope":                 "mcp:tools",
		"state":                 "the state",
		"code_challenge":        challenge,
		"code_challenge_method": "S256",
		"resource":              r.s.Resource,
	}.with(changes).encode()
}

// code lets a person approve and returns the code.
func (r *rig) code(c client, changes params) string {
	r.t.Helper()
	if r.person == nil {
		r.person = r.browser()
	}
	to := r.person.Authorize(r.authorizeURL(c, changes), user, password)
	code := to.Query().Get("code")
	if code == "" {
		r.t.Fatalf("approval led to %s, which has no code", to)
	}
	return code
}

func codeForm(c client, code string) params {
	return params{
		"grant_type":    "authorization_code",
		"client_id":     c.id,
		"code":          code,
		"redirect_uri":  c.redirect,
		"code_verifier": verifier,
	}
}

func refreshForm(c client, token string) params {
	return params{"grant_type": "refresh_token", "client_id": c.id, "refresh_token": token}
}

// tokens lets a person approve and returns what the client gets.
func (r *rig) tokens(c client, changes params) answer {
	r.t.Helper()
	return r.ok(r.form("/token", codeForm(c, r.code(c, changes))))
}

func (r *rig) ok(a answer) answer {
	r.t.Helper()
	if a.status != http.StatusOK {
		r.t.Fatalf("got %d %s, want 200", a.status, a.body)
	}
	return a
}

// call calls the resource with a token.
func (r *rig) call(token string) answer {
	r.t.Helper()
	return r.do(r.request(http.MethodPost, "/mcp", "application/json", "{}", "Authorization", "Bearer "+token))
}

// refused checks that an answer is an error of the protocol.
func refused(t testing.TB, a answer, status int, code string) {
	t.Helper()
	if a.status != status || a.str("error") != code {
		t.Errorf("got %d %s, want %d %s", a.status, a.body, status, code)
	}
}
