package token

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
)

// externalClaims is what an access token of another issuer says.
type externalClaims struct {
	Issuer    string       `json:"iss"`
	Subject   string       `json:"sub"`
	Audience  jwt.Audience `json:"aud"`
	ClientID  string       `json:"client_id"`
	Scope     string       `json:"scope"`
	Expires   int64        `json:"exp"`
	IssuedAt  int64        `json:"iat"`
	NotBefore int64        `json:"nbf"`
	ID        string       `json:"jti"`

	Key *Confirmation `json:"cnf"`

	// Only ID tokens have these.
	Nonce    jsontext.Value `json:"nonce"`
	AtHash   jsontext.Value `json:"at_hash"`
	CodeHash jsontext.Value `json:"c_hash"`
}

// VerifyExternal decides whether a token is an access token of the issuer that is meant for us, and
// returns what it says. It returns an *Error with the code invalid_token, or *errUnreachable when
// the issuer's keys cannot be had. Nothing is fetched before the token names the issuer.
func (iss *Issuers) VerifyExternal(
	ctx context.Context, is *Issuer, token string,
) (*externalClaims, error) {
	t, ok := jwt.Parse(token)
	if !ok {
		return nil, BadToken("It isn't a signed JWT of the plain form.")
	}

	h, why := externalHeader(t, is.SigningAlgorithms())
	if why != "" {
		return nil, BadToken(why)
	}

	var claims externalClaims
	if t.Claims(&claims) != nil {
		return nil, BadToken("Its claims aren't well formed.")
	}
	if why := checkExternal(&claims, is, iss.Env.Now()); why != "" {
		return nil, BadToken(why)
	}
	if err := iss.SignedBy(ctx, is, t, h); err != nil {
		return nil, err
	}

	return &claims, nil
}

// externalHeader reads the header of an access token and says what is wrong
// with it, or "". assertionHeader bounds what it may hold: what points to
// another key, or changes what the token means, is refused unread.
func externalHeader(t *jwt.Token, algorithms []string) (h jwt.Header, why string) {
	switch err := t.Header(&h); {
	case err != nil:
		return h, "Its header holds something that isn't understood here."
	case !slices.Contains(algorithms, h.Algorithm):
		return h, "Its algorithm isn't one that the issuer uses."
	case !slices.Contains([]string{AccessTokenType, "application/" + AccessTokenType, "JWT"}, h.Type):
		return h, "It is a token of another kind."
	}
	return h, ""
}

// checkExternal says what is wrong with the claims, or "". They are claims until
// the signature is checked, and are looked at first because that is cheaper.
func checkExternal(c *externalClaims, is *Issuer, now time.Time) string {
	switch {
	case c.Issuer != is.URL:
		return "Another issuer made it."
	case !slices.ContainsFunc(c.Audience, func(a string) bool { return a != "" && slices.Contains(is.Audiences, a) }):
		return "It is meant for another audience."
	case c.Subject == "" || len(c.Subject) > oauth.MaxSubject:
		return "It doesn't say whom it stands for."
	case c.Expires <= 0:
		return "It doesn't say when it ends."
	case !now.Before(time.Unix(c.Expires, 0)):
		return "It has expired."
	case time.Unix(c.NotBefore, 0).After(now.Add(jwt.Leeway)) || time.Unix(c.IssuedAt, 0).After(now.Add(jwt.Leeway)):
		return "It is from the future."
	case c.Scope == "" && (c.Nonce != nil || c.AtHash != nil || c.CodeHash != nil):
		return "It is an ID token, which says who you are and opens nothing."
	}
	return ""
}

// SignedBy checks the signature of a token with the keys of an issuer.
func (iss *Issuers) SignedBy(ctx context.Context, is *Issuer, t *jwt.Token, h jwt.Header) error {
	keys, err := iss.Keys.Find(ctx, is.URL, h.KeyID, h.Algorithm, is.keys)
	if err != nil {
		return &ErrUnreachable{Err: err}
	}
	if !t.SignedBy(h.Algorithm, keys...) {
		return BadToken("No key of the issuer has signed it.")
	}
	return nil
}
