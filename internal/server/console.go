package server

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"rialto/bridge/console"
	"rialto/internal/doctor"
	"rialto/internal/guardhttp"

	"github.com/gorilla/mux"
)

// newConsole returns the pages under /account and /admin.
func (s *Server) newConsole() *console.Console {
	return &console.Console{
		Product: s.cfg.Name, OAuth: s.OAuth, Bridge: s.bridge, Admin: s.Operator, Now: time.Now, Log: s.log,
		Vault: s.connections.vault,
	}
}

// runDoctor lets the doctor look at an address for an administrator. This server
// it may reach wherever it is, but no other in the operator's own network.
func (s *Server) runDoctor(ctx context.Context, address string) *doctor.Report {
	guard := &guardhttp.Client{MaxBytes: 1 << 20, Timeout: 10 * time.Second}
	if own, err := url.Parse(s.cfg.URL); err == nil {
		guard.Allowed = []string{own.Host}
	}
	d := &doctor.Doctor{Transport: guard.HTTP().Transport}
	return d.Examine(ctx, address)
}

// redirectMCPConfig lead from the addresses of the pages that were once under
// /mcp/config/ to those of the console. A form keeps its method and its body on
// the way (RFC 9110 section 15.4.8); the guard is there.
func redirectMCPConfig(r *mux.Router) {
	to := func(status int, target func(*http.Request) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			http.Redirect(w, r, target(r), status)
		}
	}
	clients := to(http.StatusSeeOther, func(*http.Request) string { return "/admin/clients" })
	for _, path := range []string{"/mcp/config", "/mcp/config/"} {
		r.Path(path).Methods(http.MethodGet, http.MethodHead).HandlerFunc(clients)
	}
	r.Path("/mcp/config/register").Methods(http.MethodGet, http.MethodHead).HandlerFunc(to(http.StatusSeeOther, func(*http.Request) string { return "/admin/clients/new" }))
	r.Path("/mcp/config/register").Methods(http.MethodPost).HandlerFunc(to(http.StatusTemporaryRedirect, func(*http.Request) string { return "/admin/clients/new" }))
	r.Path("/mcp/config/delete/{client_id}").Methods(http.MethodPost).HandlerFunc(to(http.StatusTemporaryRedirect, func(r *http.Request) string {
		id, err := url.PathUnescape(mux.Vars(r)["client_id"])
		if err != nil {
			id = mux.Vars(r)["client_id"]
		}
		return "/admin/clients/remove?id=" + url.QueryEscape(id)
	}))
}
