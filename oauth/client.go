package oauth

import (
	"slices"
	"time"
)

// Ways in which a client proves who it is (RFC 7591 section 2).
const (
	AuthNone          = "none"
	AuthBasic         = "client_secret_basic"
	AuthPost          = "client_secret_post"
	AuthPrivateKeyJWT = "private_key_jwt" // OpenID Connect Core 1.0 section 9
)

const (
	GrantAuthorizationCode = "authorization_code"
	GrantRefreshToken      = "refresh_token"
)

// Client is a client that may send people here.
type Client struct {
	ID           string
	Name         string // cleaned; never empty
	URI          string // the client's own page; "" is none
	RedirectURIs []string
	AuthMethod   string   // none, client_secret_basic, client_secret_post or private_key_jwt
	SecretHash   string   // "" if AuthMethod does without
	OldHashes    []string // of secrets that the operator has replaced, and that still count
	Keys         string   // its JWK set, if it brought one
	KeysURI      string   // where its JWK set is, if not in Keys
	GrantTypes   []string
	Registered   time.Time
	ManageHash   string // of the token that manages the registration
	// ApplicationType is what it said that it is, native or web, or "". Nothing
	// depends on it: see redirect.go.
	ApplicationType string
	Bound           bool // every token that it gets must be bound to a key (RFC 9449 section 5.2)

	OtherAuthMethods []string // other methods that it may use to authenticate
	Documented       bool     // by a document at the URL that is its ID
	Configured       bool     // by the operator; such a client is in no store
	ActsFor          string   // the account for which it acts without a person; "" is none
	IntrospectsAll   bool     // every token, not only its own
}

// May tells whether the client registered a grant type.
func (c *Client) May(grantType string) bool { return slices.Contains(c.GrantTypes, grantType) }

// Public tells whether the client need not prove who it is, so that any
// caller may claim to be it.
func (c *Client) Public() bool {
	return c.AuthMethod == AuthNone || slices.Contains(c.OtherAuthMethods, AuthNone)
}

// GrantClientCredentials is for clients that act without a user (RFC 6749 section 4.4).
const GrantClientCredentials = "client_credentials"

// Document is the metadata of a client at the URL that is its ID (Client ID
// Metadata Documents, draft-ietf-oauth-client-id-metadata-document).
type Document struct {
	ID      string // the URL
	Body    string // JSON
	Fetched time.Time
	Fresh   time.Time // until when it is not fetched again
	Expires time.Time // until when it may stand in for one that cannot be fetched
}

// GrantTokenExchange is for a client that was called with a user's token and
// needs one of its own to act for that user (RFC 8693 section 2.1).
const GrantTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

// CLIClientID is the client of tokens that the operator issues by hand.
const CLIClientID = "cli"
