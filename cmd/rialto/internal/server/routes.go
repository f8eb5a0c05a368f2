package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"rialto/a2a/a2apush"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/web"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
	"rialto/static"
	"rialto/wellknown"
)

// handler returns the handler of all routes, inside the outerHandler.
func (s *Server) handler() (http.Handler, error) {
	r, err := s.routes()
	if err != nil {
		return nil, err
	}
	routing, err := newRouting(r)
	return &outerHandler{observer: newObserver(s, ""), next: routing}, err
}

// routes mounts every route with its guard. The first route that matches answers.
// The MCP endpoint comes first, because most requests are for it. Paths are not
// cleaned: clients that do not follow a redirect would lose their body and token.
func (s *Server) routes() (*mux.Router, error) {
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()
	if s.telemetry != nil {
		r.Use(noteRoute)
	}
	err := errors.Join(
		s.mcpRoutes(r),
		cardRoutes(r, s.cfg.Load(), s.mcp, s.bridge.Directory),
		wellknown.Mount(r, s.oauth.Documents()),
	)
	s.oauth.Routes(r) // /authorize, /token, /register …: each endpoint has its own guard
	err = errors.Join(err, docsRoutes(r, s.cfg.Load(), s.oauth.Documents()))
	s.pageRoutes(r)
	r.PathPrefix(static.Prefix).HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { s.brand.Load().Handler().ServeHTTP(w, r) },
	)
	read(r, "/healthz", http.HandlerFunc(s.health.healthz))
	read(r, "/livez", http.HandlerFunc(livez))
	read(r, "/readyz", http.HandlerFunc(s.health.readyz))
	r.Path(reloadPath).Methods(http.MethodPost).Handler(serveReload(s, s.reloadKey))
	err = errors.Join(err, s.a2aRoutes(r))
	r.NotFoundHandler = http.HandlerFunc(s.notFound)
	return r, err
}

// mcpRoutes mounts MCP. CORS is outside the guard, so that web pages can read the 401 challenge.
func (s *Server) mcpRoutes(r *mux.Router) error {
	guard := func(h http.Handler) http.Handler {
		return s.mcp.CORS(s.oauth.Guard.Require(s.bodies.limit(h), oauth.ScopeTools))
	}
	public := guard
	if s.cfg.Load().MCP.PublicListing {
		public = s.bodies.limit
	}
	doc, err := mcpDocument(
		s.mcp, s.oauth.Resource, s.oauth.Documents()["/.well-known/oauth-authorization-server"],
	)
	if err != nil {
		return err
	}
	metadata, err := wellknown.Handler(doc)
	if err != nil {
		return err
	}
	for _, path := range []string{"/mcp", "/mcp/"} {
		r.MatcherFunc(wantsMetadata).Path(path).Handler(s.mcp.CORS(varyByAccept(metadata)))
		r.Path(path).Handler(guard(s.mcp))
	}
	r.Path("/.well-known/mcp-metadata").Handler(metadata)
	r.Path("/mcp/initialize").Handler(s.mcp.MethodHandler("initialize", http.MethodPost))
	r.Path("/mcp/tools/list").Handler(public(s.mcp.MethodHandler("tools/list", http.MethodGet, http.MethodPost)))
	r.Path("/mcp/tools/call").Handler(guard(s.mcp.MethodHandler("tools/call", http.MethodPost)))
	r.Path("/mcp/resources/list").Handler(public(s.mcp.MethodHandler("resources/list", http.MethodGet, http.MethodPost)))
	read(r, "/mcp/validate", s.mcp.CORS(http.HandlerFunc(s.validate)), http.MethodOptions)
	read(r, "/mcp/health", s.mcp.CORS(http.HandlerFunc(s.health.mcp)), http.MethodOptions)
	sse := guard(s.mcp.SSE("/mcp/messages"))
	r.Path("/sse").Handler(sse)
	r.Path("/mcp/sse").Handler(sse)
	r.Path("/mcp/messages").Handler(guard(s.mcp.Messages()))
	return nil
}

// docsRoutes mounts the OpenAPI document and the page that shows it, for everybody.
func docsRoutes(r *mux.Router, cfg *config.Config, metadata map[string]any) error {
	spec, err := openAPI(metadata)
	if err != nil {
		return err
	}
	read(r, "/docs", docsPage(cfg, spec))
	return wellknown.Mount(r, map[string]any{"/openapi.json": spec})
}

