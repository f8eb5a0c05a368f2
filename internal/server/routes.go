package server

import (
	"net/http"

	"rialto/a2a/a2apush"
	"rialto/bridge"
	"rialto/bridge/web"
	"rialto/oauth"
	"rialto/static"
	"rialto/wellknown"

	"github.com/gorilla/mux"
)

// handler serves the routes.
func (s *Server) handler() (http.Handler, error) {
	r, err := s.routes()
	if err != nil {
		return nil, err
	}
	return recoverPanics(s.log, limitBodyTime(logRequests(s.log, rejectInvalidText(direct(r, "/mcp", "/mcp/"))))), nil
}

// routes lists every route and the guard before it. Paths are taken as they
// come: a redirect to a tidier one loses the body and the token of the
// clients that do not follow it.
func (s *Server) routes() (*mux.Router, error) {
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()

	if err := wellknown.Mount(r, s.OAuth.Documents()); err != nil {
		return nil, err
	}
	s.OAuth.Routes(r)
	if err := s.mcpRoutes(r); err != nil {
		return nil, err
	}
	spec, err := s.openAPI()
	if err != nil {
		return nil, err
	}
	if err := wellknown.Mount(r, map[string]any{"/openapi.json": spec}); err != nil {
		return nil, err
	}
	docs, err := s.docs(spec)
	if err != nil {
		return nil, err
	}
	r.Path("/docs").Methods(http.MethodGet, http.MethodHead).HandlerFunc(docs)

	s.newConsole().Routes(r)
	redirectMCPConfig(r)
	documents := &web.Documents{Product: s.cfg.Name, Bridge: s.bridge, Log: s.log}
	r.PathPrefix(bridge.DocumentPath).Handler(s.OAuth.SignedInPage(documents))
	tasks := &web.Tasks{Product: s.cfg.Name, Bridge: s.bridge, Log: s.log}
	connect := &web.Connect{
		Product: s.cfg.Name, Bridge: s.bridge, Vault: s.connections.vault, Log: s.log, App: s.connections.app, Secure: s.cfg.Secure(),
		Changed: s.auditConnection,
	}
	r.PathPrefix(bridge.ConnectPath).Handler(s.OAuth.SignedInPage(connect))
	r.PathPrefix(bridge.TaskPath).Handler(s.OAuth.SignedInPage(tasks))
	r.PathPrefix(bridge.DownloadPath).Handler(&web.Downloads{Product: s.cfg.Name, Bridge: s.bridge, Log: s.log}) // the link is the right to it
	r.PathPrefix(bridge.SharedPath).Handler(&web.Shared{Product: s.cfg.Name, Bridge: s.bridge, Log: s.log})      // and so here
	if s.inbox != nil {
		r.PathPrefix(a2apush.InboxPath).Handler(s.inbox) // each address proves itself
	}
	r.PathPrefix(static.Prefix).Handler(s.brand.Handler())
	r.Path("/healthz").Methods(http.MethodGet, http.MethodHead).HandlerFunc(s.health)
	r.Path("/").Methods(http.MethodGet, http.MethodHead).Handler(s.OAuth.MaybeSignedIn(http.HandlerFunc(s.home)))
	if err := s.a2aRoutes(r); err != nil {
		return nil, err
	}
	r.NotFoundHandler = http.HandlerFunc(s.notFound)
	return r, nil
}

// mcpRoutes lists the routes of the MCP endpoint and the guard before each: a
// page must be able to read the challenge, so what answers its origin is
// outside.
func (s *Server) mcpRoutes(r *mux.Router) error {
	guard := func(h http.Handler) http.Handler { return s.mcp.CORS(s.OAuth.Guard(h, oauth.ScopeTools)) }
	metadata, err := s.mcpDocument()
	if err != nil {
		return err
	}
	description, err := wellknown.Handler(metadata)
	if err != nil {
		return err
	}
	r.Path("/.well-known/mcp-metadata").Handler(description)
	for _, path := range []string{"/mcp", "/mcp/"} {
		r.Path(path).MatcherFunc(wantsMetadata).Handler(s.mcp.CORS(varyByAccept(description)))
		r.Path(path).Handler(guard(s.mcp))
	}
	r.Path("/mcp/initialize").Handler(s.mcp.MethodHandler("initialize", http.MethodPost))
	r.Path("/mcp/tools/list").Handler(s.guardListing(s.mcp.MethodHandler("tools/list", http.MethodGet, http.MethodPost), guard))
	r.Path("/mcp/tools/call").Handler(guard(s.mcp.MethodHandler("tools/call", http.MethodPost)))
	r.Path("/mcp/resources/list").Handler(s.guardListing(s.mcp.MethodHandler("resources/list", http.MethodGet, http.MethodPost), guard))
	r.Path("/mcp/validate").Methods(http.MethodGet, http.MethodHead, http.MethodOptions).Handler(s.mcp.CORS(http.HandlerFunc(s.validate)))
	r.Path("/mcp/health").Methods(http.MethodGet, http.MethodHead, http.MethodOptions).Handler(s.mcp.CORS(http.HandlerFunc(s.mcpHealth)))
	sse := guard(s.mcp.SSE("/mcp/messages"))
	r.Path("/sse").Handler(sse)
	r.Path("/mcp/sse").Handler(sse)
	r.Path("/mcp/messages").Handler(guard(s.mcp.Messages()))
	return nil
}
