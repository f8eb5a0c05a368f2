package jwt

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-jose/go-jose/v4"

	"rialto/oauth/internal/cache"
)

// How long fetched keys are used. An unknown key ID fetches them again, seldom
// enough that attackers cannot make us flood the other server.
const (
	keysFresh  = 5 * time.Minute
	keysReload = 30 * time.Second
	keysStale  = time.Hour // when they cannot be fetched again
	// KeysRetry is how long a failed fetch is not repeated.
	KeysRetry = 10 * time.Second
)

// KeySets caches the JWK sets of others by name.
type KeySets struct {
	cache.Fetched[[]jose.JSONWebKey]
}

// NewKeySets returns an empty cache.
func NewKeySets(now func() time.Time, log *slog.Logger) *KeySets {
	return &KeySets{cache.Fetched[[]jose.JSONWebKey]{Now: now, Log: log, Retry: KeysRetry}}
}

// Find returns the keys of a set that may have signed with an algorithm under a
// key ID, which may be "".
func (ks *KeySets) Find(
	ctx context.Context,
	name, keyID, alg string,
	fetch func(context.Context) ([]jose.JSONWebKey, error),
) ([]jose.JSONWebKey, error) {
	for _, fresh := range []time.Duration{keysFresh, keysReload} {
		keys, err := ks.Get(ctx, name, fresh, keysStale, fetch)
		if err != nil {
			return nil, err
		}
		if found := Usable(keys, keyID, alg); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}
