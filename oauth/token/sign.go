package token

import (
	"context"
	"fmt"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

// Sign returns a JWT of claims, which must have a JSON form, signed with the active key, which the
// JWKS publishes. Its type is "JWT", so that it cannot be taken for an access token (RFC 9068
// section 4). It fails with ErrNoKeys if access tokens take a secret.
func (ks *Keys) Sign(ctx context.Context, claims any) (string, error) {
	key, _, err := ks.PublishedKey(ctx)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encoding claims: %w", err)
	}
	return compact(signer, payload)
}

func compact(signer jose.Signer, payload []byte) (string, error) {
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}
	return signed.CompactSerialize()
}
