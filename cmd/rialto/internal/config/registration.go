package config

import (
	"fmt"

	"rialto/oauth/authserver"
)

// Registration sets who may register clients (RFC 7591).
type Registration struct {
	Mode  string `koanf:"mode"`  // open, token or closed
	Token Secret `koanf:"token"` // the initial access token
}

// Apply sets the mode and the token.
func (c Registration) Apply(as *authserver.Config) (err error) {
	as.Registration.Mode = c.Mode
	as.Registration.Token, err = c.Token.value()
	if err != nil {
		return fmt.Errorf("registration: %w", err)
	}
	return nil
}
