package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/flow"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// SignIn sets who may sign in, and how.
type SignIn struct {
	Local       bool        `koanf:"local"`
	Passkeys    string      `koanf:"passkeys"`
	OIDC        []Provider  `koanf:"oidc"`
	PastedToken PastedToken `koanf:"pasted_token"`
	AutoApprove AutoApprove `koanf:"auto_approve"`
}

// Provider is an OpenID Connect provider.
type Provider struct {
	ID             string   `koanf:"id"`
	Name           string   `koanf:"name"`
	Issuer         string   `koanf:"issuer"`
	ClientID       string   `koanf:"client_id"`
	ClientSecret   Secret   `koanf:"client_secret"`
	Scopes         []string `koanf:"scopes"`
	PrivateNetwork bool     `koanf:"private_network"`
	NameClaim      string   `koanf:"name_claim"`
	UseCasesClaim  string   `koanf:"usecases_claim"`
	Admin          Claim    `koanf:"admin"`
	Allow          Claim    `koanf:"allow"`
	EmailDomains   []string `koanf:"email_domains"`
	Lifetime       string   `koanf:"lifetime"`

	// Set by variables alone. A provider that names them in its metadata needs none.
	AuthorizationURL string `koanf:"-" variable:"authorization_url"`
	TokenURL         string `koanf:"-" variable:"token_url"`
	UserInfoURL      string `koanf:"-" variable:"userinfo_url"`
	KeysURL          string `koanf:"-" variable:"jwks_url"`
}

// Claim is met if the claim contains one of the values.
type Claim struct {
	Claim  string   `koanf:"claim"`
	Values []string `koanf:"values"`
}

// PastedToken is the issuer whose access tokens people may paste.
type PastedToken struct {
	Issuer         string   `koanf:"issuer"`
	Audiences      []string `koanf:"audiences"`
	PrivateNetwork bool     `koanf:"private_network"`

	KeysURL string `koanf:"-" variable:"jwks_url"`
}

// AutoApprove approves all apps without a question, for staging.
type AutoApprove struct {
	Enabled bool   `koanf:"enabled"`
	UseCase string `koanf:"usecase"`
	Token   Secret `koanf:"token"`
}

// maxIdentityDocument limits the metadata and key sets of identity providers. Some have
// a certificate chain with each key.
const maxIdentityDocument = 256 << 10

// newFetcher returns the HTTP client for an identity provider. If private is set, the
// hosts of addresses may be in a private network.
func newFetcher(private bool, addresses ...string) *safehttp.Client {
	client := &safehttp.Client{MaxBytes: maxIdentityDocument, Timeout: 8 * time.Second}
	if private {
		hosts := AllowedHosts(addresses...)
		client.Allowed = func() []string { return hosts }
	}
	return client
}

// AllowedHosts returns the hosts of addresses with their ports, so that other ports of the machines
// are not allowed.
func AllowedHosts(addresses ...string) (hosts []string) {
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			continue
		}
		port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
		hosts = append(hosts, net.JoinHostPort(u.Hostname(), port))
	}
	return hosts
}

// provider returns the provider for the authorization server.
func (p Provider) provider() (*signin.Provider, error) {
	secret, err := p.ClientSecret.value()
	if err != nil {
		return nil, fmt.Errorf("client_secret: %w", err)
	}

	var lifetime time.Duration
	if p.Lifetime != "" {
		lifetime, err = time.ParseDuration(p.Lifetime)
		if err != nil || lifetime <= 0 {
			return nil, fmt.Errorf("lifetime: %q is not a duration such as 12h", p.Lifetime)
		}
	}

	return &signin.Provider{
		ID:   p.ID,
		Name: p.Name,
		Issuer: token.Issuer{
			URL:     p.Issuer,
			KeysURL: p.KeysURL,
			Fetch: newFetcher(
				p.PrivateNetwork,
				p.Issuer,
				p.KeysURL,
				p.AuthorizationURL,
				p.TokenURL,
				p.UserInfoURL,
			),
		},
		ClientID:         p.ClientID,
		ClientSecret:     secret,
		Scopes:           p.Scopes,
		AuthorizationURL: p.AuthorizationURL,
		TokenURL:         p.TokenURL,
		UserInfoURL:      p.UserInfoURL,
		NameClaim:        p.NameClaim,
		UseCases:         p.UseCasesClaim,
		Admin:            signin.Rule(p.Admin),
		Allow:            signin.Rule(p.Allow),
		Domains:          p.EmailDomains,
		Lifetime:         lifetime,
	}, nil
}

// issuer returns the issuer of pasted tokens, or nil. The default audience is this server.
func (c PastedToken) issuer(address string) *token.Issuer {
	if c.Issuer == "" {
		return nil
	}

	audiences := c.Audiences
	if len(audiences) == 0 {
		audiences = []string{address}
	}

	return &token.Issuer{
		URL:       c.Issuer,
		KeysURL:   c.KeysURL,
		Audiences: audiences,
		Fetch:     newFetcher(c.PrivateNetwork, c.Issuer, c.KeysURL),
	}
}

