package jwt

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"

	"rialto/oauth/internal/cache"
)

// How long fetched keys are used. An unknown key ID fetches them again, seldom
// enough that strangers cannot make us a nuisance.
const (
	keysFresh  = 5 * time.Minute
	keysReload = 30 * time.Second
	keysStale  = time.Hour // when they cannot be fetched again
	// KeysRetry is how long a failed fetch is not repeated.
	KeysRetry = 10 * time.Second
)

// KeySets caches the JWK sets of others by name.
type KeySets struct {
	Now func() time.Time
	Log *slog.Logger

	known   cache.LRU[string, keySet]
	failed  cache.LRU[string, time.Time]
	fetches singleflight.Group
}

type keySet struct {
	keys []jose.JSONWebKey
	at   time.Time
}

// Find returns the keys of a set that may have signed with an algorithm under a
// key ID, which may be "". Concurrent calls share one fetch.
func (ks *KeySets) Find(ctx context.Context, name, keyID, alg string, fetch func(context.Context) ([]jose.JSONWebKey, error)) ([]jose.JSONWebKey, error) {
	for _, fresh := range []time.Duration{keysFresh, keysReload} {
		keys, err := ks.keys(ctx, name, fresh, fetch)
		if err != nil {
			return nil, err
		}
		if found := Usable(keys, keyID, alg); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// keys returns a set, fetched if the cached one is older than fresh. If the fetch
// fails, a cached set is good for an hour.
func (ks *KeySets) keys(ctx context.Context, name string, fresh time.Duration, fetch func(context.Context) ([]jose.JSONWebKey, error)) ([]jose.JSONWebKey, error) {
	known, ok := ks.known.Get(name)
	age := ks.Now().Sub(known.at)
	if ok && age >= 0 && age < fresh {
		return known.keys, nil
	}
	fetched, err, _ := ks.fetches.Do(name, func() (any, error) {
		return ks.fetch(context.WithoutCancel(ctx), name, fetch)
	})
	if err == nil {
		return fetched.([]jose.JSONWebKey), nil
	}
	ks.Log.WarnContext(ctx, "oauth: keys not fetched", "of", name, "error", err)
	if ok && age < keysStale {
		return known.keys, nil
	}
	return nil, err
}

func (ks *KeySets) fetch(ctx context.Context, name string, fetch func(context.Context) ([]jose.JSONWebKey, error)) ([]jose.JSONWebKey, error) {
	failed, ok := ks.failed.Get(name)
	if wait := failed.Add(KeysRetry).Sub(ks.Now()); ok && wait > 0 {
		return nil, fmt.Errorf("it failed a moment ago; trying again in %v", wait)
	}
	keys, err := fetch(ctx)
	if err != nil {
		ks.failed.Put(name, ks.Now())
		return nil, err
	}
	ks.known.Put(name, keySet{keys, ks.Now()})
	return keys, nil
}
