package server

import (
	"encoding/json"
	"net/http"

	"rialto/templates"
)

// docsPage returns the page that shows openapi.json to people. It is rendered once.
func (s *Server) docsPage(spec json.RawMessage) (http.HandlerFunc, error) {
	page, err := templates.ReadDocs(s.cfg.Load().Name, s.cfg.Load().URL, spec)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) {
		templates.Write(w, r, http.StatusOK, page.Matching(r.URL.Query().Get("q")))
	}, nil
}
