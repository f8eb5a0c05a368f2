package client

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// Configured is a client of the operator. It does not register, it is never
// dropped, and the consent page does not call it unverified.
type Configured struct {
	ID           string
	Name         string // "" is ID
	Secret       string
	RedirectURIs []string // where people's answers go; none for a client that people do not use

	// AuthMethod is none, client_secret_basic or client_secret_post. "" is none without Secret, and
	// client_secret_basic otherwise.
	AuthMethod string

	// User is the account for which the client acts when it asks for itself
	// (client_credentials). "" does not let it.
	User string

	// Introspects lets the client ask about every token, as a resource server
	// does, and not only about its own.
	Introspects bool

	// Exchanges lets the client exchange the token of a user who calls it for
	// one of its own, to act for the user (RFC 8693).
	Exchanges bool
}

// client returns c as a client. A secret of the operator's choice is compared
// as a hash like any other, and is kept nowhere else.
func (c *Configured) client() *oauth.Client {
	known := &oauth.Client{
		ID:             c.ID,
		Name:           cmp.Or(CleanName(c.Name), CleanName(c.ID)),
		RedirectURIs:   c.RedirectURIs,
		AuthMethod:     c.authMethod(),
		GrantTypes:     []string{oauth.GrantAuthorizationCode, oauth.GrantRefreshToken},
		Configured:     true,
		IntrospectsAll: c.Introspects,
	}
	if known.AuthMethod != oauth.AuthNone {
		known.SecretHash = secret.Hash(c.Secret)
	}
	if name, err := oauth.UserName(c.User); c.User != "" && err == nil {
		known.ActsFor = name
		known.GrantTypes = append(known.GrantTypes, oauth.GrantClientCredentials)
	}
	if c.Exchanges {
		known.GrantTypes = append(known.GrantTypes, oauth.GrantTokenExchange)
	}

	return known
}

func (c *Configured) authMethod() string {
	if c.AuthMethod == "" && c.Secret == "" {
		return oauth.AuthNone
	}
	return cmp.Or(c.AuthMethod, oauth.AuthBasic)
}

// configured returns the operator's client with an ID, or nil.
func (cs *Clients) configured(id string) *oauth.Client {
	i := slices.IndexFunc(cs.Configured, func(c Configured) bool { return c.ID == id })
	if i < 0 {
		return nil
	}

	known := cs.Configured[i].client()
	for n, text := range cs.Env.Settings.Secrets("clients[" + id + "]") {
		if n == 0 {
			known.SecretHash = secret.Hash(text)
			continue
		}
		known.OldHashes = append(known.OldHashes, secret.Hash(text))
	}

	return known
}

// Check says what is wrong with the configuration.
func (cs *Clients) Check() (faults error) {
	seen := map[string]bool{}
	for _, c := range cs.Configured {
		if err := c.check(); err != nil {
			faults = errors.Join(faults, fmt.Errorf("client %q: %w", c.ID, err))
		}
		if seen[c.ID] {
			faults = errors.Join(faults, fmt.Errorf("client %q is there twice", c.ID))
		}
		seen[c.ID] = true
	}

	return faults
}

func (c *Configured) check() error {
	method := c.authMethod()
	public := method == oauth.AuthNone
	isWord := endpoint.IsText(c.ID) && !strings.Contains(c.ID, " ")
	switch {
	case c.ID == "" || c.ID == oauth.CLIClientID || len(c.ID) > 200 || !isWord:
		return fmt.Errorf(
			"the ID must be a word of up to 200 characters, and not %q", oauth.CLIClientID,
		)
	case strings.HasPrefix(c.ID, secret.ClientPrefix) || strings.Contains(c.ID, "://"):
		return errors.New("the ID must not look like one that clients get here or bring along")
	case !slices.Contains([]string{oauth.AuthNone, oauth.AuthBasic, oauth.AuthPost}, method):
		return fmt.Errorf(
			"the method %q is not none, client_secret_basic or client_secret_post", method,
		)
	case public != (c.Secret == ""):
		return fmt.Errorf("the method %s and the secret contradict each other", method)
	case c.Secret != "" && len(c.Secret) < 16:
		return errors.New("the secret is shorter than 16 characters")
	case c.Introspects && public:
		return errors.New("a client without a secret cannot introspect tokens")
	case c.Exchanges && public:
		return errors.New("a client without a secret cannot exchange tokens")
	case c.User != "" && public:
		return errors.New("a client without a secret cannot use client_credentials")
	case len(c.RedirectURIs) > maxRedirectURIs:
		return fmt.Errorf("there are more than %d redirect URIs", maxRedirectURIs)
	}

	if _, err := oauth.UserName(c.User); c.User != "" && err != nil {
		return err
	}

	for _, raw := range c.RedirectURIs {
		uri, err := ParseRedirect(raw)
		if err != nil {
			return fmt.Errorf("%q: %w", raw, err)
		}
		if !uri.registrable() {
			return fmt.Errorf("%q must be https, or http on 127.0.0.1, [::1] or localhost", raw)
		}
	}

	return nil
}

// GrantTypes returns the grants that some client can use.
func (cs *Clients) GrantTypes() []string {
	types := []string{oauth.GrantAuthorizationCode, oauth.GrantRefreshToken}
	if slices.ContainsFunc(cs.Configured, func(c Configured) bool { return c.User != "" }) {
		types = append(types, oauth.GrantClientCredentials)
	}
	if slices.ContainsFunc(cs.Configured, func(c Configured) bool { return c.Exchanges }) {
		types = append(types, oauth.GrantTokenExchange)
	}
	return types
}
