package config

import (
	"fmt"

	"rialto/oauth/authserver"
	"rialto/oauth/token"
)

// Tokens sets how access tokens are signed.
type Tokens struct {
	Algorithm string `koanf:"algorithm"` // ES256 when empty
	Secret    Secret `koanf:"secret"`    // for HS256
}

// Upstream is another issuer whose access tokens are accepted.
type Upstream struct {
	Issuer         string   `koanf:"issuer"`
	JWKSURL        string   `koanf:"jwks_url"`
	Audiences      []string `koanf:"audiences"`
	Scope          string   `koanf:"scope"`
	PrivateNetwork bool     `koanf:"private_network"`
}

// OAuthUpstreams returns the other issuers for the guard.
func (c *Config) OAuthUpstreams() []token.Upstream {
	var all []token.Upstream
	for _, u := range c.UpstreamTokens {
		all = append(all, token.Upstream{Scope: u.Scope, Issuer: token.Issuer{
			URL:       u.Issuer,
			KeysURL:   u.JWKSURL,
			Audiences: u.Audiences,
			Fetch:     newFetcher(u.PrivateNetwork, u.Issuer, u.JWKSURL),
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

// Apply sets the algorithm and its secret.
func (c Tokens) Apply(as *authserver.Config) error {
	secret, err := c.Secret.value()
	if err != nil {
		return fmt.Errorf("tokens.secret: %w", err)
	}
	as.Algorithm, as.TokenSecret = c.Algorithm, []byte(secret)
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

// check returns what is wrong with a configuration of the authorization server.
func check(c authserver.Config) error { return authserver.New(c, authserver.Stores{}).Check() }
