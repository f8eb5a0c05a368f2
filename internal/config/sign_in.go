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

	"rialto/internal/guardhttp"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/flow"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// SignIn says who may sign in, and how.
type SignIn struct {
	Local       bool        `koanf:"local"`
	OIDC        []Provider  `koanf:"oidc"`
	PastedToken PastedToken `koanf:"pasted_token"`
	AutoApprove AutoApprove `koanf:"auto_approve"`
}

// Provider is an identity provider where people may sign in.
type Provider struct {
	ID               string   `koanf:"id"`
	Name             string   `koanf:"name"`
	Issuer           string   `koanf:"issuer"`
	ClientID         string   `koanf:"client_id"`
	ClientSecret     Secret   `koanf:"client_secret"`
	Scopes           []string `koanf:"scopes"`
	AuthorizationURL string   `koanf:"authorization_url"`
	TokenURL         string   `koanf:"token_url"`
	UserInfoURL      string   `koanf:"userinfo_url"`
	JWKSURL          string   `koanf:"jwks_url"`
	Algorithms       []string `koanf:"algorithms"`
	PrivateNetwork   bool     `koanf:"private_network"`
	NameClaim        string   `koanf:"name_claim"`
	UseCasesClaim    string   `koanf:"usecases_claim"`
	Admin            Claim    `koanf:"admin"`
	Allow            Claim    `koanf:"allow"`
	EmailDomains     []string `koanf:"email_domains"`
	Lifetime         string   `koanf:"lifetime"`

	variable bool // described by variables
}

// Claim is met by people for whom the claim holds one of the values.
type Claim struct {
	Claim  string   `koanf:"claim"`
	Values []string `koanf:"values"`
}

// PastedToken is the issuer whose access tokens people may paste.
type PastedToken struct {
	Issuer         string   `koanf:"issuer"`
	JWKSURL        string   `koanf:"jwks_url"`
	Audiences      []string `koanf:"audiences"`
	Algorithms     []string `koanf:"algorithms"`
	PrivateNetwork bool     `koanf:"private_network"`
}

// AutoApprove lets every app in without asking anybody, for staging.
type AutoApprove struct {
	Enabled bool   `koanf:"enabled"`
	UseCase string `koanf:"usecase"`
	Token   Secret `koanf:"token"`
	Force   bool   `koanf:"force"`
}

// maxIdentityDocument bounds metadata and key sets of identity providers. Some
// put a chain of certificates beside each key.
const maxIdentityDocument = 256 << 10

// newFetcher returns what fetches from an identity provider. Its hosts may be in a
// private network if the operator says so, and those alone.
func newFetcher(private bool, addresses ...string) *guardhttp.Client {
	c := &guardhttp.Client{MaxBytes: maxIdentityDocument, Timeout: 8 * time.Second}
	for _, address := range addresses {
		if u, err := url.Parse(address); private && err == nil && u.Host != "" {
			c.Allowed = append(c.Allowed, AllowedHost(u))
		}
	}
	return c
}

