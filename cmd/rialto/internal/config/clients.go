package config

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/net/http/httpguts"

	"rialto/internal/i18n"
	"rialto/oauth/client"
)

// Client is an OAuth client that needs no registration.
type Client struct {
	ID           string   `koanf:"id"`
	Name         string   `koanf:"name"`
	Auth         string   `koanf:"auth"`
	Secret       Secret   `koanf:"secret"`
	RedirectURIs []string `koanf:"redirect_uris"`
	User         string   `koanf:"user"`
	Introspect   bool     `koanf:"introspect"`
	Exchange     bool     `koanf:"exchange"`
}

// Secret is where a secret is kept.
type Secret struct {
	Env  string `koanf:"env"`
	File string `koanf:"file"`
}

// value reads the secret; "" if none is configured.
func (c Secret) value() (string, error) {
	if c == (Secret{}) {
		return "", nil
	}
	return c.Read()
}

// Read reads the secret from the environment or a file.
func (c Secret) Read() (secret string, err error) {
	switch {
	case c.Env != "" && c.File != "":
		return "", i18n.Errorf("set env or file, not both")
	case c.Env != "":
		secret = os.Getenv(c.Env)
		if secret == "" {
			return "", i18n.Errorf("the environment variable %s is empty", c.Env)
		}
	case c.File != "":
		b, err := os.ReadFile(c.File)
		if err != nil {
			return "", err
		}
		secret = strings.TrimSpace(string(b))
	default:
		return "", i18n.Errorf("set env or file to where the secret is")
	}
	if !httpguts.ValidHeaderFieldValue(secret) {
		return "", i18n.Errorf(
			"the secret has more than one line, or characters that a header cannot carry",
		)
	}

	return secret, nil
}

// Secrets returns the secrets that others present to the server, and those that it presents to identity
// providers, by the keys of authserver.Settings. The configuration was checked.
func (c *Config) Secrets() map[string]string {
	all := map[string]string{}
	add := func(key string, from Secret) {
		if text, _ := from.value(); text != "" {
			all[key] = text
		}
	}
	add("registration.token", c.Apps.Registration.Token)
	add("tokens.secret", c.Tokens.Secret)
	for _, one := range c.Apps.Clients {
		add("clients["+one.ID+"]", one.Secret)
	}

	for _, one := range c.SignIn.OIDC {
		add("sign_in.oidc["+one.ID+"]", one.ClientSecret)
	}

	return all
}

// OAuthClients returns the configured clients for the authorization server.
func (c *Config) OAuthClients() ([]client.Configured, error) {
	var all []client.Configured
	for i, one := range c.Apps.Clients {
		secret, err := one.Secret.value()
		if err != nil {
			return nil, fmt.Errorf("clients[%d].secret: %w", i, err)
		}
		all = append(all, client.Configured{
			ID:           one.ID,
			Name:         one.Name,
			AuthMethod:   one.Auth,
			Secret:       secret,
			RedirectURIs: one.RedirectURIs,
			User:         one.User,
			Introspects:  one.Introspect,
			Exchanges:    one.Exchange,
		})
	}

	return all, nil
}
