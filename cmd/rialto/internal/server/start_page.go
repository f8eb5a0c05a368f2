package server

import (
	"net/http"

	"rialto/oauth"
	"rialto/templates"
)

func (s *Server) startPage(w http.ResponseWriter, r *http.Request) {
	page := templates.Home{
		Product:  s.cfg.Load().Name,
		URL:      s.oauth.Resource,
		Snippets: templates.Snippets(s.oauth.Resource),
	}
	if who, ok := oauth.FromContext(r.Context()); ok {
		page.User, page.SignOut, page.Admin = who.Name, "/signout", who.Has(oauth.ScopeAdmin)
	}

	for _, a := range s.bridge.Directory.CachedInfos(r.Context(), s.bridge.Directory.Access(r.Context())) {
		page.Agents = append(page.Agents, templates.HomeAgent{
			Name:        a.Name,
			Title:       a.Title,
			Description: a.Description,
			Ready:       a.Available,
			Away:        a.Problem != "",
		})
	}

	templates.Write(w, r, http.StatusOK, page)
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	templates.Write(w, r, http.StatusNotFound, templates.Problem{
		Product: s.cfg.Load().Name,
		Title:   "Page not found",
		Detail:  "This address does not exist on this server.",
		Remedy:  "To connect a chat app, use this address.", Connector: s.oauth.Resource,
		Way: "/", WayTo: "Go to the start page",
	})
}
