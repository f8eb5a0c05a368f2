package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// assertionType is the client_assertion_type of a JWT (RFC 7523 section 2.2).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

const maxAssertionLife = 5 * time.Minute

// maxJTI bounds the ID of a JWT.
const maxJTI = 256

// assertionAlgs lists how a client may sign. None of them is symmetric: a
// public key must never be taken for a shared secret.
func assertionAlgs() []string {
	return []string{"ES256", "ES384", "PS256", "RS256", "EdDSA"}
}

// assertionHeader is all that the header of a client's assertion may hold. What
// would point us to another key (jku, jwk, x5u, x5c) or change what the token
// means (crit, b64, zip) is unknown, and refused.
type assertionHeader struct {
	Algorithm string         `json:"alg"`
	KeyID     string         `json:"kid"`
	Type      string         `json:"typ"`
	X5T       jsontext.Value `json:"x5t"` // hints for those who look keys up by certificate
	X5TS256   jsontext.Value `json:"x5t#S256"`
}

// assertionClaims are what the assertion must say (RFC 7523 section 3).
type assertionClaims struct {
	Issuer    string   `json:"iss"`
	Subject   string   `json:"sub"`
	Audience  audience `json:"aud"`
	Expires   int64    `json:"exp"`
	IssuedAt  int64    `json:"iat"`
	NotBefore int64    `json:"nbf"`
	ID        string   `json:"jti"`
}

// audience is one audience or several.
type audience []string

// UnmarshalJSON reads a string or a list of strings (RFC 7519 section 4.1.3).
func (a *audience) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(a))
}

// assertedClient returns the ID of the client that an assertion is about. It
// is a claim until the signature is checked.
func assertedClient(assertion string) string {
	parts, ok := splitToken(assertion)
	var c assertionClaims
	if !ok || json.Unmarshal(parts[1], &c) != nil {
		return ""
	}
	return c.Subject
}

// assertionHolds decides whether an assertion proves that its sender is the
// client. An assertion works once: whoever reads it on its way cannot use it.
// It returns nil, an *Error, or the failure of what had to be asked.
func (s *Server) assertionHolds(ctx context.Context, r *http.Request, c *Client, assertion string) error {
	payload, err := s.assertionPayload(ctx, c, assertion)
	if err != nil {
		return err
	}
	var claims assertionClaims
	if json.Unmarshal(payload, &claims) != nil {
		return badAssertion("Its claims are not well formed.")
	}
	here := []string{s.Issuer, s.Issuer + "/token", s.Issuer + r.URL.Path}
	if why := checkAssertion(claims, c.ID, here, s.Now()); why != "" {
		return badAssertion(why)
	}
	err = s.Store.UseOnce(ctx, hash("assertion|"+c.ID+"|"+claims.ID), time.Unix(claims.Expires, 0).Add(leeway))
	if errors.Is(err, ErrReused) {
		return badAssertion("It was used before.")
	}
	return err
}

// checkAssertion says what is wrong with an assertion's claims, or "".
func checkAssertion(c assertionClaims, client string, here []string, now time.Time) string {
	expires := time.Unix(c.Expires, 0)
	switch {
	case c.Issuer != client || c.Subject != client:
		return "iss and sub must both be the client_id."
	case !slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(here, a) }):
		return "aud must be the issuer or the token endpoint."
	case c.Expires <= 0 || !now.Before(expires.Add(leeway)):
		return "It has expired."
	case expires.After(now.Add(maxAssertionLife + leeway)):
		return "It lives for longer than five minutes."
	case time.Unix(c.IssuedAt, 0).After(now.Add(leeway)) || time.Unix(c.NotBefore, 0).After(now.Add(leeway)):
		return "It is from the future."
	case c.ID == "" || len(c.ID) > maxJTI:
		return "It has no jti, or one that is too long."
	}
	return ""
}

// assertionPayload checks form, header and signature.
func (s *Server) assertionPayload(ctx context.Context, c *Client, assertion string) ([]byte, error) {
	parts, ok := splitToken(assertion)
	var h assertionHeader
	if !ok || json.Unmarshal(parts[0], &h, json.RejectUnknownMembers(true)) != nil {
		return nil, badAssertion("It is not a signed JWT of the plain form.")
	}
	if !slices.Contains(assertionAlgs(), h.Algorithm) {
		return nil, badAssertion("Its algorithm is not supported.")
	}
	if !slices.Contains([]string{"", "JWT", "client-authentication+jwt"}, h.Type) {
		return nil, badAssertion("It is a token of another kind.")
	}
	signed, err := jose.ParseSignedCompact(assertion, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(h.Algorithm)})
	if err != nil {
		return nil, badAssertion("It is not well formed.")
	}
	keys, err := s.clientKeys(ctx, c, h.KeyID, h.Algorithm)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if payload, err := signed.Verify(key.Key); err == nil {
			return payload, nil
		}
	}
	return nil, badAssertion("No key of the client has signed it.")
}

func badAssertion(why string) *Error {
	return refuse("invalid_client", "The client_assertion is not valid. %s", why)
}
