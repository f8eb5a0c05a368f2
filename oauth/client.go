package oauth

import (
	"context"
	"slices"
	"time"
)

// Ways in which a client proves who it is (RFC 7591 section 2).
const (
	authNone  = "none"
	authBasic = "client_secret_basic"
	authPost  = "client_secret_post"
	authKey   = "private_key_jwt" // OpenID Connect Core 1.0 section 9
)

const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
)

// Client is a client that may send people here.
type Client struct {
	ID           string
	Name         string // cleaned; never empty
	URI          string // the client's own page; "" is none
	RedirectURIs []string
	AuthMethod   string // none, client_secret_basic, client_secret_post or private_key_jwt
	SecretHash   string // "" if AuthMethod does without
	Keys         string // its JWK set, if it brought one
	KeysURI      string // where its JWK set is, if not in Keys
	GrantTypes   []string
	Registered   time.Time
	ManageHash   string // of the token that manages the registration
	// ApplicationType is what it said that it is, native or web, or "". Nothing
	// depends on it: see redirect.go.
	ApplicationType string
	Bound           bool // every token that it gets must be bound to a key (RFC 9449 section 5.2)

	otherMethods []string // in which it may authenticate besides AuthMethod
	documented   bool     // by a document at the URL that is its ID
	configured   bool     // by the operator; such a client is in no store
	user         string   // the account for which it acts without a person; "" is none
	introspects  bool     // every token, not only its own
}

// may tells whether the client registered a grant type.
func (c *Client) may(grantType string) bool { return slices.Contains(c.GrantTypes, grantType) }

// unproven tells whether anybody may come in as the client, because it need not
// prove itself.
func (c *Client) unproven() bool {
	return c.AuthMethod == authNone || slices.Contains(c.otherMethods, authNone)
}

// client finds a client by an ID that came from outside. It must not be changed:
// others are given the same.
func (s *Server) client(ctx context.Context, id string) (*Client, error) {
	if c := s.configuredClient(id); c != nil {
		return c, nil
	}
	if s.isDocumentID(id) {
		return s.documentedClient(ctx, id)
	}
	return s.clients.get(id, s.Now(), func() (*Client, error) { return s.registeredClient(ctx, id) })
}

// forgetClients makes the next request read its client from the store.
func (s *Server) forgetClients() { s.clients.forget() }
