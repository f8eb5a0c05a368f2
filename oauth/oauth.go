// Package oauth is the authorization server, and the guard before what it
// protects: OAuth 2.1 for chat connectors that arrive with nothing but a URL.
// It knows neither MCP nor A2A: a resource is a URL, a permission is a word
// (scope.go lists those that it knows by name).
//
// One file per endpoint (authorize.go, token.go, register.go, manage.go,
// par.go, revoke.go, introspect.go, userinfo.go, metadata.go, signin.go), and one
// for each other thing with a name on the wire: document.go for clients whose ID is
// a URL, dpop.go for proofs of possession, exchange.go for tokens that are traded
// for lesser ones. People sign in here (signin.go), at an identity provider and
// come back (login.go), or paste a token that they have (pasted.go). guard.go
// stands before the resource, and upstream.go lets tokens of other issuers through
// it. Every
// state change is one step of a Store, which the package declares (store.go)
// and internal/store implements; oauthtest.TestStore holds the contract.
//
// Where we leave a specification:
//   - RFC 8252 section 7.3 lets the port vary for loopback IP literals only. We
//     let it vary for "localhost" too, because desktop clients register it.
//   - RFC 6749 section 4.1.2.1 redirects every error to the client. A client
//     that registered itself gets errors on a page with a link instead, unless
//     its address is on the user's own computer (RFC 9700 section 4.11.2).
//   - RFC 6749 section 3.3: scopes we do not know are ignored, and refused only
//     when nothing else was asked for. Clients ask for all that they know.
//   - RFC 7592 section 3 lets a client read its secret again. We keep a hash of
//     it and say it once, when it is given.
//   - RFC 8707: the resource may be spelled with a trailing slash or in other
//     letter case. Tokens carry the one spelling we publish.
package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"golang.org/x/sync/singleflight"

	"rialto/internal/guardhttp"
)

// Server is the authorization server and the guard of one resource. Issuer,
// Resource, Name, Scopes, Store, Secret, Now and Log are required; every other
// field has a sound default. It must not be copied after its first use.
type Server struct {
	Issuer   string  // origin of this server, "https://bridge.example", no slash at the end
	Resource string  // the URL that tokens are for, Issuer + "/mcp"
	Name     string  // the product's name on pages
	Scopes   []Scope // what a client may ask for; offline_access is added by us
	Store    Store
	Secret   []byte // 32 bytes that encrypt the signing keys at rest
	Now      func() time.Time
	Log      *slog.Logger

	// Ordinary are the scopes that clients are invited to ask for, and that one
	// gets which names none. nil is all of Scopes but ScopeAdmin.
	Ordinary ScopeSet

	// Events is told what happens; nil tells nobody.
	Events Events

	// Opens names what a grant for some use cases, or for all, reaches: agents, in
	// words for the consent page. It must not wait. nil names nothing.
	Opens func(some []string, all bool) []string

	// Clients are known beforehand. Check says whether they are in order.
	Clients []ConfiguredClient

	// NoPasswords turns local accounts off.
	NoPasswords bool

	// Providers are where people may sign in instead, and Pasted is the issuer
	// whose access tokens they may paste.
	Providers []*Provider
	Pasted    *Issuer

	// AutoApprove lets everybody in; nil asks.
	AutoApprove *AutoApproval

	// Fetch reads the documents of clients whose ID is a URL (Client ID
	// Metadata Documents). nil knows no such clients.
	Fetch *guardhttp.Client

	// Upstreams are issuers whose access tokens the guard lets through, too.
	Upstreams []Upstream

	// Algorithm is what access tokens are signed with; "" is ES256. When it
	// changes the keys of the old one stay good for what they signed, except
	// to and from HS256, which knows the tokens made with TokenSecret alone.
	Algorithm   string
	TokenSecret []byte // 32 bytes or more, for HS256 only

	// ProofNonces makes a DPoP proof hold a nonce that the server has given out
	// lately (RFC 9449 sections 8 and 9). Without it a proof is good for a
	// minute, once.
	ProofNonces bool

	AccessTTL       time.Duration // life of an access token; 0 is 1 hour
	RefreshIdle     time.Duration // life of a refresh token that is not used; 0 is 30 days
	RefreshAbsolute time.Duration // life of a grant, however often refreshed; 0 is 90 days
	CodeTTL         time.Duration // life of an authorization code; 0 is 60 seconds
	SessionTTL      time.Duration // life of a browser session; 0 is 12 hours

	// Grace is how long a refresh token that was used still answers, with the
	// same successor: clients race with themselves and lose responses. 0 is
	// 120 seconds, negative is none.
	Grace time.Duration

	// Schemes lists the private-use URI schemes that a client may register
	// for its redirect URI (RFC 8252 section 7.1). nil is "cursor" alone.
	Schemes []string

	// RedirectPrefixes, if any, are where https redirect URIs of clients that
	// register or bring a document must lead: to the same host, and to the path
	// or below it. Addresses on people's own computers are not their matter.
	RedirectPrefixes []string

	// RegistrationsPerHour bounds dynamic registration for one address; 0 is
	// 10. All addresses together may register sixty times as many.
	RegistrationsPerHour int

	// TrustedProxies are the addresses whose X-Forwarded-For is believed. The
	// client's address decides about rate limits and nothing else.
	TrustedProxies []netip.Prefix

	keys     keyring
	verified cache[[32]byte, Principal] // tokens whose signature was checked
	grants   recent[*Grant]
	uses     uses // of grants

	foreign  cache[[32]byte, sighting[Principal]] // tokens of Upstreams
	clients  recent[*Client]                      // that registered themselves
	limits   limiter
	failures backoff
	hashing  gate

	fetches     singleflight.Group
	returning   singleflight.Group // from providers
	fetching    gate
	fetchFailed cache[string, time.Time] // by client ID

	keysOfClients cache[string, fetchedKeys] // by address
	keysOfIssuers cache[string, fetchedKeys] // by issuer
	endpointsOf   cache[string, *endpoints]  // by provider
	csrf          http.CrossOriginProtection
}

