package authserver

import (
	"net/http"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// userinfo tells a client for whom it acts (OpenID Connect Core 1.0 section
// 5.3). Guard stands before it. sub is that of the access token.
func (s *Server) userinfo(w http.ResponseWriter, r *http.Request) {
	p, _ := oauth.FromContext(r.Context())
	endpoint.WriteJSON(w, http.StatusOK, struct {
		Subject string `json:"sub"`
		Name    string `json:"preferred_username"`
	}{p.User, p.Name})
}
