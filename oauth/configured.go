package oauth

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ConfiguredClient is a client that the operator set up. It does not register,
// it is never forgotten, and the page that asks for consent vouches for it.
type ConfiguredClient struct {
	ID           string
	Name         string // "" is ID
	AuthMethod   string // none, client_secret_basic or client_secret_post; "" is none without Secret, else client_secret_basic
	Secret       string
	RedirectURIs []string // where people's answers go; none for a client that people do not use

	// User is the account for which the client acts when it asks for itself
	// (client_credentials). "" does not let it.
	User string

	// Introspects lets the client ask about every token, as a resource server
	// does, and not only about its own.
	Introspects bool

	// Exchanges lets the client exchange the token of somebody who calls it for
	// one of its own, to act for them (RFC 8693).
	Exchanges bool
}

// client returns c as a client. A secret of the operator's choice is compared
// as a hash like any other, and is kept nowhere else.
func (c *ConfiguredClient) client() *Client {
	known := &Client{
		ID:           c.ID,
		Name:         cmp.Or(cleanName(c.Name), cleanName(c.ID)),
		RedirectURIs: c.RedirectURIs,
		AuthMethod:   c.authMethod(),
		GrantTypes:   []string{grantCode, grantRefresh},
		configured:   true,
		introspects:  c.Introspects,
	}
	if known.AuthMethod != authNone {
		known.SecretHash = hash(c.Secret)
	}
	if name, err := userName(c.User); c.User != "" && err == nil {
		known.user, known.GrantTypes = name, append(known.GrantTypes, grantCredentials)
	}
	if c.Exchanges {
		known.GrantTypes = append(known.GrantTypes, grantExchange)
	}
	return known
}

func (c *ConfiguredClient) authMethod() string {
	if c.AuthMethod == "" && c.Secret == "" {
		return authNone
	}
	return cmp.Or(c.AuthMethod, authBasic)
}

// configuredClient returns the operator's client of that ID, or nil.
func (s *Server) configuredClient(id string) *Client {
	i := slices.IndexFunc(s.Clients, func(c ConfiguredClient) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return s.Clients[i].client()
}

// checkClients says what an operator set wrongly.
func (s *Server) checkClients() error {
	seen := map[string]bool{}
	for _, c := range s.Clients {
		if err := c.check(s.schemes()); err != nil {
			return fmt.Errorf("client %q: %w", c.ID, err)
		}
		if seen[c.ID] {
			return fmt.Errorf("client %q is there twice", c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}

// checkPrefixes says what an operator set wrongly.
func (s *Server) checkPrefixes() error {
	for _, prefix := range s.RedirectPrefixes {
		if p, err := parseRedirect(prefix); err != nil || p.u.Scheme != "https" {
			return fmt.Errorf("redirect prefix %q is not an address such as https://chatgpt.com/", prefix)
		}
	}
	return nil
}

// checkProviders says what an operator set wrongly.
func (s *Server) checkProviders() error {
	seen := map[string]bool{}
	for _, p := range s.Providers {
		if err := p.check(); err != nil {
			return fmt.Errorf("provider %q: %w", p.ID, err)
		}
		if seen[p.ID] {
			return fmt.Errorf("provider %q is there twice", p.ID)
		}
		seen[p.ID] = true
	}
	return nil
}

// checkPasted says what is wrong with the issuer of pasted tokens.
func (s *Server) checkPasted() error {
	switch {
	case s.Pasted == nil:
		return nil
	case len(s.Pasted.Audiences) == 0:
		return errors.New("pasted tokens: no audience is named, and a token for anybody else would do")
	}
	if err := s.Pasted.check(); err != nil {
		return fmt.Errorf("pasted tokens: %w", err)
	}
	return nil
}

func (c *ConfiguredClient) check(schemes []string) error {
	method := c.authMethod()
	switch {
	case c.ID == "" || c.ID == cliClient || len(c.ID) > 200 || !isText(c.ID) || strings.Contains(c.ID, " "):
		return fmt.Errorf("the ID must be a word of up to 200 characters, and not %q", cliClient)
	case strings.HasPrefix(c.ID, clientPrefix) || strings.Contains(c.ID, "://"):
		return errors.New("the ID must not look like one that clients get here or bring along")
	case !slices.Contains([]string{authNone, authBasic, authPost}, method):
		return fmt.Errorf("the method %q is not none, client_secret_basic or client_secret_post", method)
	case (method == authNone) != (c.Secret == ""):
		return fmt.Errorf("the method %s and the secret contradict each other", method)
	case c.Secret != "" && len(c.Secret) < 16:
		return errors.New("the secret is shorter than 16 characters")
	case c.Introspects && method == authNone:
		return errors.New("a client without a secret cannot introspect tokens")
	case c.Exchanges && method == authNone:
		return errors.New("a client without a secret cannot exchange tokens")
	case c.User != "" && method == authNone:
		return errors.New("a client without a secret cannot act by itself")
	case len(c.RedirectURIs) > maxRedirectURIs:
		return fmt.Errorf("there are more than %d redirect URIs", maxRedirectURIs)
	}
	if _, err := userName(c.User); c.User != "" && err != nil {
		return err
	}
	for _, raw := range c.RedirectURIs {
		uri, err := parseRedirect(raw)
		if err != nil {
			return fmt.Errorf("%q: %w", raw, err)
		}
		if !uri.registrable(schemes) {
			return fmt.Errorf("%q must be https, or http on 127.0.0.1, [::1] or localhost", raw)
		}
	}
	return nil
}
