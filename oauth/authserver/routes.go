package authserver

import (
	"net/http"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/gorilla/mux"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/signin"
)

// handler answers a request, or returns why not.
type handler = func(http.ResponseWriter, *http.Request) error

// Routes adds every endpoint of the server to r. Those of the protocol answer
// at the root, which is what the metadata names, and under the resource.
func (s *Server) Routes(r *mux.Router) {
	json := s.env.JSON
	page := s.env.Page // how errors become bytes
	userinfo := s.Guard.Require(http.HandlerFunc(s.userinfo)).ServeHTTP
	for path, h := range map[string]http.Handler{
		"/authorize": endpoint.Methods{http.MethodGet: page(s.Consent.Show), http.MethodPost: page(s.Consent.Answer)},
		"/token":     endpoint.CORS(endpoint.Methods{http.MethodPost: json(s.Exchange.Serve)}),
		"/register":  endpoint.CORS(endpoint.Methods{http.MethodPost: json(s.Registration.Create)}),
		"/register/{id}": endpoint.CORS(endpoint.Methods{
			http.MethodGet:    s.Registration.Managed(s.Registration.Read),
			http.MethodPut:    s.Registration.Managed(s.Registration.Replace),
			http.MethodDelete: s.Registration.Managed(s.Registration.Delete),
		}),
		"/revoke": endpoint.CORS(endpoint.Methods{http.MethodPost: json(s.Revoke.Serve)}),
		// Not for browsers: its callers keep a secret.
		"/introspect": endpoint.Methods{http.MethodPost: json(s.Introspect.Serve)},
		"/par":        endpoint.CORS(endpoint.Methods{http.MethodPost: json(s.Pushed.Serve)}),
		"/userinfo":   endpoint.CORS(endpoint.Methods{http.MethodGet: userinfo, http.MethodPost: userinfo}),
	} {
		r.Handle(path, h)
		r.Handle(s.alias(path), h)
	}

	s.adminRoutes(r)
	for _, path := range []string{"/jwks.json", "/.well-known/jwks.json"} { // clients of older servers read the second
		r.Handle(path, endpoint.CORS(endpoint.Methods{http.MethodGet: json(s.jwks)}))
	}

	s.signInRoutes(r)
}

// signInRoutes adds the pages of the sign-in.
func (s *Server) signInRoutes(r *mux.Router) {
	page := s.env.Page
	show := s.Public(page(s.Pages.Show))
	r.Handle("/signin", endpoint.Methods{http.MethodGet: show, http.MethodPost: page(s.Pages.Answer)})
	r.Handle(
		signin.CallbackPath+"{provider}",
		endpoint.Methods{http.MethodGet: page(s.Consent.ProviderCallback)},
	)
	change := http.RedirectHandler(s.env.Path("/account/password"), http.StatusFound)
	r.Handle("/.well-known/change-password", endpoint.Methods{
		http.MethodGet:  change.ServeHTTP,
		http.MethodHead: change.ServeHTTP,
	})
	r.Handle("/signout", endpoint.Methods{http.MethodPost: page(s.Pages.SignOut)})
}

// adminRoutes adds the endpoints for programs of operators.
func (s *Server) adminRoutes(r *mux.Router) {
	guarded := func(do handler) http.HandlerFunc {
		return s.Guard.Require(s.env.JSON(do), oauth.ScopeAdmin).ServeHTTP
	}
	list := guarded(s.Registration.List)
	drop := guarded(s.Registration.Drop)
	r.Handle(s.alias("/clients"), endpoint.Methods{http.MethodGet: list})
	r.Handle(s.alias("/clients/{id}"), endpoint.Methods{http.MethodDelete: drop})
}

// Public bounds what a page that everybody may open costs. A refusal is a page with status 429.
func (s *Server) Public(page http.Handler) http.HandlerFunc { return s.env.Public(page) }

// jwks serves the public keys (RFC 7517).
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) error {
	keys, err := s.Keys.Public(r.Context())
	if err != nil {
		return err
	}

	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "public, max-age=300") // less than keyLead
	w.Header().Set("X-Content-Type-Options", "nosniff")
	json.MarshalWrite(
		w, jose.JSONWebKeySet{Keys: keys},
	) // an error here means that the client has gone
	return nil
}

// userinfo tells a client for which account it acts (OpenID Connect Core 1.0 section 5.3).
func (s *Server) userinfo(w http.ResponseWriter, r *http.Request) {
	p, _ := oauth.FromContext(r.Context())
	endpoint.WriteJSON(w, http.StatusOK, struct {
		Subject string `json:"sub"`
		Name    string `json:"preferred_username"`
	}{p.User, p.Name})
}
