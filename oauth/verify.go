package oauth

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

const maxToken = 8 << 10

// leeway is between the clocks of replicas.
const leeway = time.Minute

// header is all that the header of our tokens holds. A token with anything
// else in it (crit, jku, jwk, x5u, b64, zip) is none of ours, and is refused
// before anything is done with it.
type header struct {
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid"`
	Type      string `json:"typ"`
}

// verify decides whether a token is an access token of ours for our resource,
// by itself: whether its grant is alive is another question. The library that
// checks the signature is lenient about what surrounds it, so the form, the
// header and the claims are checked here, strictly, and cheap things first.
func (s *Server) verify(ctx context.Context, token string) (Principal, error) {
	parts, ok := splitToken(token)
	if !ok {
		return Principal{}, badToken("It is not a token of this server.")
	}
	var h header
	if json.Unmarshal(parts[0], &h, json.RejectUnknownMembers(true)) != nil || h.Type != accessTokenType {
		return Principal{}, badToken("It is not an access token of this server.")
	}
	if s.Algorithm == HS256 {
		if err := s.checkMAC(h, token[:strings.LastIndexByte(token, '.')], parts[2]); err != nil {
			return Principal{}, err
		}
	} else if err := s.checkSignature(ctx, h, token); err != nil {
		return Principal{}, err
	}
	return s.checkClaims(parts[1])
}

// checkSignature checks a token with the key that it names, and with the one
// algorithm of that key.
func (s *Server) checkSignature(ctx context.Context, h header, token string) error {
	key, err := s.verificationKey(ctx, h.KeyID)
	if err != nil {
		return err
	}
	if key == nil || h.Algorithm != key.algorithm {
		return badToken("It was not signed by this server.")
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(key.algorithm)})
	if err != nil {
		return badToken("It is not well formed.")
	}
	if _, err := signed.Verify(key.private.Public()); err != nil {
		return badToken("It was not signed by this server.")
	}
	return nil
}

// splitToken decodes the three parts of a compact JWS. Padding, white space,
// bits that do not count and everything else that would give one token two
// spellings is refused, and so are the five parts of an encrypted token.
func splitToken(token string) (parts [3][]byte, ok bool) {
	if len(token) > maxToken || strings.Count(token, ".") != 2 {
		return parts, false
	}
	for i, encoded := range strings.SplitN(token, ".", 3) {
		// The decoder would skip line breaks.
		if encoded == "" || !isBase64URL(encoded) {
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

// checkClaims decides about what the token says. A name in other letter case
// is another name, one that comes twice is an error, and a number that is no
// integer is no time: the decoder sees to that. Absent claims are zero, and
// zero passes none of the checks.
func (s *Server) checkClaims(payload []byte) (Principal, error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return Principal{}, badToken("Its claims are not well formed.")
	}
	now := s.Now()
	switch {
	case c.Issuer != s.Issuer:
		return Principal{}, badToken("Another server issued it.")
	case c.Audience != s.Resource || s.Resource == "":
		return Principal{}, badToken("It is for another resource.")
	case c.Subject == "" || c.ClientID == "" || c.GrantID == "" || c.ID == "":
		return Principal{}, badToken("It lacks a claim.")
	case c.Expires <= 0 || !now.Before(time.Unix(c.Expires, 0).Add(leeway)):
		return Principal{}, badToken("It has expired.")
	case c.IssuedAt <= 0 || time.Unix(c.IssuedAt, 0).After(now.Add(leeway)):
		return Principal{}, badToken("It was issued in the future.")
	}
	if c.Key != nil && c.Key.JKT == "" {
		return Principal{}, badToken("It is bound in a way that is not known here.")
	}
	p := Principal{
		User:     c.Subject,
		ClientID: c.ClientID,
		GrantID:  c.GrantID,
		Scope:    parseScope(c.Scope),
		Expires:  time.Unix(c.Expires, 0),
	}
	if c.Key != nil {
		p.jkt = c.Key.JKT
	}
	return p, nil
}

const badTokenPrefix = "The access token is not valid. "

func badToken(why string) *Error {
	return refuse("invalid_token", "%s", badTokenPrefix+why)
}