// AllowedHost names the host with its port, so that nothing else on that
// machine is allowed with it.
func AllowedHost(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// provider returns the identity provider as the authorization server takes it.
func (c Provider) provider() (*signin.Provider, error) {
	secret, err := c.ClientSecret.value()
	if err != nil {
		return nil, fmt.Errorf("client_secret: %w", err)
	}
	var lifetime time.Duration
	if c.Lifetime != "" {
		if lifetime, err = time.ParseDuration(c.Lifetime); err != nil || lifetime <= 0 {
			return nil, fmt.Errorf("lifetime: %q is not a duration such as 12h", c.Lifetime)
		}
	}
	return &signin.Provider{
		ID:   c.ID,
		Name: c.Name,
		Issuer: token.Issuer{
			URL: c.Issuer, KeysURL: c.JWKSURL, Algorithms: c.Algorithms,
			Fetch: newFetcher(c.PrivateNetwork, c.Issuer, c.JWKSURL, c.AuthorizationURL, c.TokenURL, c.UserInfoURL),
		},
		ClientID:         c.ClientID,
		ClientSecret:     secret,
		Scopes:           c.Scopes,
		AuthorizationURL: c.AuthorizationURL,
		TokenURL:         c.TokenURL,
		UserInfoURL:      c.UserInfoURL,
		NameClaim:        c.NameClaim,
		UseCases:         c.UseCasesClaim,
		Admin:            signin.Rule(c.Admin),
		Allow:            signin.Rule(c.Allow),
		Domains:          c.EmailDomains,
		Lifetime:         lifetime,
	}, nil
}

// issuer returns the issuer of pasted tokens, or nil if there is none. Tokens
// are for this server unless the operator says something else.
func (c PastedToken) issuer(address string) *token.Issuer {
	if c.Issuer == "" {
		return nil
	}
	audiences := c.Audiences
	if len(audiences) == 0 {
		audiences = []string{address}
	}
	return &token.Issuer{
		URL: c.Issuer, KeysURL: c.JWKSURL, Audiences: audiences, Algorithms: c.Algorithms,
		Fetch: newFetcher(c.PrivateNetwork, c.Issuer, c.JWKSURL),
	}
}

// Apply sets who may sign in.
func (c SignIn) Apply(as *authserver.Config) error {
	as.NoPasswords = !c.Local
	for i, o := range c.OIDC {
		p, err := o.provider()
		if err != nil {
			return fmt.Errorf("oidc[%d].%w", i, err)
		}
		as.Providers = append(as.Providers, p)
	}
	as.Pasted = c.PastedToken.issuer(as.Issuer)
	if !c.AutoApprove.Enabled {
		return nil
	}
	token, err := c.AutoApprove.Token.value()
	if err != nil {
		return fmt.Errorf("auto_approve.token: %w", err)
	}
	as.AutoApprove = &flow.AutoApproval{UseCase: c.AutoApprove.UseCase, Token: token}
	return nil
}

// SignsInPages tells whether people can sign in to the pages of this server: a pasted
// token only lets an app in.
func (c SignIn) SignsInPages() bool { return c.Local || len(c.OIDC) > 0 }

// Ways says who may sign in, a line each.
func (c SignIn) Ways(address string) []string {
	var all []string
	if c.AutoApprove.Enabled {
		all = append(all, "EVERYBODY, without a question")
	}
	if c.Local {
		all = append(all, "local accounts")
	}
	for _, o := range c.OIDC {
		all = append(all, fmt.Sprintf("%s at %s, callback %s/oauth/callback/%s", cmp.Or(o.Name, o.ID), o.Issuer, address, o.ID))
	}
	if is := c.PastedToken.issuer(address); is != nil {
		all = append(all, fmt.Sprintf("access tokens of %s for %s", is.URL, strings.Join(is.Audiences, ", ")))
	}
	return all
}

func (c *Config) checkSignIn() error {
	as := authserver.Config{Issuer: c.URL, RedirectPrefixes: c.RedirectPrefixes}
	err := c.SignIn.Apply(&as)
	if err == nil {
		err = check(as)
	}
	if err != nil {
		return fmt.Errorf("sign_in: %w", err)
	}
	if as.NoPasswords && len(as.Providers) == 0 && as.Pasted == nil && as.AutoApprove == nil {
		return errors.New("sign_in: nobody could sign in: set sign_in.local to true, or sign_in.oidc or sign_in.pasted_token to where people sign in")
	}
	return errors.Join(c.checkScope(), c.checkAutoApprove())
}

// checkScope says what is wrong with what every client is offered.
func (c *Config) checkScope() error {
	for word := range strings.FieldsSeq(c.DefaultScope) {
		known := slices.ContainsFunc(Scopes, func(s oauth.Scope) bool { return s.Name == word && word != oauth.ScopeAdmin })
		if !known && oauth.UseCase(word) == "" {
			return fmt.Errorf("default_scope: there is no scope %q", word)
		}
	}
	if c.ForceUseCase != "" && (c.ForceUseCase == "*" || oauth.UseCase(oauth.ScopeTools+":"+c.ForceUseCase) == "") {
		return fmt.Errorf("force_usecase: %q cannot be a use case", c.ForceUseCase)
	}
	return nil
}

// Scope returns what a client is offered that does not say what it wants.
func (c *Config) Scope() oauth.ScopeSet {
	if c.DefaultScope == "" {
		return oauth.ScopeSet{oauth.ScopeTools}
	}
	return strings.Fields(c.DefaultScope)
}

// stagingStages are the stages in which nothing is worth stealing.
func stagingStages() []string {
	return []string{"dev", "development", "local", "test", "stg", "staging"}
}

// checkAutoApprove refuses to open a server to the world by one forgotten
// setting. An address on this machine says nothing of who can reach it: where it
// listens does.
func (c *Config) checkAutoApprove() error {
	if !c.SignIn.AutoApprove.Enabled || c.SignIn.AutoApprove.Force || slices.Contains(stagingStages(), c.Stage) {
		return nil
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return err
	}
	open := ""
	if host, _, err := net.SplitHostPort(c.Listen); err != nil || !Loopback(host) {
		open = c.Listen
	}
	if !Loopback(u.Hostname()) {
		open = c.URL
	}
	if open == "" {
		return nil
	}
	return fmt.Errorf("sign_in.auto_approve: %s would let everybody in who finds it. If that is what you want, set stage to staging, or sign_in.auto_approve.force to true", open)
}

// Scopes are what clients may ask for, in the words of the consent page. The
// first is for every client; the others are for those that name them.
var Scopes = []oauth.Scope{
	{Name: oauth.ScopeTools, Words: "Search and read, and give tasks to the agents, as you"},
	{Name: oauth.ScopeDiscover, Words: "See the agents and your tasks"},
	{Name: oauth.ScopePublish, Words: "Give tasks to the agents, as you"},
	{Name: oauth.ScopeAdmin, Words: "Run this server: see and change what belongs to everybody"},
}
