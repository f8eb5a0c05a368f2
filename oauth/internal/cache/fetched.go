package cache

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"rialto/internal/lru"
)

// Fetched caches what is fetched from other servers, by name. Concurrent calls
// share one fetch, which continues when the first caller hangs up.
type Fetched[V any] struct {
	Now   func() time.Time
	Log   *slog.Logger
	Retry time.Duration // how long a failed fetch is not repeated

	known   lru.Cache[string, Seen[V]]
	failed  lru.Cache[string, time.Time]
	fetches singleflight.Group
}

// Get returns a value, fetched if the cached one is older than fresh. If the fetch
// fails, it returns the cached value unless that is older than stale.
func (f *Fetched[V]) Get(
	ctx context.Context,
	name string,
	fresh, stale time.Duration,
	fetch func(context.Context) (V, error),
) (V, error) {
	known, ok := f.known.Get(name)
	now := f.Now()
	if ok && known.Fresh(now, fresh) {
		return known.Value, nil
	}

	fetched, err, _ := f.fetches.Do(name, func() (any, error) {
		return f.fetch(context.WithoutCancel(ctx), name, fetch)
	})
	if err == nil {
		return fetched.(V), nil
	}

	f.Log.WarnContext(ctx, "oauth: not fetched", "from", name, "error", err)
	if ok && now.Sub(known.At) < stale {
		return known.Value, nil
	}

	return known.Value, err
}

func (f *Fetched[V]) fetch(
	ctx context.Context, name string, fetch func(context.Context) (V, error),
) (v V, err error) {
	failed, ok := f.failed.Get(name)
	if wait := failed.Add(f.Retry).Sub(f.Now()); ok && wait > 0 {
		return v, fmt.Errorf("it failed a moment ago; trying again in %v", wait)
	}

	v, err = fetch(ctx)
	if err != nil {
		f.failed.Put(name, f.Now())
		return v, err
	}

	f.known.Put(name, Seen[V]{Value: v, At: f.Now()})
	return v, nil
}
