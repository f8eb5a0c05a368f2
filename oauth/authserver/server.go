// Package authserver puts the authorization server together: OAuth 2.1 for chat
// connectors that arrive with nothing but a URL. It knows which parts there are,
// their defaults and their routes; it decides nothing about a request.
//
// Where we leave a specification:
//   - RFC 8252 section 7.3 lets the port vary for loopback IP literals only. We
//     let it vary for "localhost" too, because desktop clients register it.
//   - RFC 6749 section 4.1.2.1 redirects every error to the client. A client
//     that registered itself gets errors on a page with a link instead, unless
//     its address is on the user's own computer (RFC 9700 section 4.11.2).
//   - RFC 6749 section 3.3: scopes that we do not know are ignored. The request
//     is refused only if it holds no other scope. Clients ask for all that they know.
//   - RFC 7592 section 3 lets a client read its secret again. We keep a hash of
//     it and send it once, when it is issued.
//   - RFC 8707: the resource may be spelled with a trailing slash or in other
//     letter case. Tokens carry the one spelling that we publish.
package authserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/flow"
	"rialto/oauth/internal/cache"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/jwt"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// Config is what an operator chooses. Issuer, Resource, Name, Scopes, Secret, Now
// and Log are required; every other field has a default.
type Config struct {
	Issuer   string        // origin of this server, "https://bridge.example", no slash at the end
	Resource string        // the default URL that tokens are for, Issuer + "/mcp"; Server.Resources has all
	Name     string        // the product's name on pages
	Scopes   []oauth.Scope // what a client may ask for; offline_access is added by us
	Secret   []byte        // 32 bytes that encrypt the signing keys at rest
	Now      func() time.Time
	Log      *slog.Logger

	// Ordinary are the scopes that clients are invited to ask for, and that a
	// client gets if it names none. nil is all of Scopes but ScopeAdmin.
	Ordinary oauth.ScopeSet

	Lifetimes Lifetimes

	// Algorithm is what access tokens are signed with; "" is ES256. When it
	// changes, the old keys stay valid for what they signed, except to and from
	// HS256, which accepts only tokens made with TokenSecret.
	Algorithm   string
	TokenSecret []byte // 32 bytes or more, for HS256 only

	// Upstreams are issuers whose access tokens the guard accepts, too.
	Upstreams []token.Upstream

	// Clients are the clients of the operator.
	Clients []client.Configured

	// Fetch reads the documents of clients whose ID is a URL (Client ID
	// Metadata Documents). nil knows no such clients.
	Fetch *safehttp.Client

	RedirectPrefixes []string // as in Settings

	Registration Registration

	// NoPasswords turns local accounts off.
	NoPasswords bool

	Passkeys string // one of signin.Passkeys…: the accounts that need a passkey; "" is none

	// Providers are where people may sign in instead, and Pasted is the issuer
	// whose access tokens they may paste.
	Providers []*signin.Provider
	Pasted    *token.Issuer

	// AutoApprove approves every authorization request; nil asks.
	AutoApprove *flow.AutoApproval

	// TrustedProxies are the addresses whose X-Forwarded-For is trusted. The
	// client's address decides about rate limits and nothing else.
	TrustedProxies []netip.Prefix
}

// Registration says who may register clients (RFC 7591).
type Registration struct {
	Mode    string // client.ModeOpen (also ""), ModeToken or ModeClosed
	Token   string // the initial access token
	PerHour int    // from one network; 0 is 10
}

// Lifetimes says how long things last. Zero values are the defaults.
type Lifetimes struct {
	Access      time.Duration // of an access token; 0 is 1 hour
	RefreshIdle time.Duration // of a refresh token that is not used; 0 is 30 days
	Grant       time.Duration // of a grant, however often refreshed; 0 is 90 days
	Code        time.Duration // of an authorization code; 0 is 60 seconds
	Session     time.Duration // of a browser session; 0 is 12 hours

	// Grace is how long a refresh token that was used still answers, with the
	// same successor. 0 is 120 seconds, negative is none.
	Grace time.Duration
}

