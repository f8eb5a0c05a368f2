package authserver

import (
	"net/http"

	"github.com/gorilla/mux"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/signin"
)

// Routes adds every endpoint of the server to r. Those of the protocol answer
// at the root, which is what the metadata names, and under the resource.
func (s *Server) Routes(r *mux.Router) {
	userinfo := s.Guard.Require(http.HandlerFunc(s.userinfo)).ServeHTTP
	for path, h := range map[string]http.Handler{
		"/authorize": endpoint.Methods{http.MethodGet: s.Consent.Show, http.MethodPost: s.Consent.Answer},
		"/token":     endpoint.CORS(endpoint.Methods{http.MethodPost: s.Exchange.ServeHTTP}),
		"/register":  endpoint.CORS(endpoint.Methods{http.MethodPost: s.Registration.Create}),
		"/register/{id}": endpoint.CORS(endpoint.Methods{
			http.MethodGet:    s.Registration.Managed(s.Registration.Read),
			http.MethodPut:    s.Registration.Managed(s.Registration.Replace),
			http.MethodDelete: s.Registration.Managed(s.Registration.Delete),
		}),
		"/revoke": endpoint.CORS(endpoint.Methods{http.MethodPost: s.Revoke.ServeHTTP}),
		// Not for browsers: its callers keep a secret.
		"/introspect": endpoint.Methods{http.MethodPost: s.Introspect.ServeHTTP},
		"/par":        endpoint.CORS(endpoint.Methods{http.MethodPost: s.Pushed.ServeHTTP}),
		"/userinfo":   endpoint.CORS(endpoint.Methods{http.MethodGet: userinfo, http.MethodPost: userinfo}),
	} {
		r.Handle(path, h)
		r.Handle(s.alias(path), h)
	}
	admin := func(do http.HandlerFunc) http.HandlerFunc { return s.Guard.Require(do, oauth.ScopeAdmin).ServeHTTP }
	r.Handle(s.alias("/clients"), endpoint.Methods{http.MethodGet: admin(s.Registration.List)})
	r.Handle(s.alias("/clients/{id}"), endpoint.Methods{http.MethodDelete: admin(s.Registration.Drop)})
	r.Handle("/jwks.json", endpoint.CORS(endpoint.Methods{http.MethodGet: s.jwks}))
	r.Handle("/signin", endpoint.Methods{http.MethodGet: s.Pages.Show, http.MethodPost: s.Pages.Answer})
	r.Handle(signin.CallbackPath+"{provider}", endpoint.Methods{http.MethodGet: s.Consent.ProviderCallback})
	r.Handle("/signout", endpoint.Methods{http.MethodPost: s.Pages.SignOut})
}
