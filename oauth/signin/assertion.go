package signin

import (
	"context"
	"fmt"
	"time"

	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Assertions tells servers elsewhere who an account is.
type Assertions struct {
	Issuer   string
	Accounts *Accounts
	Keys     *token.Keys
	Now      func() time.Time
}

// vouchFor is how long a voucher lives: it is used at once.
const vouchFor = 2 * time.Minute

// subjectToken is what a subject token says (RFC 8693 section 2.1). The provider's
// issuer and subject are there for those who know the person from there.
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

// Issue returns a JWT that tells audience, a token endpoint elsewhere, who the
// account with the ID user is. It is signed with the keys of the JWKS, lives
// for two minutes, and is no access token here or anywhere: it has another
// type and another audience. An account that is gone or disabled gets none.
func (at *Assertions) Issue(ctx context.Context, user, audience string) (string, error) {
	a, err := at.Accounts.Store.AccountOf(ctx, user)
	if err != nil {
		return "", fmt.Errorf("looking up account %s: %w", user, err)
	}
	if a.Disabled {
		return "", fmt.Errorf("account %s is disabled", user)
	}
	now := at.Now()
	return at.Keys.Sign(ctx, subjectToken{
		Issuer: at.Issuer, Subject: a.ID, Audience: audience,
		IssuedAt: now.Unix(), Expires: now.Add(vouchFor).Unix(), ID: secret.NewID(),
		Name: a.Name, UpstreamIssuer: a.Issuer, UpstreamSubject: a.Subject,
	})
}