func (l Lifetimes) orDefault() Lifetimes {
	const day = 24 * time.Hour
	return Lifetimes{
		Access:      cmp.Or(l.Access, time.Hour),
		RefreshIdle: cmp.Or(l.RefreshIdle, 30*day),
		Grant:       cmp.Or(l.Grant, 90*day),
		Code:        cmp.Or(l.Code, time.Minute),
		Session:     cmp.Or(l.Session, 12*time.Hour),
		Grace:       max(0, cmp.Or(l.Grace, 120*time.Second)),
	}
}

// Stores are where the parts keep their state. All fields are required. Every method of every store
// may be called concurrently, from several processes that share one database; each is atomic, and
// what it reports as done is durable.
//
// Bearer secrets (codes, refresh tokens, cookies, handles,
// client secrets) never reach a store, which receives only their hashes.
type Stores struct {
	Keys       token.KeyStore
	Grants     token.GrantStore
	Once       token.OnceStore
	Identities token.IdentityStore
	Clients    client.Store
	Documents  client.DocumentStore
	Accounts   signin.AccountStore
	Guesses    signin.GuessStore
	Sessions   signin.SessionStore
	Passkeys   signin.PasskeyStore
	Setup      signin.SetupStore
	Links      signin.LinkStore
	Logins     signin.LoginStore
	Requests   flow.RequestStore
	Codes      flow.CodeStore
	Expired    ExpiredStore
}

// ExpiredStore forgets what has expired.
type ExpiredStore interface {
	// DropExpired forgets what no rule needs any more. It keeps a client that
	// has a grant, and a used code as long as its grant exists.
	DropExpired(ctx context.Context, x oauth.Expiry) error
}

// Server is the authorization server and the guard of its resources. New makes it.
type Server struct {
	Issuer, Resource, Name string

	Resources    *oauth.Resources
	Scopes       *oauth.Scopes
	Keys         *token.Keys
	Grants       *token.Grants
	Tokens       *token.Tokens
	Guard        *token.Guard
	Clients      *client.Clients
	Fetcher      *client.Fetcher
	Registration *client.Registration
	Accounts     *signin.Accounts
	Sessions     *signin.Sessions
	Passwords    *signin.Passwords
	Pages        *signin.Pages
	Assertions   *signin.Assertions
	Consent      *flow.Consent
	Pushed       *flow.PAR
	Exchange     *flow.TokenEndpoint
	Introspect   *flow.Introspection
	Revoke       *flow.Revocation

	env     *endpoint.Env
	expired ExpiredStore
}

// New puts a server together. Check says whether its configuration is in order.
func New(c Config, in Stores) *Server {
	s := &Server{
		Issuer:   c.Issuer,
		Resource: c.Resource,
		Name:     c.Name,

		Resources: oauth.NewResources(oauth.Resource{URL: c.Resource, Title: c.Name}),

		Scopes:  &oauth.Scopes{All: c.Scopes, Default: c.Ordinary},
		expired: in.Expired,
		env: &endpoint.Env{
			Issuer:         c.Issuer,
			Name:           c.Name,
			Now:            c.Now,
			Log:            c.Log,
			TrustedProxies: c.TrustedProxies,
			Settings:       configured{c},
		},
	}
	life := c.Lifetimes.orDefault()
	s.addTokens(c, in, life)
	authenticator := s.addClients(c, in)
	s.addSignIn(c, in, life)
	s.addEndpoints(c, in, life, authenticator)
	return s
}

