package config

import (
	"fmt"

	"rialto/oauth/authserver"
	"rialto/oauth/token"
)

// Tokens says how access tokens are made.
type Tokens struct {
	Algorithm string `koanf:"algorithm"` // ES256 when empty
	Secret    Secret `koanf:"secret"`    // for HS256
	Nonces    bool   `koanf:"dpop_nonces"`
}

// Upstream is an issuer whose access tokens are let through.
type Upstream struct {
	Issuer         string   `koanf:"issuer"`
	JWKSURL        string   `koanf:"jwks_url"`
	Audiences      []string `koanf:"audiences"`
	Algorithms     []string `koanf:"algorithms"`
	Scope          string   `koanf:"scope"`
	PrivateNetwork bool     `koanf:"private_network"`
}

// OAuthUpstreams returns the issuers as the guard takes them.
func (c *Config) OAuthUpstreams() []token.Upstream {
	var all []token.Upstream
	for _, u := range c.UpstreamTokens {
		all = append(all, token.Upstream{Scope: u.Scope, Issuer: token.Issuer{
			URL: u.Issuer, KeysURL: u.JWKSURL, Audiences: u.Audiences, Algorithms: u.Algorithms,
			Fetch: newFetcher(u.PrivateNetwork, u.Issuer, u.JWKSURL),
		}})
	}
	return all
}

func (c *Config) checkUpstreams() error {
	if err := check(authserver.Config{Issuer: c.URL, Upstreams: c.OAuthUpstreams()}); err != nil {
		return fmt.Errorf("upstream_tokens: %w", err)
	}
	return nil
}

// Apply sets what an operator chose of tokens.
func (c Tokens) Apply(as *authserver.Config) error {
	secret, err := c.Secret.value()
	if err != nil {
		return fmt.Errorf("tokens.secret: %w", err)
	}
	as.Algorithm, as.TokenSecret, as.ProofNonces = c.Algorithm, []byte(secret), c.Nonces
	return nil
}

func (c *Config) checkTokens() error {
	var as authserver.Config
	if err := c.Tokens.Apply(&as); err != nil {
		return err
	}
	if err := check(as); err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	return nil
}

// check says what is wrong with a configuration of the authorization server.
func check(c authserver.Config) error { return authserver.New(c, authserver.Stores{}).Check() }
