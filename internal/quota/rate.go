package quota

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"rialto/internal/lru"
)

// Bucket is how often something may happen: Burst times at once, and then as often in each Window,
// evenly.
type Bucket struct {
	Name   string // in the headers of responses
	Burst  int
	Window time.Duration
}

// PerMinute returns the bucket with another rate. Burst changes in proportion.
func (b Bucket) PerMinute(n int) Bucket {
	b.Burst = max(1, n*int(b.Window/time.Second)/60)
	b.Window = time.Duration(b.Burst) * time.Minute / time.Duration(n)
	return b
}

// Key is a caller, or a group of callers that has as much as Times single ones; 0 is one.
type Key struct {
	Name  string
	Times int
}

// Rate bounds how often something happens, by key. It keeps the token buckets of the lru.Size keys that
// were used last: at worst, a key gets a full one. Its zero value is ready.
type Rate struct {
	buckets lru.Cache[string, *rate.Limiter]
}

// Take takes a token for each key, and none if one has none left. The refusal has RetryAfter.
func (r *Rate) Take(b Bucket, now time.Time, keys ...Key) *Refusal {
	var wait time.Duration
	var taken []*rate.Reservation
	for _, key := range keys {
		t := r.bucket(b, key).ReserveN(now, 1)
		wait = max(wait, t.DelayFrom(now))
		taken = append(taken, t)
	}

	if wait == 0 {
		return nil
	}

	for _, t := range taken {
		t.CancelAt(now)
	}

	return &Refusal{Limit: b.Burst, Used: b.Burst, RetryAfter: wait}
}

// Wait takes n tokens for a key, of which a bucket may have fewer at once. It waits until they are
// there, or ctx ends.
func (r *Rate) Wait(ctx context.Context, b Bucket, key string, n int) error {
	return r.bucket(b, Key{Name: key}).WaitN(ctx, min(n, b.Burst))
}

// Left returns how many tokens a key has.
func (r *Rate) Left(b Bucket, now time.Time, key string) int {
	return max(0, int(r.bucket(b, Key{Name: key}).TokensAt(now)))
}

// bucket returns the bucket of a key. One that has another size than before is full, so that a higher
// limit is in force at once.
func (r *Rate) bucket(b Bucket, key Key) *rate.Limiter {
	burst := b.Burst * max(1, key.Times)
	return r.buckets.Update(key.Name, func(l *rate.Limiter) *rate.Limiter {
		if l == nil || l.Burst() != burst {
			return rate.NewLimiter(rate.Limit(float64(burst)/b.Window.Seconds()), burst)
		}
		return l
	})
}
