package signin

import (
	"context"
	"fmt"
	"time"

	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Assertions issues JWTs that tell other servers who an account is.
type Assertions struct {
	Accounts *Accounts
	Keys     *token.Keys
	Env      *endpoint.Env
}

// assertionTTL is short because an assertion is used at once.
const assertionTTL = 2 * time.Minute

// subjectToken holds the claims of a subject token (RFC 8693 section 2.1). The
// audience may know the person by the provider's issuer and subject.
type subjectToken struct {
	Issuer          string `json:"iss"`
	Subject         string `json:"sub"`
	Audience        string `json:"aud"`
	IssuedAt        int64  `json:"iat"`
	Expires         int64  `json:"exp"`
	ID              string `json:"jti"`
	Name            string `json:"preferred_username"`
	UpstreamIssuer  string `json:"upstream_iss,omitempty"`
	UpstreamSubject string `json:"upstream_sub,omitempty"`
}

// Issue returns a JWT that tells audience, a token endpoint elsewhere, who the account with the ID
// user is. It is signed with the keys of the JWKS and lives for two minutes. Its type and audience
// differ from those of an access token. It is an error if the account is removed or disabled.
func (at *Assertions) Issue(ctx context.Context, user, audience string) (string, error) {
	a, err := at.Accounts.FindID(ctx, user)
	if err != nil {
		return "", fmt.Errorf("looking up account %s: %w", user, err)
	}
	if a.Disabled {
		return "", fmt.Errorf("account %s is disabled", user)
	}

	now := at.Env.Now()
	return at.Keys.Sign(ctx, subjectToken{
		Issuer:   at.Env.Issuer,
		Subject:  a.ID,
		Audience: audience,
		IssuedAt: now.Unix(), Expires: now.Add(assertionTTL).Unix(), ID: secret.NewID(),
		Name:            a.Name,
		UpstreamIssuer:  a.Issuer,
		UpstreamSubject: a.Subject,
	})
}