// addTokens makes the parts of package token.
func (s *Server) addTokens(c Config, in Stores, life Lifetimes) {
	s.Keys = &token.Keys{
		Store:       in.Keys,
		Secret:      c.Secret,
		Algorithm:   cmp.Or(c.Algorithm, token.ES256),
		TokenSecret: c.TokenSecret,
		Env:         s.env,
	}
	s.Grants = &token.Grants{Store: in.Grants, Env: s.env}
	s.Tokens = &token.Tokens{
		Resources: s.Resources,
		Keys:      s.Keys,
		Grants:    s.Grants,
		Scopes:    s.Scopes,
		Accounts:  in.Accounts,
		AccessTTL: life.Access,
		GrantTTL:  life.Grant,
		Env:       s.env,
	}

	upstreams := &token.Upstreams{
		Trusted:    c.Upstreams,
		Resources:  s.Resources,
		Issuers:    &token.Issuers{Keys: jwt.NewKeySets(c.Now, c.Log), Env: s.env},
		Identities: &token.Identities{Store: in.Identities, Grants: s.Grants, Env: s.env},
		Scopes:     s.Scopes,
		Env:        s.env,
	}
	proofs := &token.Proofs{Store: in.Once, Env: s.env}
	s.Guard = &token.Guard{
		Tokens:    s.Tokens,
		Proofs:    proofs,
		Upstreams: upstreams,
		Scopes:    s.Scopes,
		Env:       s.env,
	}
}

// addClients makes the parts of package client. It returns the one that only endpoints use.
func (s *Server) addClients(c Config, in Stores) *client.Authenticator {
	s.Fetcher = &client.Fetcher{HTTP: c.Fetch, Env: s.env}
	policy := &client.Policy{Fetcher: s.Fetcher, Env: s.env}
	documents := &client.Documents{
		Store:   in.Documents,
		Fetcher: s.Fetcher,
		Policy:  policy,
		Env:     s.env,
	}
	s.Clients = &client.Clients{
		Configured: c.Clients,
		Documents:  documents,
		Policy:     policy,
		Store:      in.Clients,
		Grants:     s.Grants,
		Env:        s.env,
	}
	s.Registration = &client.Registration{
		Clients: s.Clients,
		Policy:  policy,
		Scopes:  s.Scopes,
		Mode:    cmp.Or(c.Registration.Mode, client.ModeOpen),
		Token:   c.Registration.Token,
		PerHour: cmp.Or(c.Registration.PerHour, 10),
		Env:     s.env,
	}
	return &client.Authenticator{
		Clients: s.Clients,
		Fetcher: s.Fetcher,
		Once:    in.Once,
		Keys:    jwt.NewKeySets(c.Now, c.Log),
		Env:     s.env,
	}
}

// addSignIn makes the parts of package signin.
func (s *Server) addSignIn(c Config, in Stores, life Lifetimes) {
	s.Accounts = &signin.Accounts{Store: in.Accounts, Grants: s.Grants, Env: s.env}
	passkeys := &signin.Passkeys{
		Store:    in.Passkeys,
		Once:     in.Once,
		Accounts: s.Accounts,
		Policy:   c.Passkeys,
		Secret:   c.Secret,
		Env:      s.env,
	}
	if !c.NoPasswords {
		passkeys.Open()
	}
	s.Sessions = &signin.Sessions{
		Store:    in.Sessions,
		Passkeys: passkeys,
		TTL:      life.Session,
		Env:      s.env,
	}
	s.Passwords = &signin.Passwords{
		Off:      c.NoPasswords,
		Accounts: s.Accounts,
		Guesses:  in.Guesses,
		Setup:    in.Setup,
		Links:    in.Links,
		Passkeys: passkeys,
		Secret:   c.Secret,
		Env:      s.env,
	}
	providers := &signin.Providers{
		List:       c.Providers,
		Secret:     c.Secret,
		Store:      in.Logins,
		Issuers:    s.Guard.Upstreams.Issuers,
		Identities: s.Guard.Upstreams.Identities,
		Sessions:   s.Sessions,
		Endpoints:  &cache.Fetched[*signin.Endpoints]{Now: c.Now, Log: c.Log},
		Env:        s.env,
	}
	s.Pages = &signin.Pages{
		Secret:    c.Secret,
		Passwords: s.Passwords,
		Passkeys:  passkeys,
		Providers: providers,
		Sessions:  s.Sessions,
		Env:       s.env,
	}
	s.Assertions = &signin.Assertions{Accounts: s.Accounts, Keys: s.Keys, Env: s.env}
}

