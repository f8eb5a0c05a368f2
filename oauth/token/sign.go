package token

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

// Sign returns a JWT of claims, which must have a JSON form, signed with the
// active key, which the JWKS publishes. Its type is "JWT", so that it cannot be
// taken for an access token (RFC 9068 section 4). With HS256 no key is
// published, and Sign fails.
func (ks *Keys) Sign(ctx context.Context, claims any) (string, error) {
	if ks.Algorithm == HS256 {
		return "", errors.New("signing: there is no public key, because access tokens take a secret (HS256)")
	}
	key, err := ks.Active(ctx)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.SignatureAlgorithm(key.Algorithm), Key: jose.JSONWebKey{Key: key.Private, KeyID: key.KeyID}},
		(&jose.SignerOptions{}).WithType("JWT"),
	)
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encoding claims: %w", err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}
	return signed.CompactSerialize()
}
