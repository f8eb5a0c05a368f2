// Package jwt reads signed JWTs and JWK sets strictly. It does not know what their claims mean.
package jwt

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/oauth/internal/secret"
)

// MaxID bounds the ID of a JWT.
const MaxID = 256

// Algorithms lists how a client may sign. None of them is symmetric: a
// public key must never be taken for a shared secret.
func Algorithms() []string {
	return []string{"ES256", "ES384", "PS256", "RS256", "EdDSA"}
}

// Header is all that the header of a client's assertion may hold. What would point us to another
// key (jku, jwk, x5u, x5c) or change what the token means (crit, b64, zip) is unknown, and refused.
type Header struct {
	Algorithm string         `json:"alg"`
	KeyID     string         `json:"kid"`
	Type      string         `json:"typ"`
	X5T       jsontext.Value `json:"x5t"` // hints for those who look keys up by certificate
	X5TS256   jsontext.Value `json:"x5t#S256"`
}

// Audience is one audience or several.
type Audience []string

// UnmarshalJSON reads a string or a list of strings (RFC 7519 section 4.1.3).
func (a *Audience) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*a = Audience{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(a))
}

const MaxToken = 8 << 10

// Leeway is between the clocks of replicas.
const Leeway = time.Minute

// Split decodes the three parts of a compact JWS. It refuses padding, white
// space, unused bits and everything else that would give one token two
// spellings, and the five parts of an encrypted token.
func Split(token string) (parts [3][]byte, ok bool) {
	if len(token) > MaxToken || strings.Count(token, ".") != 2 {
		return parts, false
	}
	for i, encoded := range strings.SplitN(token, ".", 3) {
		// The decoder would skip line breaks.
		if encoded == "" || !secret.IsBase64URL(encoded) {
			return parts, false
		}
		b, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil {
			return parts, false
		}
		parts[i] = b
	}
	return parts, true
}
