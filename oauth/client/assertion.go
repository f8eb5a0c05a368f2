package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
	"rialto/oauth/internal/secret"
)

// assertionType is the client_assertion_type of a JWT (RFC 7523 section 2.2).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

const maxAssertionLife = 5 * time.Minute

// assertionClaims are what the assertion must say (RFC 7523 section 3).
type assertionClaims struct {
	Issuer    string       `json:"iss"`
	Subject   string       `json:"sub"`
	Audience  jwt.Audience `json:"aud"`
	Expires   int64        `json:"exp"`
	IssuedAt  int64        `json:"iat"`
	NotBefore int64        `json:"nbf"`
	ID        string       `json:"jti"`
}

// assertedClient returns the ID of the client that an assertion is about. It
// is a claim until the signature is checked.
func assertedClient(assertion string) string {
	t, ok := jwt.Parse(assertion)
	var c assertionClaims
	if !ok || t.Claims(&c) != nil {
		return ""
	}
	return c.Subject
}

// assertionHolds decides whether an assertion proves that its sender is the
// client. An assertion works once, so that an eavesdropper cannot use it. The
// error is an *oauth.Error, or that of the store.
func (au *Authenticator) assertionHolds(r *http.Request, c *oauth.Client, assertion string) error {
	t, err := au.checkSigned(r, c, assertion)
	if err != nil {
		return err
	}
	var claims assertionClaims
	if t.Claims(&claims) != nil {
		return badAssertion("Its claims aren't well formed.")
	}

	here := []string{au.Env.Issuer, au.Env.Issuer + "/token", au.Env.Issuer + r.URL.Path}
	if why := checkAssertion(claims, c.ID, here, au.Env.Now()); why != "" {
		return badAssertion(why)
	}

	err = au.Once.UseOnce(
		r.Context(),
		secret.Hash("assertion|"+c.ID+"|"+claims.ID),
		time.Unix(claims.Expires, 0).Add(jwt.Leeway),
	)
	if errors.Is(err, oauth.ErrReused) {
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
	case c.Expires <= 0 || !now.Before(expires.Add(jwt.Leeway)):
		return "It has expired."
	case expires.After(now.Add(maxAssertionLife + jwt.Leeway)):
		return "It lives for longer than five minutes."
	case time.Unix(c.IssuedAt, 0).After(now.Add(jwt.Leeway)) || time.Unix(c.NotBefore, 0).After(now.Add(jwt.Leeway)):
		return "It is from the future."
	case c.ID == "" || len(c.ID) > jwt.MaxID:
		return "It has no jti, or one that is too long."
	}

	return ""
}

// checkSigned checks form, header and signature.
func (au *Authenticator) checkSigned(
	r *http.Request, c *oauth.Client, assertion string,
) (*jwt.Token, error) {
	t, ok := jwt.Parse(assertion)
	var h jwt.Header
	if !ok || t.Header(&h) != nil {
		return nil, badAssertion("It isn't a signed JWT of the plain form.")
	}
	if !slices.Contains(jwt.Algorithms(), h.Algorithm) {
		return nil, badAssertion("Its algorithm is not supported.")
	}
	if !slices.Contains([]string{"", "JWT", "client-authentication+jwt"}, h.Type) {
		return nil, badAssertion("It is a token of another kind.")
	}

	keys, err := au.clientKeys(r, c, h.KeyID, h.Algorithm)
	if err != nil {
		return nil, err
	}
	if !t.SignedBy(h.Algorithm, keys...) {
		return nil, badAssertion("No key of the client has signed it.")
	}

	return t, nil
}

func badAssertion(why string) *oauth.Error {
	return oauth.Refuse("invalid_client", "The client_assertion is not valid. %s", why)
}

const maxClientKeys = 20

// clientKeys returns the keys of a client that may have signed with an
// algorithm under a key ID, which may be "".
func (au *Authenticator) clientKeys(
	r *http.Request,
	c *oauth.Client,
	keyID, alg string,
) ([]jose.JSONWebKey, error) {
	if c.KeysURI == "" {
		keys, err := jwt.ParseKeys([]byte(c.Keys), maxClientKeys)
		if err != nil {
			return nil, badAssertion("The client has no keys.")
		}
		return jwt.Usable(keys, keyID, alg), nil
	}

	keys, err := au.Keys.Find(
		r.Context(),
		c.KeysURI,
		keyID,
		alg,
		func(ctx context.Context) ([]jose.JSONWebKey, error) {
			body, _, err := au.Fetcher.fetch(ctx, r, c.KeysURI)
			if err != nil {
				return nil, err
			}
			return jwt.ParseKeys(body, maxClientKeys)
		},
	)
	if err != nil {
		return nil, &oauth.Error{
			Code:        "temporarily_unavailable",
			Description: "The keys of the client could not be fetched.",
			RetryAfter:  time.Minute,
		}
	}

	return keys, nil
}
