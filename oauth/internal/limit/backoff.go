package limit

import (
	"time"

	"rialto/oauth/internal/cache"
)

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

// Forgive takes back the failure that Add counted after before. Failures that
// were added meanwhile keep their wait: a caller who knows one password must
// not end the wait for other names.
func (b *Backoff) Forgive(key string, before failure) {
	b.Failed.Update(key, func(f failure) failure {
		if f.count == before.count+1 {
			return before
		}
		return failure{count: max(0, f.count-1), until: f.until}
	})
}
