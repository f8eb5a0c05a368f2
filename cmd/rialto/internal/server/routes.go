package server

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"rialto/a2a/a2apush"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/startpage"
	"rialto/bridge/uploads"
	"rialto/bridge/web"
	"rialto/cmd/rialto/internal/compression"
	"rialto/oauth"
	"rialto/static"
	"rialto/templates"
	"rialto/wellknown"
)

// handler returns the handler of all routes, inside the outerHandler.
func (s *Server) handler() (http.Handler, error) {
	r, err := s.routes()
	if err != nil {
		return nil, err
	}
	return &outerHandler{observer: newObserver(s), next: textAddresses(r)}, nil
}

// routes mounts every route with its guard. The first route that matches answers.
// The MCP endpoint comes first, because most requests are for it. Paths are not
// cleaned: clients that do not follow a redirect would lose their body and token.
func (s *Server) routes() (*mux.Router, error) {
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()
	if s.telemetry != nil {
		r.Use(noteRoute)
	}

	compress, err := compression.New()
	if err != nil {
		return nil, err
	}

	err = errors.Join(
		s.mcpRoutes(s.door(r, "mcp")),
		cardRoutes(r, s.cfg.Load(), s.mcp, s.bridge.Directory),
		wellknown.Mount(r, s.oauth.Documents()),
	)
	s.oauth.Routes(s.door(r, "login")) // /authorize, /token, /register …: each endpoint has its own guard
	err = errors.Join(err, s.docsRoutes(r, compress.Public))
	s.pageRoutes(s.door(r, "pages"), compress.Pages)
	wellknown.MountSecurity(r, s.cfg.Load().Serving.SecurityContact, s.cfg.Load().URL)
	for _, path := range []string{static.Favicon, static.TouchIcon, static.Manifest, static.Robots} {
		read(r, path, http.HandlerFunc(s.serveStatic))
	}
	r.PathPrefix(static.Prefix).Handler(compress.Public(http.HandlerFunc(s.serveStatic)))
	read(r, "/healthz", http.HandlerFunc(s.health.healthz))
	read(r, "/livez", http.HandlerFunc(livez))
	read(r, "/readyz", http.HandlerFunc(s.health.readyz))
	r.Path(reloadPath).Methods(http.MethodPost).Handler(serveReload(s, s.reloading.key))
	if s.webhooks.inbox != nil {
		r.PathPrefix(a2apush.InboxPath).Handler(s.webhooks.inbox) // push notifications of agents: the address is the secret
	}

	agents := newAgentServers(s)
	s.apiRoutes(s.door(r, "rest"), agents)
	s.a2aRoutes(s.door(r, "a2a"), agents)
	r.NotFoundHandler = http.HandlerFunc(s.notFound)
	return r, errors.Join(err, agents.check(), agents.reachable(s.cfg.Load().URL, r))
}

// door returns a router for the routes of one part of the server, whose refusals are counted under
// its name.
func (s *Server) door(r *mux.Router, name string) *mux.Router {
	door := r.NewRoute().Subrouter()
	if s.telemetry != nil {
		door.Use(noteDoor(name))
	}
	return door
}

