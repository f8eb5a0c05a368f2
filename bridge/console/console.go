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
	"rialto/bridge/events"
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
	Events  *events.Service // nil: clients cannot subscribe to events
	Now     func() time.Time
	Log     *slog.Logger

	watching quota.Count
}

const maxForm = 64 << 10

// pageTimeout bounds a page, and examination a form that waits for other servers.
const (
	pageTimeout = 30 * time.Second
	examination = 100 * time.Second
)

// Routes adds the pages to r, each area behind its guard.
func (c *Console) Routes(r *mux.Router) {
	mount := func(a area, pages http.Handler) {
		r.Path(a.root).Handler(pages)
		r.PathPrefix(a.root + "/").Handler(pages)
	}
	sessions := c.OAuth.Sessions
	mount(accountArea, sessions.Require(c.serve(accountArea, ownAccount{c}.routes())))
	mount(adminArea, sessions.RequireAdmin(c.serve(adminArea, c.adminRoutes())))
}

// serve serves the pages of one half of the console.
func (c *Console) serve(a area, routes []route) http.Handler {
	at := make(map[string]route, len(routes))
	for _, o := range routes {
		at[o.path] = o
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o, ok := at[r.URL.Path]
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case !ok:
			c.missing(w, r)
		case reads && o.page != nil:
			c.show(w, r, a, o.page)
		case reads && o.raw != nil:
			o.raw(w, r)
		case r.Method == http.MethodPost && o.form != nil:
			c.do(w, r, a, o)
		default:
			w.Header().Set("Allow", o.allow())
			http.Error(w, "This address does not answer "+r.Method+".", http.StatusMethodNotAllowed)
		}
	})
}

// route is what one path answers: to GET a page or, in bytes of its own, raw; to POST a form.
type route struct {
	path string
	page page
	raw  http.HandlerFunc
	form formAction
	ask  confirmation // before the form; nil asks nothing
	slow bool         // the form waits for other servers

	fresh bool // the form needs a person who has proved a moment ago who they are
}

func (o route) allow() string {
	switch {
	case o.page == nil && o.raw == nil:
		return "POST"
	case o.form == nil:
		return "GET, HEAD"
	}
	return "GET, HEAD, POST"
}

// page makes a page. Its frame is put around it.
type page func(r *http.Request) (*templates.Console, error)

func (c *Console) show(w http.ResponseWriter, r *http.Request, a area, p page) {
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

// write puts the frame around a page and sends it.
func (c *Console) write(
	w http.ResponseWriter,
	r *http.Request,
	status int,
	a area,
	p *templates.Console,
) {
	p.Frame = c.frame(r, a)
	templates.Write(w, r, status, *p)
}

// user returns the signed-in user; the guard requires one.
func user(r *http.Request) oauth.Principal {
	p, _ := oauth.FromContext(r.Context())
	return p
}
