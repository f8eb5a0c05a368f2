package server

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2asign"
	"rialto/bridge/api"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/bridge/proxy"
	"rialto/oauth"
	"rialto/oauth/token"
)

// a2aScopes are the scopes of which a call to an agent needs one: see agentGuard.Allow.
var a2aScopes = []string{oauth.ScopeDiscover, oauth.ScopePublish}

func (s *agentServers) newAgentServer(p agentAddress) *a2aserver.Server {
	proxied := s.bridge.Proxy.Agent(p.agent)
	cards := publishedCards{s, proxied}
	path := directory.AgentPath + p.agent
	if p.root {
		path = "" // only paths of the primary agent are routed to it
	}

	srv := &a2aserver.Server{
		Agent:     proxied.Recorded(),
		URL:       s.address(p),
		Path:      path,
		Lists:     true,
		Others:    grpcInterfaces(s.cfg.Load().Serving.GRPC, p),
		Describer: cards,
		Extender:  cards,
		Guard:     agentGuard{s},
		MaxBody:   int64(s.cfg.Load().Limits.RequestSize),
		Log:       s.log,
	}
	if s.oauth.Keys.Algorithm != token.HS256 { // whose key is not public
		srv.Signer = cardSigner{s.oauth.Keys}
	}
	if s.telemetry != nil {
		srv.Observer = s.telemetry
	}

	return srv
}

// publishedCards are the cards of an agent as this server publishes them.
type publishedCards struct {
	s     *agentServers
	agent *proxy.Agent
}

// Card implements a2aserver.Describer.
func (p publishedCards) Card(ctx context.Context) (*a2a.Card, error) {
	return p.publish(p.agent.Card(ctx))
}

// ExtendedCard implements a2a.Extender.
func (p publishedCards) ExtendedCard(ctx context.Context) (*a2a.Card, error) {
	return p.publish(p.agent.ExtendedCard(ctx))
}

func (p publishedCards) publish(card *a2a.Card, err error) (*a2a.Card, error) {
	if err != nil {
		return nil, err
	}
	return p.s.published(card), nil
}

// published adds to a card what this server offers.
func (s *agentServers) published(card *a2a.Card) *a2a.Card {
	c := *card
	origin := s.cfg.Load().URL
	c.Capabilities.Streaming = true
	c.Capabilities.ExtendedAgentCard = true
	scopes := map[string]string{
		oauth.ScopeDiscover: "See agents and tasks",
		oauth.ScopePublish:  "Give tasks to agents",
	}
	c.SecuritySchemes = map[string]a2a.SecurityScheme{
		"oauth2": {
			Type:              a2a.OAuth2,
			Description:       "Register, have a person log in, and send the access token as a bearer token.",
			OAuth2MetadataURL: origin + "/.well-known/oauth-authorization-server",
			Flows: []a2a.OAuthFlow{
				{
					Grant:            "authorizationCode",
					AuthorizationURL: origin + "/authorize",
					TokenURL:         origin + "/token",
					RefreshURL:       origin + "/token",
					PKCERequired:     true,
					Scopes:           scopes,
				},
			},
		},
		"bearer": {
			Type:         a2a.HTTPAuth,
			Scheme:       "bearer",
			BearerFormat: "JWT",
			Description:  "An access token of this server, however it was had.",
		},
	}
	c.Security = []a2a.SecurityRequirement{
		{"oauth2": a2aScopes},
		{"bearer": {}},
	}
	if slices.Contains(s.oauth.Clients.GrantTypes(), oauth.GrantClientCredentials) {
		c.SecuritySchemes["clientCredentials"] = a2a.SecurityScheme{ // of 1.0, a scheme has one flow
			Type:        a2a.OAuth2,
			Description: "For clients of the operator that ask for themselves.",
			Flows: []a2a.OAuthFlow{{
				Grant:    "clientCredentials",
				TokenURL: origin + "/token",
				Scopes:   scopes,
			}},
		}
		c.Security = append(c.Security, a2a.SecurityRequirement{
			"clientCredentials": a2aScopes,
		})
	}

	return &c
}

// cardSigner signs cards with the server's key.
type cardSigner struct{ keys *token.Keys }

// SignCard implements a2aserver.Signer.
func (c cardSigner) SignCard(card []byte) ([]byte, error) {
	key, jwks, err := c.keys.PublishedKey(context.Background()) // in memory, or a short read
	if err != nil {
		return nil, err
	}
	return a2asign.Sign(card, key, jwks)
}

// agentGuard is the guard of calls to agents.
type agentGuard struct{ s *agentServers }

// Caller implements a2aserver.Guard.
func (agentGuard) Caller(r *http.Request) string { return principal(r) }