// mcpRoutes mounts MCP. CORS is outside the guard, so that web pages can read the 401 challenge.
func (s *Server) mcpRoutes(r *mux.Router) error {
	byDefault := s.oauth.Guard.For(s.oauth.Resources.Default())
	guard := func(h http.Handler) http.Handler {
		return s.mcp.CORS(byDefault.Require(s.bodies.Limit(h), oauth.ScopeTools))
	}
	public := guard
	if s.cfg.Load().MCP.PublicListing {
		public = s.bodies.Limit
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

	r.PathPrefix("/").MatcherFunc(s.connectors.Match)
	for _, path := range []string{"/mcp", "/mcp/"} {
		r.MatcherFunc(wantsMetadata).Path(path).Handler(s.mcp.CORS(varyByAccept(metadata)))
		r.Path(path).Handler(guard(s.mcp))
	}

	r.Path("/.well-known/mcp-metadata").Handler(metadata)
	r.Path("/mcp/initialize").Handler(s.mcp.MethodHandler("initialize", http.MethodPost))
	listing := func(method string) http.Handler {
		return public(s.mcp.MethodHandler(method, http.MethodGet, http.MethodPost))
	}
	r.Path("/mcp/tools/list").Handler(listing("tools/list"))
	r.Path("/mcp/tools/call").Handler(guard(s.mcp.MethodHandler("tools/call", http.MethodPost)))
	r.Path("/mcp/resources/list").Handler(listing("resources/list"))
	read(r, "/mcp/validate", s.mcp.CORS(http.HandlerFunc(s.validate)), http.MethodOptions)
	read(r, "/mcp/health", s.mcp.CORS(http.HandlerFunc(s.health.mcp)), http.MethodOptions)
	sse := guard(s.mcp.SSE("/mcp/messages"))
	r.Path("/sse").Handler(sse)
	r.Path("/mcp/sse").Handler(sse)
	r.Path("/mcp/messages").Handler(guard(s.mcp.Messages()))
	return nil
}

// serveStatic serves the files of pages with the look that is in force.
func (s *Server) serveStatic(w http.ResponseWriter, r *http.Request) {
	s.brand.Load().Handler().ServeHTTP(w, r)
}

// docsRoutes mounts the OpenAPI document and the page that shows it, for everybody.
func (s *Server) docsRoutes(r *mux.Router, compress mux.MiddlewareFunc) error {
	spec, err := openAPI(s.oauth.Documents())
	if err != nil {
		return err
	}

	document, err := wellknown.Handler(spec)
	if err != nil {
		return err
	}

	read(r, "/docs", compress(s.oauth.Public(docsPage(s.cfg.Load(), spec))))
	r.Handle("/openapi.json", compress(s.oauth.Public(document)))
	return nil
}

// pageRoutes mounts the pages for people. Those without one-time secrets are compressed.
func (s *Server) pageRoutes(r *mux.Router, compress mux.MiddlewareFunc) {
	compressed := r.NewRoute().Subrouter()
	compressed.Use(compress)
	console := s.newConsole()
	console.Routes(compressed) // /account and /admin: a browser session, as an administrator below /admin
	redirectMCPConfig(r)
	signedIn := func(r *mux.Router, prefix string, page http.Handler) {
		r.PathPrefix(prefix).Handler(s.oauth.Sessions.RequireForPage(s.bodies.limitAnswers(page)))
	}
	site := web.Site{
		Product: s.cfg.Load().Name,
		Bridge:  s.bridge,
		Now:     time.Now,
		Log:     s.log,
		Frame:   console,
	}
	signedIn(compressed, documents.DocumentPath, &web.Documents{Site: site})
	signedIn(compressed, documents.TaskPath, &web.Tasks{Site: site})
	signedIn(r, directory.ConnectPath, &web.Connect{
		Site:     site,
		Vault:    s.connections.vault,
		Accounts: agentAccounts{s},
		Secure:   s.cfg.Load().Secure(),
	})
	// These links need no sign-in: they hold a random or signed part.
	r.PathPrefix(documents.DownloadPath).Handler(s.bodies.limitAnswers(&web.Downloads{Site: site}))
	r.PathPrefix(uploads.Path).Handler(&web.Uploads{Site: site})
	shared := s.bodies.limitAnswers(&web.Shared{Site: site})
	r.PathPrefix(documents.SharedPath).Handler(s.oauth.Sessions.Optional(shared))
	read(compressed, "/", s.oauth.Public(s.oauth.Sessions.Optional(&startpage.Home{
		Site:     site,
		URL:      s.oauth.Resource,
		Snippets: templates.Snippets(s.oauth.Resource),
		Operator: s.operator,
	})))
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
	form := func(path string, h http.HandlerFunc) { r.Path(path).Methods(http.MethodPost).Handler(h) }
	form("/mcp/config/register", to(http.StatusTemporaryRedirect, "/admin/clients/new"))
	form("/mcp/config/delete/{client_id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := url.PathUnescape(mux.Vars(r)["client_id"])
		if err != nil {
			id = mux.Vars(r)["client_id"]
		}
		to(http.StatusTemporaryRedirect, "/admin/clients/remove?id="+url.QueryEscape(id))(w, r)
	})
}

// apiRoutes mounts the REST API below /api/v1. Pages of any origin may call it: callers have tokens,
// not cookies.
func (s *Server) apiRoutes(r *mux.Router, agents *agentServers) {
	guard := func(h http.Handler, scopes ...string) http.Handler {
		return crossOrigin(s.oauth.Guard.Require(s.bodies.Limit(h), scopes...))
	}
	s.newAPI(agents).Routes(r, guard, oauth.ScopeDiscover, oauth.ScopePublish, oauth.ScopeAdmin)
}

// a2aRoutes mounts the A2A servers of the agents: the primary agent at the root, each agent below
// directory.AgentPath. Pages of any origin may call them, too.
func (s *Server) a2aRoutes(r *mux.Router, agents *agentServers) {
	for _, path := range []string{"/.well-known/agent-card.json", "/.well-known/agent.json"} {
		r.Path(path).HandlerFunc(agents.primaryCard)
	}

	primary := agents.guarded(http.HandlerFunc(agents.servePrimary))
	r.Path("/").Methods(http.MethodPost, http.MethodOptions).Handler(primary)
	for _, prefix := range []string{
		"/message:", "/tasks", "/extendedAgentCard", "/agent/authenticatedExtendedCard", "/v1/",
	} {
		r.PathPrefix(prefix).Handler(primary)
	}

	r.PathPrefix(directory.AgentPath).Handler(agents) // guards all but public cards
}

// read mounts h at path for GET, HEAD and more methods.
func read(r *mux.Router, path string, h http.Handler, more ...string) {
	r.Path(path).Methods(append([]string{http.MethodGet, http.MethodHead}, more...)...).Handler(h)
}
