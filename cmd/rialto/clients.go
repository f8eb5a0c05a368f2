package main

import (
	"fmt"

	"rialto/oauth"
)

// clientConfig is an OAuth client that needs no registration.
type clientConfig struct {
	ID           string       `koanf:"id"`
	Name         string       `koanf:"name"`
	Auth         string       `koanf:"auth"`
	Secret       secretConfig `koanf:"secret"`
	RedirectURIs []string     `koanf:"redirect_uris"`
	User         string       `koanf:"user"`
	Introspect   bool         `koanf:"introspect"`
	Exchange     bool         `koanf:"exchange"`

	variable bool // described by variables
}

// secretConfig says where a secret is.
type secretConfig struct {
	Env  string `koanf:"env"`
	File string `koanf:"file"`
}

// value reads the secret; "" if none is configured.
func (c secretConfig) value() (string, error) {
	if c == (secretConfig{}) {
		return "", nil
	}
	return credentialsConfig{Env: c.Env, File: c.File}.secret()
}

// clients returns the configured clients as the authorization server takes
// them.
func (c *config) clients() ([]oauth.ConfiguredClient, error) {
	var all []oauth.ConfiguredClient
	for i, client := range c.Clients {
		secret, err := client.Secret.value()
		if err != nil {
			return nil, fmt.Errorf("clients[%d].secret: %w", i, err)
		}
		all = append(all, oauth.ConfiguredClient{
			ID:           client.ID,
			Name:         client.Name,
			AuthMethod:   client.Auth,
			Secret:       secret,
			RedirectURIs: client.RedirectURIs,
			User:         client.User,
			Introspects:  client.Introspect,
			Exchanges:    client.Exchange,
		})
	}
	return all, nil
}

func (c *config) checkClients() error {
	clients, err := c.clients()
	if err != nil {
		return err
	}
	if err := (&oauth.Server{Clients: clients}).Check(); err != nil {
		return fmt.Errorf("clients: %w", err)
	}
	return nil
}
