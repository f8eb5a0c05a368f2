package server

import (
	"net/http"

	"rialto/templates"
)

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	templates.Write(w, r, http.StatusNotFound, templates.Problem{
		Product: s.cfg.Load().Name,
		Title:   "Page not found",
		Detail:  "This address doesn't exist on this server.",
		Remedy:  "To connect a chat app, use this address.", Connector: s.oauth.Resource,
		Way: "/", WayTo: "Go to the start page",
	})
}