// Apply sets who may sign in.
func (c SignIn) Apply(as *authserver.Config) error {
	as.NoPasswords = !c.Local
	as.Passkeys = c.Passkeys
	for i, o := range c.OIDC {
		p, err := o.provider()
		if err != nil {
			return fmt.Errorf("sign_in: oidc[%d].%w", i, err)
		}
		as.Providers = append(as.Providers, p)
	}

	as.Pasted = c.PastedToken.issuer(as.Issuer)
	if !c.AutoApprove.Enabled {
		return nil
	}

	token, err := c.AutoApprove.Token.value()
	if err != nil {
		return fmt.Errorf("sign_in: auto_approve.token: %w", err)
	}

	as.AutoApprove = &flow.AutoApproval{UseCase: c.AutoApprove.UseCase, Token: token}
	return nil
}

// SignsInPages tells whether people can sign in to pages. A pasted token only approves an app.
func (c SignIn) SignsInPages() bool { return c.Local || len(c.OIDC) > 0 }

// SignInMethods lists the ways to sign in, a line each.
func (c SignIn) SignInMethods(address string) []string {
	var all []string
	if c.AutoApprove.Enabled {
		all = append(all, "EVERYBODY, without a question")
	}
	if c.Local {
		all = append(all, "local accounts")
	}
	for _, o := range c.OIDC {
		all = append(
			all,
			fmt.Sprintf(
				"%s at %s, callback %s/oauth/callback/%s",
				cmp.Or(o.Name, o.ID), o.Issuer, address, o.ID,
			),
		)
	}
	if is := c.PastedToken.issuer(address); is != nil {
		all = append(
			all,
			fmt.Sprintf("access tokens of %s for %s", is.URL, strings.Join(is.Audiences, ", ")),
		)
	}

	return all
}

// checkMethods requires a way to sign in.
func (c *Config) checkMethods() error {
	if len(c.SignIn.SignInMethods(c.URL)) == 0 {
		return errors.New(
			"sign_in: there is no way to sign in: set sign_in.local to true, or configure sign_in.oidc or sign_in.pasted_token",
		)
	}
	return nil
}

// checkScope checks the default scope and use case.
func (c *Config) checkScope() error {
	for word := range strings.FieldsSeq(c.Apps.DefaultScope) {
		known := slices.ContainsFunc(
			Scopes, func(s oauth.Scope) bool { return s.Name == word && word != oauth.ScopeAdmin },
		)
		if !known && oauth.UseCase(word) == "" {
			return fmt.Errorf("default_scope: there is no scope %q", word)
		}
	}

	if c.Calls.ForceUseCase != "" &&
		(c.Calls.ForceUseCase == "*" || oauth.UseCase(oauth.ScopeTools+":"+c.Calls.ForceUseCase) == "") {
		return fmt.Errorf("force_usecase: %q cannot be a use case", c.Calls.ForceUseCase)
	}

	return nil
}

// Scope returns the scope of a client that requests none.
func (c *Config) Scope() oauth.ScopeSet {
	if c.Apps.DefaultScope == "" {
		return oauth.ScopeSet{oauth.ScopeTools}
	}
	return strings.Fields(c.Apps.DefaultScope)
}

// stagingStages are the stages in which automatic approval is allowed.
func stagingStages() []string {
	return []string{"dev", "development", "local", "test", "stg", "staging"}
}

// checkAutoApprove rejects automatic approval at a public address outside staging. With
// a loopback URL the listen address decides.
func (c *Config) checkAutoApprove() error {
	if !c.SignIn.AutoApprove.Enabled || slices.Contains(stagingStages(), c.Stage) {
		return nil
	}

	u, err := url.Parse(c.URL)
	if err != nil {
		return err
	}

	open := c.URL
	if Loopback(u.Hostname()) {
		host, _, err := net.SplitHostPort(c.Listen)
		if err == nil && Loopback(host) {
			return nil
		}
		open = c.Listen
	}

	return fmt.Errorf(
		"sign_in.auto_approve: %s would let everybody in who finds it. If that is what you want, set stage to staging",
		open,
	)
}

// Scopes are the scopes of the server with the sentences of the consent page. The first
// is for all clients, the others for clients that request them.
var Scopes = []oauth.Scope{
	{
		Name:  oauth.ScopeTools,
		Words: "Use the agents from a chat, as you: search, read, and give them tasks",
	},
	{
		Name:  oauth.ScopeDiscover,
		Words: "See the agents and your tasks through the API (A2A and REST)",
	},
	{
		Name:  oauth.ScopePublish,
		Words: "Give tasks to the agents through the API (A2A and REST), as you",
	},
	{Name: oauth.ScopeAdmin, Words: "Run this server: see and change what belongs to everybody"},
}
