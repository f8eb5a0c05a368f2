package client

import (
	"context"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
)

const maxClientKeys = 20

// clientKeys returns the keys of a client that may have signed with an
// algorithm under a key ID, which may be "".
func (au *Authenticator) clientKeys(ctx context.Context, c *oauth.Client, keyID, alg string) ([]jose.JSONWebKey, error) {
	if c.KeysURI == "" {
		keys, err := jwt.ParseKeys([]byte(c.Keys), maxClientKeys)
		if err != nil {
			return nil, badAssertion("The client has no keys.")
		}
		return jwt.Usable(keys, keyID, alg), nil
	}
	keys, err := au.Keys.Find(ctx, c.KeysURI, keyID, alg, func(ctx context.Context) ([]jose.JSONWebKey, error) {
		body, _, err := au.Fetcher.fetch(ctx, c.KeysURI)
		if err != nil {
			return nil, err
		}
		return jwt.ParseKeys(body, maxClientKeys)
	})
	if err != nil {
		return nil, &oauth.Error{Code: "temporarily_unavailable", Description: "The keys of the client could not be fetched.", RetryAfter: time.Minute}
	}
	return keys, nil
}
