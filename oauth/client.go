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
	AuthMethod   string // none, client_secret_basic or client_secret_post
	SecretHash   string // "" if AuthMethod is none
	GrantTypes   []string
	Registered   time.Time
	ManageHash   string // of the token that manages the registration

	documented  bool // by a document at the URL that is its ID
	configured  bool // by the operator; such a client is in no store
	introspects bool // every token, not only its own
}

// may tells whether the client registered a grant type.
func (c *Client) may(grantType string) bool { return slices.Contains(c.GrantTypes, grantType) }

// client finds a client by an ID that came from outside.
func (s *Server) client(ctx context.Context, id string) (*Client, error) {
	if c := s.configuredClient(id); c != nil {
		return c, nil
	}
	if s.isDocumentID(id) {
		return s.documentedClient(ctx, id)
	}
	return s.registeredClient(ctx, id)
}
