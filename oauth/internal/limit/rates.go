// Package limit slows callers down: token buckets, a backoff after failures, and a
// bound on what runs at once. It does not know who the callers are.
package limit

import (
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