// Allow checks the scopes of a call to an agent and the limits of its user.
func (g agentGuard) Allow(h http.Header, r *http.Request, what a2aserver.Access) error {
	p, _ := oauth.FromContext(r.Context())
	scope := oauth.ScopeDiscover
	if what == a2aserver.Write {
		scope = oauth.ScopePublish
	}
	if !p.Has(scope) {
		return &a2a.Error{
			Code: a2a.Forbidden, Message: "the access token does not hold the scope " + scope,
			HTTPStatus: http.StatusForbidden, Challenge: g.s.oauth.Guard.ScopeChallenge(scope),
		}
	}

	return g.s.limits.a2a(r.Context(), h, caller{user: p.User, client: p.ClientID})
}

func (s *Server) newAPI(f *agentServers) *api.API {
	return &api.API{
		Bridge: s.bridge,
		URL:    s.cfg.Load().URL,
		Card: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			agent := mux.Vars(r)["agent"]
			f.ifVisible(f.named(agent), agent).ServeHTTP(w, r)
		}),
		Operator: s.operator,
		Callers:  apiCallers{s},
		Log:      s.log,
	}
}

// apiCallers implements api.Callers.
type apiCallers struct{ *Server }

// Allow implements api.Callers.
func (s apiCallers) Allow(h http.Header, r *http.Request) error {
	p, _ := oauth.FromContext(r.Context())
	return s.limits.a2a(r.Context(), h, caller{user: p.User, client: p.ClientID})
}

// Actor implements api.Callers.
func (s apiCallers) Actor(r *http.Request) operator.Actor { return s.operatorActor(r) }

// crossOrigin lets pages of any origin call next. It is for endpoints that accept
// tokens and no cookies.
func crossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set(
			"Access-Control-Expose-Headers",
			"WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, Location, ETag, A2A-Extensions",
		)
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
		// The star stands for the headers that pages such as ChatGPT's add, but not for Authorization.
		h.Set(
			"Access-Control-Allow-Headers",
			"*, Authorization, Content-Type, DPoP, A2A-Version, A2A-Extensions, X-A2A-Extensions, If-None-Match",
		)
		h.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	})
}

// ifKnown serves an agent to callers whose use cases include it. A disabled agent still
// shows them their tasks.
func (s *agentServers) ifKnown(srv *a2aserver.Server, agent string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if srv == nil || !s.bridge.Proxy.Agent(agent).Exists(r.Context()) {
			writeNoAgent(w, r)
			return
		}
		srv.ServeHTTP(w, r)
	})
}

// serveCard serves the card of an agent: to everybody, or with a token if use cases
// restrict the agent.
func (s *agentServers) serveCard(srv *a2aserver.Server, agent string) http.Handler {
	p := s.bridge.Directory.Lookup(agent)
	switch {
	case srv == nil && agent == "":
		return http.HandlerFunc(writeNoAgent)
	case srv != nil && p != nil && publicCard(p.AgentConfig):
		return http.HandlerFunc(srv.ServeCard)
	}

	return s.oauth.Guard.Require(s.ifVisible(srv, agent), oauth.ScopeDiscover)
}

// ifVisible serves the card of an agent to callers who may give tasks to it.
func (s *agentServers) ifVisible(srv *a2aserver.Server, agent string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if srv == nil || !s.bridge.Proxy.Agent(agent).Visible(r.Context()) {
			writeNoAgent(w, r)
			return
		}
		srv.ServeCard(w, r)
	})
}

// writeNoAgent is the answer for an agent that does not exist or that use cases hide.
func writeNoAgent(w http.ResponseWriter, _ *http.Request) {
	writeError(
		w,
		http.StatusNotFound,
		"not_found",
		"There is no such agent, or not for you. GET /api/v1/agents lists yours.",
	)
}

// reachable returns an error if a card offers an address that no route serves.
func (s *agentServers) reachable(origin string, r *mux.Router) error {
	for _, agent := range s.cfg.Load().Agents {
		name := agent.Name
		srv := s.named(agent.Name)
		if srv == nil {
			continue // a reload adds or removes the agent now
		}
		for _, i := range srv.Interfaces() {
			if i.Binding == a2a.GRPC {
				continue // served beside r
			}
			u, err := url.Parse(i.URL)
			if err != nil || !strings.HasPrefix(i.URL, origin) {
				return fmt.Errorf("serving A2A: the card of %s offers %s, which is not here", name, i.URL)
			}
			var match mux.RouteMatch
			if !r.Match(&http.Request{Method: http.MethodPost, URL: u, Host: u.Host}, &match) ||
				match.MatchErr != nil {
				return fmt.Errorf(
					"serving A2A: the card of %s offers %s, where nothing answers", name, i.URL,
				)
			}
		}
	}
	return nil
}
