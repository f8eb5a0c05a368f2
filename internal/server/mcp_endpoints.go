package server

import (
	"encoding/json"
	"net/http"
	"slices"

	"rialto/mcp"

	"github.com/gorilla/mux"
)

// wantsMetadata lets a route answer who wants to read what the endpoint is.
func wantsMetadata(r *http.Request, _ *mux.RouteMatch) bool { return wantsDescription(r) }

// varyByAccept tells caches what else an answer to GET depends on.
func varyByAccept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept, MCP-Protocol-Version")
		next.ServeHTTP(w, r)
	})
}

// validation is what a client that is about to be set up wants to know.
type validation struct {
	Valid            bool     `json:"valid"` // whether the tools are there that chat apps look for
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
	v := validation{Name: s.mcp.Name, Version: s.mcp.Version, ProtocolVersions: mcp.Revisions()}
	v.Authentication.Type = "oauth"
	names := s.mcp.ToolNames(r.Context(), "")
	v.Valid = slices.Contains(names, "search") && slices.Contains(names, "fetch")
	if s.cfg.MCP.PublicListing {
		v.Tools = names
	}
	writeStatus(w, http.StatusOK, v)
}

// mcpHealth answers GET /mcp/health: what /healthz says, in JSON.
func (s *Server) mcpHealth(w http.ResponseWriter, r *http.Request) {
	if !s.healthy(r.Context()) {
		writeStatus(w, http.StatusServiceUnavailable, map[string]string{"status": "unavailable"})
		return
	}
	writeStatus(w, http.StatusOK, map[string]string{"status": "ok"})
}

// writeStatus answers with JSON that is true now only.
func writeStatus(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone, and knows
}
