package client

import (
	"context"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
)

const (
	maxClientKeys    = 20
	clientKeysFresh  = 5 * time.Minute
	clientKeysReload = 30 * time.Second // how often an unknown key ID may make us look again
	clientKeysStale  = time.Hour        // how long keys are good that cannot be fetched again
)

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
	for _, fresh := range []time.Duration{clientKeysFresh, clientKeysReload} {
		keys, err := au.keysAt(ctx, c.KeysURI, fresh)
		if err != nil {
			return nil, err
		}
		if found := jwt.Usable(keys, keyID, alg); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// keysAt returns the keys at an address, fetched if what we have is older than
// fresh. When they cannot be fetched, what we have is good for an hour.
func (au *Authenticator) keysAt(ctx context.Context, uri string, fresh time.Duration) ([]jose.JSONWebKey, error) {
	known, ok := au.keys.Get(uri)
	age := au.Now().Sub(known.At)
	if ok && age >= 0 && age < fresh {
		return known.Keys, nil
	}
	fetched, err, _ := au.fetches.Do("keys "+uri, func() (any, error) {
		return au.fetchKeys(context.WithoutCancel(ctx), uri)
	})
	if err == nil {
		return fetched.([]jose.JSONWebKey), nil
	}
	au.Log.WarnContext(ctx, "oauth: keys of a client not fetched", "uri", uri, "error", err)
	if ok && age < clientKeysStale {
		return known.Keys, nil
	}
	return nil, &oauth.Error{Code: "temporarily_unavailable", Description: "The keys of the client could not be fetched.", RetryAfter: time.Minute}
}

func (au *Authenticator) fetchKeys(ctx context.Context, uri string) ([]jose.JSONWebKey, error) {
	body, _, err := au.Fetcher.fetch(ctx, uri)
	if err != nil {
		return nil, err
	}
	keys, err := jwt.ParseKeys(body, maxClientKeys)
	if err != nil {
		return nil, err
	}
	au.keys.Put(uri, jwt.FetchedKeys{Keys: keys, At: au.Now()})
	return keys, nil
}
