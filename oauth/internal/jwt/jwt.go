// Package jwt makes signed JWTs, and reads them and JWK sets strictly. It does not know what their claims mean.
package jwt

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

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

// Token is a JWT. The caller of Parse checks its header, its signature and its claims.
type Token struct {
	Payload []byte // its claims

	header    []byte
	signature []byte
	signed    string // header and payload as they were sent
}

// Parse decodes the three parts of a compact JWS. It refuses padding, white
// space, unused bits and everything else that would give one token two
// spellings, and the five parts of an encrypted token.
func Parse(token string) (*Token, bool) {
	if len(token) > MaxToken || strings.Count(token, ".") != 2 {
		return nil, false
	}

	var parts [3][]byte
	for i, encoded := range strings.SplitN(token, ".", 3) {
		// The decoder would skip line breaks.
		if encoded == "" || !secret.IsBase64URL(encoded) {
			return nil, false
		}
		b, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil {
			return nil, false
		}
		parts[i] = b
	}

	signed := token[:strings.LastIndexByte(token, '.')]
	return &Token{
		header:    parts[0],
		Payload:   parts[1],
		signature: parts[2],
		signed:    signed,
	}, true
}

// Header reads the header into a struct that has all members that it may hold.
func (t *Token) Header(into any) error {
	return json.Unmarshal(t.header, into, json.RejectUnknownMembers(true))
}

// Claims reads the claims, of which others than those in the struct may be there. A name in other
// letter case is another name, and one that comes twice is an error.
func (t *Token) Claims(into any) error { return json.Unmarshal(t.Payload, into) }

// SignedBy tells whether one of the keys has signed the token with an algorithm that is the
// key's own.
func (t *Token) SignedBy(algorithm string, keys ...jose.JSONWebKey) bool {
	return slices.ContainsFunc(keys, func(key jose.JSONWebKey) bool {
		return slices.Contains(algsOf(key), algorithm) &&
			jwt.GetSigningMethod(algorithm).Verify(t.signed, t.signature, key.Key) == nil
	})
}

// SignedWith tells whether the token is signed with a secret, by HS256.
func (t *Token) SignedWith(secret []byte) bool {
	return jwt.SigningMethodHS256.Verify(t.signed, t.signature, secret) == nil
}

// Sign returns the JWT of a header and of claims in JSON.
func Sign(algorithm string, key, header any, payload []byte) (string, error) {
	head, err := json.Marshal(header)
	if err != nil {
		return "", err
	}

	b64 := base64.RawURLEncoding.EncodeToString
	signed := b64(head) + "." + b64(payload)
	signature, err := jwt.GetSigningMethod(algorithm).Sign(signed, key)
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}

	return signed + "." + b64(signature), nil
}
