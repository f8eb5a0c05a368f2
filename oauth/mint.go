package oauth

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// accessTokenType keeps other JWTs, ID tokens above all, from being taken for
// access tokens (RFC 9068 section 2.1).
const accessTokenType = "at+jwt"

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

	Key   *confirmation `json:"cnf,omitempty"`
	Actor *actor        `json:"act,omitempty"`
}

// confirmation names the key that the bearer of a token must prove to have (RFC
// 7800 section 3.1, RFC 9449 section 6.1).
type confirmation struct {
	JKT string `json:"jkt"`
}

// confirm returns the confirmation of a thumbprint, or nil for "".
func confirm(jkt string) *confirmation {
	if jkt == "" {
		return nil
	}
	return &confirmation{jkt}
}

// mint signs an access token, which is bound to the key of a thumbprint unless
// that is "".
func (s *Server) mint(ctx context.Context, g *Grant, scope ScopeSet, jkt string, now, expires time.Time) (string, error) {
	payload, err := json.Marshal(claims{
		Issuer:   s.Issuer,
		Subject:  g.AccountID,
		Audience: g.Resource,
		ClientID: g.ClientID,
		Scope:    scope.String(),
		IssuedAt: now.Unix(),
		Expires:  expires.Unix(),
		AuthTime: g.AuthTime.Unix(),
		ID:       newID(),
		GrantID:  g.ID,
		Key:      confirm(jkt),
		Actor:    actorOf(g),
	})
	if err != nil {
		return "", err
	}
	return s.sign(ctx, payload)
}

// sign makes an access token of its claims.
func (s *Server) sign(ctx context.Context, payload []byte) (string, error) {
	if s.Algorithm == HS256 {
		return s.mac(payload)
	}
	key, err := s.activeKey(ctx)
	if err != nil {
		return "", err
	}
	signed, err := key.signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}
	return signed.CompactSerialize()
}

// cliClient is the client of tokens that the operator issues by hand.
const cliClient = "cli"

// IssueToken issues an access token without a browser, for the account named
// user, who must exist, and be an administrator if scopes hold ScopeAdmin. It records a grant for the client "cli", so that the
// token can be revoked. ttl is 90 days at most, and 0 is AccessTTL.
func (s *Server) IssueToken(ctx context.Context, user string, scopes []string, ttl time.Duration) (string, time.Time, error) {
	if len(scopes) == 0 || slices.ContainsFunc(scopes, func(scope string) bool { return !s.understands(scope) }) {
		return "", time.Time{}, fmt.Errorf("scopes %q: known are %s", scopes, s.offered())
	}
	name, err := userName(user)
	if err != nil {
		return "", time.Time{}, err
	}
	a, err := s.Store.Account(ctx, name)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("account %q: %w", name, err)
	}
	if ScopeSet(scopes).Has(ScopeAdmin) && !a.Admin {
		return "", time.Time{}, fmt.Errorf("account %q is no administrator", name)
	}
	if ttl <= 0 {
		ttl = s.AccessTTL
	}
	g := s.newGrant(a.ID, cliClient, scopes, s.Now())
	g.Expires = g.Created.Add(min(ttl, maxTokenTTL))
	if err := s.Store.AddGrant(ctx, g); err != nil {
		return "", time.Time{}, err
	}
	token, err := s.mint(ctx, g, g.Scope, "", g.Created, g.Expires)
	return token, g.Expires, err
}

// newGrant returns a grant that begins now.
func (s *Server) newGrant(accountID, clientID string, scope ScopeSet, authTime time.Time) *Grant {
	now := s.Now()
	return &Grant{
		ID:        newID(),
		AccountID: accountID,
		ClientID:  clientID,
		Scope:     scope,
		Resource:  s.Resource,
		AuthTime:  authTime,
		Created:   now,
		Expires:   now.Add(s.RefreshAbsolute),
	}
}
