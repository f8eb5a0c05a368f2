package token

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
)

// header is all that the header of our tokens holds. A token with anything else in it (crit, jku,
// jwk, x5u, b64, zip) was not issued here, and is refused before anything is done with it.
type header struct {
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid,omitzero"` // none with a shared secret
	Type      string `json:"typ"`
}

// Verify decides whether a token is an access token of ours for one of our resources. It does not look at
// the grant. The library that checks the signature is lenient about form, header and claims, so
// these are checked here, strictly, cheap checks first.
func (ts *Tokens) Verify(ctx context.Context, token string) (oauth.Principal, error) {
	p, _, err := ts.verify(ctx, token)
	return p, err
}

// verify also returns the ID of the key that signed the token.
func (ts *Tokens) verify(
	ctx context.Context, token string,
) (p oauth.Principal, keyID string, err error) {
	t, ok := jwt.Parse(token)
	if !ok {
		return p, "", BadToken("It is not a token of this server.")
	}

	var h header
	if t.Header(&h) != nil || h.Type != AccessTokenType {
		return p, "", BadToken("It is not an access token of this server.")
	}

	keyID = h.KeyID
	if ts.Keys.Algorithm == HS256 {
		keyID, err = ts.Keys.checkMAC(t, h)
	} else {
		err = ts.checkSignature(ctx, t, h)
	}
	if err != nil {
		return p, "", err
	}

	p, err = ts.checkClaims(t)
	return p, keyID, err
}

// checkSignature checks a token with the key that it names and this key's one algorithm.
func (ts *Tokens) checkSignature(ctx context.Context, t *jwt.Token, h header) error {
	key, err := ts.Keys.verificationKey(ctx, h.KeyID)
	if err != nil {
		return err
	}
	if key == nil || h.Algorithm != key.algorithm {
		return BadToken("It was not signed by this server.")
	}
	if !t.SignedBy(key.algorithm, jose.JSONWebKey{Key: key.private.Public()}) {
		return BadToken("It was not signed by this server.")
	}

	return nil
}

// checkClaims decides about what the token says. A number that is no integer is no time: the decoder
// sees to that. Absent claims are zero, and zero passes none of the checks.
func (ts *Tokens) checkClaims(t *jwt.Token) (p oauth.Principal, err error) {
	var c claims
	if t.Claims(&c) != nil {
		return p, BadToken("Its claims aren't well formed.")
	}
	if why := ts.wrongClaims(&c); why != "" {
		return p, BadToken(why)
	}

	p = oauth.Principal{
		User:     c.Subject,
		ClientID: c.ClientID,
		GrantID:  c.GrantID,
		Scope:    oauth.ParseScope(c.Scope),
		Expires:  time.Unix(c.Expires, 0),
		Resource: c.Audience,
	}
	if c.Key != nil {
		p.KeyThumbprint = c.Key.JKT
	}

	return p, nil
}

// wrongClaims says what is wrong with the claims of a token, or "".
func (ts *Tokens) wrongClaims(c *claims) string {
	now := ts.Env.Now()
	switch {
	case c.Issuer != ts.Env.Issuer:
		return "Another server issued it."
	case ts.Resources.Of(c.Audience) == nil:
		return anotherResource
	case c.Subject == "" || c.ClientID == "" || c.GrantID == "" || c.ID == "":
		return "It lacks a claim."
	case c.Expires <= 0 || !now.Before(time.Unix(c.Expires, 0).Add(jwt.Leeway)):
		return "It has expired."
	case c.IssuedAt <= 0 || time.Unix(c.IssuedAt, 0).After(now.Add(jwt.Leeway)):
		return "It was issued in the future."
	case c.Key != nil && c.Key.JKT == "":
		return "It is bound in a way that is not known here."
	}

	return ""
}

// anotherResource is what is wrong with a token that is for another resource, or for one that is gone.
const anotherResource = "It is for another resource."

const BadTokenPrefix = "The access token is not valid. "

func BadToken(why string) *oauth.Error {
	return oauth.Refuse("invalid_token", "%s", BadTokenPrefix+why)
}

// Alive returns the principal and the grant of an access token, if both are in force, and its resource
// admits the account: for another account the resource does not exist. It does not check who presents
// the token. It waits for the store until a time.
func (ts *Tokens) Alive(
	ctx context.Context, token string, until time.Time,
) (oauth.Principal, *oauth.Grant, error) {
	p, err := ts.verifyCached(ctx, token, until)
	if err != nil {
		return oauth.Principal{}, nil, err
	}

	resource, g, err := ts.granted(ctx, p, until)
	if err != nil {
		return oauth.Principal{}, nil, err
	}

	p.Name = g.Name
	p.Connector = resource.Name
	p.Scope = resource.Within(g.Allows(p.Scope))
	return p, g, nil
}

// granted returns the resource and the grant of a principal, or why one of them is not in force.
func (ts *Tokens) granted(
	ctx context.Context, p oauth.Principal, until time.Time,
) (*oauth.Resource, *oauth.Grant, error) {
	resource := ts.Resources.Of(p.Resource)
	if resource == nil {
		return nil, nil, BadToken(anotherResource)
	}

	g, err := ts.Grants.Live(ctx, p.GrantID, until)
	if err != nil {
		return nil, nil, err
	}
	if g == nil || g.AccountID != p.User || g.ClientID != p.ClientID {
		return nil, nil, BadToken("It was revoked.")
	}
	if !resource.Admits(g.Name) {
		return nil, nil, &oauth.Error{
			Code:        "not_found",
			Description: "There is nothing at this address for this account.",
			HTTPStatus:  http.StatusNotFound,
		}
	}

	return resource, g, nil
}

// verifyCached verifies a token, or remembers that it did.
func (ts *Tokens) verifyCached(
	ctx context.Context, token string, until time.Time,
) (oauth.Principal, error) {
	if len(token) > jwt.MaxToken {
		return oauth.Principal{}, BadToken("It is too long.")
	}

	var room [1024]byte // enough for most tokens, and not on the heap
	key := sha256.Sum256(append(room[:0], token...))
	if v, ok := ts.verified.Get(key); ok && ts.Env.Now().Before(v.Expires) {
		return v.Principal, ts.stillSigned(ctx, v.keyID, until)
	}

	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	p, keyID, err := ts.verify(ctx, token)
	if err == nil {
		ts.verified.Put(key, verifiedToken{p, keyID})
	}

	return p, err
}

// verifiedToken is what a token said whose signature was checked, and the key that signed it.
type verifiedToken struct {
	oauth.Principal
	keyID string // for HS256 the secret
}

// stillSigned refuses a token whose key was revoked since its signature was checked.
func (ts *Tokens) stillSigned(ctx context.Context, keyID string, until time.Time) error {
	if ts.Keys.Algorithm == HS256 {
		if !slices.Contains(ts.Keys.tokenSecrets(), keyID) {
			return BadToken("It was not made by this server.")
		}
		return nil
	}
	if ts.Keys.cached(keyID) != nil {
		return nil
	}

	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	key, err := ts.Keys.verificationKey(ctx, keyID)
	if err == nil && key == nil {
		err = BadToken("It was not signed by this server.")
	}

	return err
}
