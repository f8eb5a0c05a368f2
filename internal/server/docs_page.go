package server

import (
	"encoding/json"
	"net/http"

	"rialto/templates"
)

// docs shows people what openapi.json says to programs. It is read once.
func (s *Server) docs(spec json.RawMessage) (http.HandlerFunc, error) {
	page, err := templates.ReadDocs(s.cfg.Name, s.cfg.URL, spec)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) { templates.Write(w, r, http.StatusOK, page) }, nil
}
