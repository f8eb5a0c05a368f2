package oauthbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"

	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/store"
)

// rialto is our server. Its codes come from its own page, approved by a person
// who is signed in.
type rialto struct {
	db      *store.DB
	issuer  string
	routes  http.Handler            // of the server that is measured
	replica atomic.Pointer[replica] // before the resource, and for the codes
	id      string
	cookies []*http.Cookie // of the browser that signed in
	codes   atomic.Int64   // made so far; the clock advances with them
}

// replica is a server that may be replaced by a new one.
type replica struct{ guarded, pages http.Handler }

func openRialto(ctx context.Context, issuer, dsn string) (peer, error) {
	db, err := store.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	p := &rialto{db: db, issuer: issuer}
	s := p.server()
	p.routes = routes(s)
	if err := errors.Join(s.Ready(ctx), s.Accounts.SetPassword(ctx, "ada", "a long enough password"), p.register(), p.forget(ctx)); err != nil {
		return nil, err
	}
	_, err = p.code(ctx) // signs in
	return p, err
}

func routes(s *authserver.Server) http.Handler {
	m := mux.NewRouter()
	s.Routes(m)
	return m
}

func (p *rialto) server() *authserver.Server {
	return authserver.New(authserver.Config{
		Issuer:    p.issuer,
		Resource:  p.issuer + "/mcp",
		Name:      "bench",
		Scopes:    []oauth.Scope{{Name: clientScope, Words: "Use the tools"}},
		Secret:    bytes.Repeat([]byte{7}, 32),
		Now:       p.now,
		Log:       slog.New(slog.DiscardHandler),
		Lifetimes: authserver.Lifetimes{Code: 24 * time.Hour},
	}, p.db.OAuth)
}

// now advances with the codes, so that the limits of rate let so many through.
func (p *rialto) now() time.Time {
	return time.Now().Add(time.Duration(p.codes.Load()) * 100 * time.Millisecond)
}

func (p *rialto) register() error {
	r := httptest.NewRequest(http.MethodPost, "/register", strings.NewReader(`{"client_name":"bench","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`))
	r.Header.Set("Content-Type", "application/json")
	w := answer(p.routes, r)
	id := regexp.MustCompile(`"client_id":"([^"]+)"`).FindStringSubmatch(w.Body.String())
	if id == nil {
		return fmt.Errorf("registering: %d %s", w.Code, w.Body)
	}
	p.id = id[1]
	return nil
}

func (p *rialto) client() string      { return p.id }
func (p *rialto) token() http.Handler { return p.routes }
func (p *rialto) again() http.Handler { return p.first() }

func (p *rialto) first() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.replica.Load().guarded.ServeHTTP(w, r) })
}

// forget puts a new replica in the place of the one that has seen tokens. What
// that one held is collected before the new one holds as much: no operator runs two.
func (p *rialto) forget(ctx context.Context) error {
	s := p.server()
	p.replica.Store(&replica{s.Guard.Require(resource, clientScope), routes(s)})
	runtime.GC()
	return s.Ready(ctx)
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	codeInLink  = regexp.MustCompile(`[?&;]code=([A-Za-z0-9_-]+)`)
)

// code asks for access and allows it.
func (p *rialto) code(context.Context) (string, error) {
	n := p.codes.Add(1)
	from := fmt.Sprintf("10.%d.%d.%d:1", n>>16&255, n>>8&255, n&255) // each from an address of its own
	ask := httptest.NewRequest(http.MethodGet, "/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {p.id}, "redirect_uri": {callback}, "scope": {clientScope},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode(), nil)
	ask.RemoteAddr = from
	for _, c := range p.cookies {
		ask.AddCookie(c)
	}
	pages := p.replica.Load().pages
	page := answer(pages, ask)
	form := url.Values{"decision": {"approve"}}
	for _, field := range hiddenField.FindAllStringSubmatch(page.Body.String(), -1) {
		form.Set(field[1], field[2])
	}
	signsIn := p.cookies == nil
	if signsIn {
		form.Set("username", "ada")
		form.Set("password", "a long enough password")
	}
	allow := httptest.NewRequest(http.MethodPost, "/authorize", strings.NewReader(form.Encode()))
	allow.RemoteAddr = from
	allow.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range page.Result().Cookies() {
		allow.AddCookie(c)
	}
	for _, c := range p.cookies {
		allow.AddCookie(c)
	}
	done := answer(pages, allow)
	for _, c := range done.Result().Cookies() {
		if signsIn && c.Value != "" && c.MaxAge >= 0 {
			p.cookies = append(p.cookies, c)
		}
	}
	code := codeInLink.FindStringSubmatch(done.Body.String())
	if code == nil {
		return "", fmt.Errorf("allowing: %d %s", done.Code, done.Body)
	}
	return code[1], nil
}
