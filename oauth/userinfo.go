package oauth

import "net/http"

// userinfo tells a client for whom it acts (OpenID Connect Core 1.0 section
// 5.3). Guard stands before it. sub is that of the access token.
func (s *Server) userinfo(w http.ResponseWriter, r *http.Request) {
	p, _ := FromContext(r.Context())
	writeJSON(w, http.StatusOK, struct {
		Subject string `json:"sub"`
		Name    string `json:"preferred_username"`
	}{p.User, p.Name})
}
