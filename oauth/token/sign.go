package token

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"rialto/oauth/internal/jwt"
)

// Sign returns a JWT of claims, which must have a JSON form, signed with the active key, which the
// JWKS publishes. Its type is "JWT", so that it cannot be taken for an access token (RFC 9068
// section 4). It fails with ErrNoKeys if access tokens take a secret.
func (ks *Keys) Sign(ctx context.Context, claims any) (string, error) {
	key, err := ks.publishedKey(ctx)
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encoding claims: %w", err)
	}
	return key.sign("JWT", payload)
}

// sign returns a JWT of the type.
func (k *signingKey) sign(kind string, payload []byte) (string, error) {
	return jwt.Sign(k.algorithm, k.private, header{k.algorithm, k.KeyID, kind}, payload)
}