// Routes adds every endpoint of the server to r. Those of the protocol answer
// at the root, which is what the metadata names, and under the resource.
func (s *Server) Routes(r *mux.Router) {
	userinfo := s.Guard(http.HandlerFunc(s.userinfo)).ServeHTTP
	for path, endpoint := range map[string]http.Handler{
		"/authorize": methods{http.MethodGet: s.showAuthorize, http.MethodPost: s.answerAuthorize},
		"/token":     cors(methods{http.MethodPost: s.token}),
		"/register":  cors(methods{http.MethodPost: s.register}),
		"/register/{id}": cors(methods{
			http.MethodGet:    s.managed(s.readClient),
			http.MethodPut:    s.managed(s.replaceClient),
			http.MethodDelete: s.managed(s.deleteClient),
		}),
		"/revoke": cors(methods{http.MethodPost: s.revoke}),
		// Not for browsers: its callers keep a secret.
		"/introspect": methods{http.MethodPost: s.introspect},
		"/par":        cors(methods{http.MethodPost: s.par}),
		"/userinfo":   cors(methods{http.MethodGet: userinfo, http.MethodPost: userinfo}),
	} {
		r.Handle(path, endpoint)
		r.Handle(s.alias(path), endpoint)
	}
	admin := func(do http.HandlerFunc) http.HandlerFunc { return s.Guard(do, ScopeAdmin).ServeHTTP }
	r.Handle(s.alias("/clients"), methods{http.MethodGet: admin(s.listClients)})
	r.Handle(s.alias("/clients/{id}"), methods{http.MethodDelete: admin(s.dropClient)})
	r.Handle("/jwks.json", cors(methods{http.MethodGet: s.jwks}))
	r.Handle("/signin", methods{
		http.MethodGet:  s.showSignIn,
		http.MethodPost: s.answerSignIn,
	})
	r.Handle(callbackPath+"{provider}", methods{http.MethodGet: s.providerCallback})
	r.Handle("/signout", methods{http.MethodPost: s.signOut})
}

// Ready says whether the server can issue and check tokens: Check finds
// nothing, the store answers, and the signing keys open under Secret. The first call creates a key.
func (s *Server) Ready(ctx context.Context) error {
	if err := s.Check(); err != nil {
		return err
	}
	_, err := s.publicKeys(ctx)
	return err
}

// Maintain does what time demands: it rotates the signing key and forgets what
// has expired. It is safe to call at any time and from any replica; once an
// hour is right.
func (s *Server) Maintain(ctx context.Context) error {
	if s.Algorithm != HS256 {
		if err := s.rotateKeys(ctx); err != nil {
			return err
		}
	}
	return s.Store.DropExpired(ctx, s.expiry())
}

// secure tells whether the issuer is reached over TLS.
func (s *Server) secure() bool { return strings.HasPrefix(s.Issuer, "https:") }

// Check says what is wrong with the fields of s that an operator chooses.
func (s *Server) Check() error {
	return errors.Join(s.checkAlgorithm(), s.checkClients(), s.checkPrefixes(), s.checkProviders(), s.AutoApprove.check(s.Pasted), s.checkUpstreams(), s.checkPasted())
}
