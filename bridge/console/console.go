// Package console serves the pages of an account (/account) and of the operator
// (/admin). It calls what bridge/operator and bridge offer to the REST API and the
// command line as well, and decides nothing. How pages look is in package
// templates; who may see them is decided by the guards of package oauth.
//
// Every page works without script. What changes something is a form that only our
// own pages can send; what cannot be undone asks first (confirm.go).
package console

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"rialto/bridge"
	"rialto/bridge/operator"
	"rialto/internal/quota"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/templates"
)

// Console serves the pages. All fields are required unless they say what nil means.
type Console struct {
	Product string
	OAuth   *authserver.Server
	Bridge  *bridge.Bridge
	Admin   *operator.Service
	Now     func() time.Time
	Log     *slog.Logger

	watching quota.Count
}

const maxForm = 64 << 10

// pageTimeout bounds a page; examination bounds what waits for an agent.
const pageTimeout = 30 * time.Second

// Routes adds the pages to r, each area behind its guard.
func (c *Console) Routes(r *mux.Router) {
	account, operators := c.OAuth.Sessions.Require(c.area(ownAccount{c}.routes())), c.OAuth.Sessions.RequireAdmin(c.area(c.adminRoutes()))
	r.Path("/account").Handler(account)
	r.PathPrefix("/account/").Handler(account)
	r.Path("/admin").Handler(operators)
	r.PathPrefix("/admin/").Handler(operators)
}

// area serves the pages of one half of the console.
func (c *Console) area(routes []route) http.Handler {
	at := make(map[string]route, len(routes))
	for _, o := range routes {
		at[o.path] = o
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o, ok := at[r.URL.Path]
		if !ok {
			c.missing(w, r)
			return
		}
		o.ServeHTTP(w, r)
	})
}

// route is what one path answers.
type route struct {
	path string
	get  http.HandlerFunc
	post http.HandlerFunc
}

// ServeHTTP calls the handler of the method.
func (o route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case o.get != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		o.get(w, r)
	case o.post != nil && r.Method == http.MethodPost:
		o.post(w, r)
	default:
		w.Header().Set("Allow", o.allow())
		http.Error(w, "This address does not answer "+r.Method+".", http.StatusMethodNotAllowed)
	}
}

func (o route) allow() string {
	switch {
	case o.get == nil:
		return "POST"
	case o.post == nil:
		return "GET, HEAD"
	}
	return "GET, HEAD, POST"
}

// page makes a page. Its frame is put around it.
type page func(r *http.Request) (templates.Console, error)

func (c *Console) show(a area, p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
		defer cancel()
		r = r.WithContext(ctx)
		made, err := p(r)
		if err != nil {
			c.writeError(w, r, err)
			return
		}
		c.write(w, r, http.StatusOK, a, made)
	}
}

// write puts the frame around a page and sends it.
func (c *Console) write(w http.ResponseWriter, r *http.Request, status int, a area, p templates.Console) {
	done := p.Done
	failed := p.Failed
	p.Frame = c.frame(r, a)
	if done != nil || failed != nil {
		p.Done, p.Failed = done, failed
	}
	templates.Write(w, r, status, p)
}

// user returns the signed-in user; the guard requires one.
func user(r *http.Request) oauth.Principal {
	p, _ := oauth.FromContext(r.Context())
	return p
}
