package main

import (
	"fmt"

	"rialto/oauth"
)

// tokensConfig says how access tokens are made.
type tokensConfig struct {
	Algorithm string       `koanf:"algorithm"` // ES256 when empty
	Secret    secretConfig `koanf:"secret"`    // for HS256
	Nonces    bool         `koanf:"dpop_nonces"`
}

// apply sets what an operator chose of tokens.
func (c tokensConfig) apply(as *oauth.Server) error {
	secret, err := c.Secret.value()
	if err != nil {
		return fmt.Errorf("tokens.secret: %w", err)
	}
	as.Algorithm, as.TokenSecret, as.ProofNonces = c.Algorithm, []byte(secret), c.Nonces
	return nil
}

func (c *config) checkTokens() error {
	as := &oauth.Server{}
	if err := c.Tokens.apply(as); err != nil {
		return err
	}
	if err := as.Check(); err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	return nil
}
