package authserver

import (
	"net/http"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

// jwks publishes the public keys (RFC 7517).
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) {
	keys, err := s.Keys.Public(r.Context())
	if err != nil {
		s.Env.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "public, max-age=300") // less than keyLead
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := json.MarshalWrite(w, jose.JSONWebKeySet{Keys: keys}); err != nil {
		s.Keys.Log.DebugContext(r.Context(), "oauth: keys not sent", "error", err)
	}
}
