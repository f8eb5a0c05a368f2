package server

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/gorilla/mux"

	"rialto/mcp"
)

// wantsMetadata matches requests for the description of the endpoint.
func wantsMetadata(r *http.Request, _ *mux.RouteMatch) bool { return wantsDescription(r) }

// varyByAccept sets Vary for the two answers to GET.
func varyByAccept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept, MCP-Protocol-Version")
		next.ServeHTTP(w, r)
	})
}

// validation is the answer of GET /mcp/validate, for clients that are being set up.
type validation struct {
	Valid            bool     `json:"valid"` // the tools that chat apps require exist
	Name             string   `json:"name"`
	Version          string   `json:"version"`
	ProtocolVersions []string `json:"protocol_versions"`
	Authentication   struct {
		Type string `json:"type"`
	} `json:"authentication"`
	Tools []string `json:"tools,omitempty"`
}

// validate answers GET /mcp/validate.
func (s *Server) validate(w http.ResponseWriter, r *http.Request) {
	v := validation{
		Name:             s.mcp.Info.Name,
		Version:          s.mcp.Info.Version,
		ProtocolVersions: mcp.Revisions(),
	}
	v.Authentication.Type = "oauth"
	names := s.mcp.ToolNames(r.Context(), "")
	v.Valid = slices.Contains(names, "search") && slices.Contains(names, "fetch")
	if s.cfg.Load().MCP.PublicListing {
		v.Tools = names
	}
	writeStatus(w, http.StatusOK, v)
}

// writeStatus writes JSON that must not be cached.
func writeStatus(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone, and knows
}

// writeError writes an error in the form of OAuth (RFC 6749 section 5.2).
func writeError(w http.ResponseWriter, status int, code, description string) {
	writeStatus(w, status, struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
}