// pageRoutes mounts the pages for people.
func (s *Server) pageRoutes(r *mux.Router) {
	console := s.newConsole()
	console.Routes(r) // /account and /admin: a browser session, as an administrator below /admin
	redirectMCPConfig(r)
	signedIn := func(prefix string, page http.Handler) {
		r.PathPrefix(prefix).Handler(s.oauth.Sessions.RequireForPage(s.bodies.limitAnswers(page)))
	}
	site := web.Site{
		Product: s.cfg.Load().Name,
		Bridge:  s.bridge,
		Now:     time.Now,
		Log:     s.log,
		Frame:   console,
	}
	signedIn(documents.DocumentPath, &web.Documents{Site: site})
	signedIn(documents.TaskPath, &web.Tasks{Site: site})
	signedIn(directory.ConnectPath, &web.Connect{
		Site:     site,
		Vault:    s.connections.vault,
		Accounts: agentAccounts{s},
		Secure:   s.cfg.Load().Secure(),
	})
	// These links need no sign-in: they hold a random or signed part.
	r.PathPrefix(documents.DownloadPath).Handler(s.bodies.limitAnswers(&web.Downloads{Site: site}))
	r.PathPrefix(documents.SharedPath).Handler(s.bodies.limitAnswers(&web.Shared{Site: site}))
	read(r, "/", s.oauth.Sessions.Optional(http.HandlerFunc(s.startPage)))
}

// redirectMCPConfig redirects the addresses of the configuration pages below /mcp/config/ to the
// console, which has the guard. A form keeps its method and body (RFC 9110 section 15.4.8).
func redirectMCPConfig(r *mux.Router) {
	to := func(status int, target string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			http.Redirect(w, r, target, status)
		}
	}
	read(r, "/mcp/config", to(http.StatusSeeOther, "/admin/clients"))
	read(r, "/mcp/config/", to(http.StatusSeeOther, "/admin/clients"))
	read(r, "/mcp/config/register", to(http.StatusSeeOther, "/admin/clients/new"))
	r.Path("/mcp/config/register").Methods(http.MethodPost).Handler(to(http.StatusTemporaryRedirect, "/admin/clients/new"))
	r.Path("/mcp/config/delete/{client_id}").Methods(http.MethodPost).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := url.PathUnescape(mux.Vars(r)["client_id"])
		if err != nil {
			id = mux.Vars(r)["client_id"]
		}
		to(http.StatusTemporaryRedirect, "/admin/clients/remove?id="+url.QueryEscape(id))(w, r)
	})
}

// a2aRoutes mounts the A2A servers of the agents and the REST API. The primary
// agent is served at the root, each agent below config.AgentPath. Pages of any
// origin may call them: callers have tokens, not cookies.
func (s *Server) a2aRoutes(r *mux.Router) error {
	agents := newAgentServers(s)
	if err := agents.check(); err != nil {
		return fmt.Errorf("serving A2A: %w", err)
	}
	if s.inbox != nil {
		r.PathPrefix(a2apush.InboxPath).Handler(s.inbox) // push notifications of agents: the address is the secret
	}
	for _, path := range []string{"/.well-known/agent-card.json", "/.well-known/agent.json"} {
		r.Path(path).HandlerFunc(agents.primaryCard)
	}
	primary := agents.guarded(http.HandlerFunc(agents.servePrimary))
	r.Path("/").Methods(http.MethodPost, http.MethodOptions).Handler(primary)
	for _, prefix := range []string{"/message:", "/tasks", "/extendedAgentCard", "/agent/authenticatedExtendedCard", "/v1/"} {
		r.PathPrefix(prefix).Handler(primary)
	}
	guard := func(h http.Handler, scopes ...string) http.Handler {
		return crossOrigin(s.oauth.Guard.Require(s.bodies.limit(h), scopes...))
	}
	s.newAPI(agents).Routes(r, guard, oauth.ScopeDiscover, oauth.ScopePublish, oauth.ScopeAdmin) // below /api/v1
	r.PathPrefix(config.AgentPath).Handler(agents)                                               // guards all but public cards
	return agents.reachable(s.cfg.Load().URL, r)
}

// read mounts h at path for GET, HEAD and more methods.
func read(r *mux.Router, path string, h http.Handler, more ...string) {
	r.Path(path).Methods(append([]string{http.MethodGet, http.MethodHead}, more...)...).Handler(h)
}
