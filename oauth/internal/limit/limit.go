// Package limit slows callers down: token buckets, a backoff after failures, and a
// bound on what runs at once. It does not know who the callers are.
package limit

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"rialto/oauth/internal/cache"
)

// Rates holds token buckets by name and client address. It is bounded: at worst
// a client gets a fresh bucket.
type Rates struct {
	Buckets cache.LRU[string, *rate.Limiter]
}

// Take takes a token from a bucket and reports how long to wait if it is empty.
func (l *Rates) Take(key string, per time.Duration, burst int, now time.Time) (wait time.Duration) {
	l.Buckets.Update(key, func(b *rate.Limiter) *rate.Limiter {
		if b == nil {
			b = rate.NewLimiter(rate.Every(per), burst)
		}
		res := b.ReserveN(now, 1)
		if wait = res.DelayFrom(now); wait > 0 {
			res.CancelAt(now)
		}
		return b
	})
	return wait
}

// Backoff slows down callers that fail to sign in: a few attempts are free,
// then each failure doubles the wait, up to a quarter of an hour.
type Backoff struct {
	Failed cache.LRU[string, failure]
}

type failure struct {
	count int
	until time.Time
}

const (
	FreeAttempts = 5
	maxBackoff   = 15 * time.Minute
)

// Wait returns how long the key has to wait yet.
func (b *Backoff) Wait(key string, now time.Time) time.Duration {
	f, _ := b.Failed.Get(key)
	return max(0, f.until.Sub(now))
}

// Add counts a failure and returns what was known before.
func (b *Backoff) Add(key string, free int, now time.Time) (before failure) {
	b.Failed.Update(key, func(f failure) failure {
		if now.Sub(f.until) > maxBackoff {
			f.count = 0 // long ago
		}
		before = f
		f.count++
		f.until = now
		if over := f.count - free; over > 0 {
			f.until = now.Add(min(maxBackoff, time.Second<<min(over, 10)))
		}
		return f
	})
	return before
}

// Forgive takes back the failure that Add counted after before. Failures that were added meanwhile
// keep their wait: a caller who knows one password must not end the wait for other names.
func (b *Backoff) Forgive(key string, before failure) {
	b.Failed.Update(key, func(f failure) failure {
		if f.count == before.count+1 {
			return before
		}
		return failure{count: max(0, f.count-1), until: f.until}
	})
}

// Gate bounds what runs at once. Its zero value is open.
type Gate struct {
	once   sync.Once
	places chan struct{}
}

// Enter waits for one of n places; leave frees it. All calls must pass the same n.
func (g *Gate) Enter(ctx context.Context, n int) (leave func(), err error) {
	g.once.Do(func() { g.places = make(chan struct{}, n) })
	select {
	case g.places <- struct{}{}:
		return func() { <-g.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
