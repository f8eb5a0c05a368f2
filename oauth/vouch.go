package oauth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

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

// Vouch returns a JWT that tells audience, a token endpoint elsewhere, who the
// account with the ID user is. It is signed with the keys of the JWKS, lives
// for two minutes, and is no access token here or anywhere: it has another
// type and another audience. An account that is gone or disabled gets none.
func (s *Server) Vouch(ctx context.Context, user, audience string) (string, error) {
	if s.Algorithm == HS256 {
		return "", errors.New("a shared secret (HS256) convinces nobody elsewhere: sign tokens with a key")
	}
	a, err := s.Store.AccountOf(ctx, user)
	if err != nil {
		return "", fmt.Errorf("looking up account %s: %w", user, err)
	}
	if a.Disabled {
		return "", fmt.Errorf("account %s is disabled", user)
	}
	now := s.Now()
	payload, err := json.Marshal(subjectToken{
		Issuer: s.Issuer, Subject: a.ID, Audience: audience,
		IssuedAt: now.Unix(), Expires: now.Add(vouchFor).Unix(), ID: newID(),
		Name: a.Name, UpstreamIssuer: a.Issuer, UpstreamSubject: a.Subject,
	})
	if err != nil {
		return "", err
	}
	key, err := s.activeKey(ctx)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.SignatureAlgorithm(key.algorithm), Key: jose.JSONWebKey{Key: key.private, KeyID: key.KeyID}},
		(&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}
	return signed.CompactSerialize()
}
