package token

import (
	"encoding/base64"

	"github.com/golang-jwt/jwt/v5"
)

// hs256Header is the header of every token that is made with a shared secret.
// It names no key: there is one, and no JWKS holds it.
const hs256Header = `{"alg":"HS256","typ":"` + AccessTokenType + `"}`

// mac makes a token of its claims with the shared secret.
func (ks *Keys) mac(payload []byte) (string, error) {
	b64 := base64.RawURLEncoding.EncodeToString
	signed := b64([]byte(hs256Header)) + "." + b64(payload)
	tag, err := jwt.SigningMethodHS256.Sign(signed, ks.TokenSecret)
	if err != nil {
		return "", err
	}
	return signed + "." + b64(tag), nil
}

// checkMAC checks a token that was split. Which algorithm is expected is the
// operator's choice and never the token's: a public key cannot be taken for a
// secret, because a server that has the one does not look for the other.
func (ks *Keys) checkMAC(h header, signed string, tag []byte) error {
	if h.Algorithm != HS256 || h.KeyID != "" {
		return BadToken("It is not an access token of this server.")
	}
	if jwt.SigningMethodHS256.Verify(signed, tag, ks.TokenSecret) != nil {
		return BadToken("It was not made by this server.")
	}
	return nil
}