// addEndpoints makes the parts of package flow.
func (s *Server) addEndpoints(
	c Config,
	in Stores,
	life Lifetimes,
	authenticator *client.Authenticator,
) {
	pasted := &signin.Pasted{
		Issuer:     c.Pasted,
		Secret:     c.Secret,
		Issuers:    s.Guard.Upstreams.Issuers,
		Identities: s.Guard.Upstreams.Identities,
		Env:        s.env,
	}
	requests := &flow.Requests{
		Resources: s.Resources,
		Store:     in.Requests,
		Clients:   s.Clients,
		Scopes:    s.Scopes,
		Env:       s.env,
	}
	s.Consent = &flow.Consent{
		Requests:    requests,
		Store:       in.Requests,
		Pages:       s.Pages,
		Pasted:      pasted,
		Tokens:      s.Tokens,
		Scopes:      s.Scopes,
		CodeTTL:     life.Code,
		AutoApprove: c.AutoApprove,
		Env:         s.env,
	}
	s.Pushed = &flow.PAR{
		Requests:      requests,
		Authenticator: authenticator,
		Proofs:        s.Guard.Proofs,
		Env:           s.env,
	}
	s.Exchange = &flow.TokenEndpoint{
		Store:         in.Codes,
		Authenticator: authenticator,
		Accounts:      s.Accounts,
		Tokens:        s.Tokens,
		Proofs:        s.Guard.Proofs,
		Scopes:        s.Scopes,
		RefreshIdle:   life.RefreshIdle,
		Grace:         life.Grace,
		Env:           s.env,
	}
	s.Introspect = &flow.Introspection{
		Store:         in.Codes,
		Authenticator: authenticator,
		Tokens:        s.Tokens,
		Grace:         life.Grace,
		Env:           s.env,
	}
	s.Revoke = &flow.Revocation{
		Store:         in.Codes,
		Authenticator: authenticator,
		Tokens:        s.Tokens,
		Env:           s.env,
	}
}

// Record sends events to to. Call it before the first request.
func (s *Server) Record(to oauth.Events) { s.env.Events = to }

// Settings are what an operator may change while the server runs.
type Settings = endpoint.Settings

// Follow replaces the settings of the configuration. Call it before the first request.
func (s *Server) Follow(live Settings) { s.env.Settings = live }

// configured are the settings of a configuration that does not change.
type configured struct{ Config }

// Rate implements Settings.
func (configured) Rate(string) int { return 0 }

// RedirectPrefixes implements Settings.
func (c configured) RedirectPrefixes() []string { return c.Config.RedirectPrefixes }

// Secrets implements Settings.
func (configured) Secrets(string) []string { return nil }

// Address returns where a request comes from, as rate limits see it: an IPv6 address counts by its
// network, and trusted proxies may name another address.
func (s *Server) Address(r *http.Request) string { return s.env.Address(r) }

// Check says all that is wrong with the configuration.
func (s *Server) Check() (faults error) {
	for _, check := range []func() error{
		s.Keys.Check,
		s.Clients.Check,
		s.Clients.Policy.Check,
		s.Registration.Check,
		s.Pages.Providers.Check,
		s.Pages.Passkeys.Check,
		func() error { return s.Consent.AutoApprove.Check(s.Consent.Pasted.Issuer) },
		s.Guard.Upstreams.Check,
		s.Consent.Pasted.Check,
	} {
		faults = errors.Join(faults, check())
	}
	return faults
}

// Ready tells whether the server can issue and check tokens: the configuration is in order, the
// store answers, and the signing keys open under the secret. The first call creates a key.
func (s *Server) Ready(ctx context.Context) error {
	if err := s.Check(); err != nil {
		return err
	}
	_, err := s.Keys.Public(ctx)
	return err
}

// Maintain rotates the signing key and forgets what has expired. It is safe to
// call at any time and from any replica. Call it once an hour.
func (s *Server) Maintain(ctx context.Context) error {
	if err := s.Keys.RotateDue(ctx); err != nil {
		return err
	}

	now := s.env.Now()
	return s.expired.DropExpired(ctx, oauth.Expiry{
		Now:     now,
		Grants:  now.Add(-90 * 24 * time.Hour),
		Clients: now.Add(-24 * time.Hour), // that never got a grant
		Grace:   s.Exchange.Grace,
	})
}
