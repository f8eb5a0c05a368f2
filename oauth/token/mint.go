package token

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"rialto/internal/lru"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// Accounts finds accounts by name.
type Accounts interface {
	// Account returns an account by name, or ErrNotFound.
	Account(ctx context.Context, name string) (*oauth.Account, error)
}

// Tokens makes and checks the access tokens of this server.
type Tokens struct {
	Resources *oauth.Resources
	Keys      *Keys
	Grants    *Grants
	Scopes    *oauth.Scopes
	Accounts  Accounts
	AccessTTL time.Duration // life of an access token
	GrantTTL  time.Duration // life of a grant, however often it is refreshed
	Env       *endpoint.Env

	verified lru.Cache[[32]byte, verifiedToken] // tokens whose signature was checked
}

// Actor names who acts for the subject of a token (RFC 8693 section 4.1).
type Actor struct {
	Subject string `json:"sub"`
}

// ActorOf returns the client that acts for a grant's account after an exchange, or nil.
func ActorOf(g *oauth.Grant) *Actor {
	if g.Parent == "" {
		return nil
	}
	return &Actor{g.ClientID}
}

// AccessTokenType keeps other JWTs, ID tokens above all, from being taken for
// access tokens (RFC 9068 section 2.1).
const AccessTokenType = "at+jwt"

// claims are what an access token says (RFC 9068 section 2.2). grant_id is
// ours: through it a token dies with its grant.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`
	IssuedAt int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	AuthTime int64  `json:"auth_time"`
	ID       string `json:"jti"`
	GrantID  string `json:"grant_id"`

	Key   *Confirmation `json:"cnf,omitempty"`
	Actor *Actor        `json:"act,omitempty"`
}

// Confirmation names the key that the bearer of a token must prove to have (RFC
// 7800 section 3.1, RFC 9449 section 6.1).
type Confirmation struct {
	JKT string `json:"jkt"`
}

// Confirm returns the confirmation of a thumbprint, or nil for "".
func Confirm(jkt string) *Confirmation {
	if jkt == "" {
		return nil
	}
	return &Confirmation{jkt}
}

// Mint signs an access token, which is bound to the key of a thumbprint unless that is "".
func (ts *Tokens) Mint(
	ctx context.Context,
	g *oauth.Grant,
	scope oauth.ScopeSet,
	jkt string,
	now, expires time.Time,
) (string, error) {
	payload, err := json.Marshal(claims{
		Issuer:   ts.Env.Issuer,
		Subject:  g.AccountID,
		Audience: g.Resource,
		ClientID: g.ClientID,
		Scope:    scope.String(),
		IssuedAt: now.Unix(),
		Expires:  expires.Unix(),
		AuthTime: g.AuthTime.Unix(),
		ID:       secret.NewID(),
		GrantID:  g.ID,
		Key:      Confirm(jkt),
		Actor:    ActorOf(g),
	})
	if err != nil {
		return "", err
	}
	return ts.Keys.signAccessToken(ctx, payload, expires)
}

// Issue issues an access token for the default resource: see IssueFor.
func (ts *Tokens) Issue(
	ctx context.Context,
	user string,
	scopes []string,
	ttl time.Duration,
) (string, *oauth.Grant, error) {
	return ts.IssueFor(ctx, ts.Resources.Default(), user, scopes, ttl)
}

// IssueFor issues an access token without a browser, for the account named user, who must exist, and
// be an administrator if scopes hold ScopeAdmin. It records a grant for the client "cli", which ends
// with the token and before that when it is revoked. ttl is 90 days at most, and 0 is AccessTTL.
func (ts *Tokens) IssueFor(
	ctx context.Context,
	resource *oauth.Resource,
	user string,
	scopes []string,
	ttl time.Duration,
) (string, *oauth.Grant, error) {
	if len(scopes) == 0 ||
		slices.ContainsFunc(scopes, func(scope string) bool { return !ts.Scopes.Supports(scope) }) {
		return "", nil, fmt.Errorf("scopes %q: known are %s", scopes, ts.Scopes.Offered())
	}

	name, err := oauth.UserName(user)
	if err != nil {
		return "", nil, err
	}

	a, err := ts.Accounts.Account(ctx, name)
	if err != nil {
		return "", nil, fmt.Errorf("account %q: %w", name, err)
	}
	if !resource.Admits(name) {
		return "", nil, fmt.Errorf("account %q may not use %s", name, resource.URL)
	}
	if oauth.ScopeSet(scopes).Has(oauth.ScopeAdmin) && !a.Admin {
		return "", nil, fmt.Errorf("account %q is not an administrator", name)
	}
	if ttl <= 0 {
		ttl = ts.AccessTTL
	}

	g := ts.NewGrant(a.ID, oauth.CLIClientID, resource, resource.Within(scopes), ts.Env.Now())
	g.Expires = g.Created.Add(min(ttl, maxTokenTTL))
	if err := ts.Grants.Add(ctx, g); err != nil {
		return "", nil, err
	}

	token, err := ts.Mint(ctx, g, g.Scope, "", g.Created, g.Expires)
	return token, g, err
}

// NewGrant returns a grant for a resource that begins now.
func (ts *Tokens) NewGrant(
	accountID, clientID string,
	resource *oauth.Resource,
	scope oauth.ScopeSet,
	authTime time.Time,
) *oauth.Grant {
	now := ts.Env.Now()
	return &oauth.Grant{
		ID:        secret.NewID(),
		AccountID: accountID,
		ClientID:  clientID,
		Scope:     scope,
		Resource:  resource.URL,
		AuthTime:  authTime,
		Created:   now,
		Expires:   now.Add(ts.GrantTTL),
	}
}
