package config

import (
	"errors"
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

// Apply sets the algorithm and its secret.
func (c Tokens) Apply(as *authserver.Config) error {
	secret, err := c.Secret.value()
	if err != nil {
		return fmt.Errorf("tokens.secret: %w", err)
	}
	as.Algorithm = c.Algorithm
	as.TokenSecret = []byte(secret)
	return nil
}

// checkOAuth checks what concerns the authorization server, one group of settings after the other.
func (c *Config) checkOAuth() (faults error) {
	for _, group := range []struct {
		key   string
		apply func(*authserver.Config) error
	}{
		{"clients", func(as *authserver.Config) (err error) {
			as.Clients, err = c.OAuthClients()
			return err
		}},
		{"tokens", c.Tokens.Apply},
		{"upstream_tokens", func(as *authserver.Config) error {
			as.Upstreams = c.OAuthUpstreams()
			return nil
		}},
		{"registration", c.Apps.Registration.Apply},
		{"sign_in", func(as *authserver.Config) error {
			as.RedirectPrefixes = c.Apps.RedirectPrefixes
			return c.SignIn.Apply(as)
		}},
	} {
		as := authserver.Config{Issuer: c.URL}
		err := group.apply(&as)
		if err == nil {
			err = explain(group.key+": ", authserver.New(as, authserver.Stores{}).Check())
		}
		faults = errors.Join(faults, err)
	}
	return errors.Join(faults, c.checkMethods())
}
