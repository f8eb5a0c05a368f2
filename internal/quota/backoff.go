package quota

import (
	"time"

	"rialto/internal/lru"
)

// Backoff slows down keys that fail to sign in or to authenticate: a few attempts are free, then each
// failure doubles the wait, up to a quarter of an hour. Its zero value is empty.
type Backoff struct {
	failed lru.Cache[string, failure]
}

type failure struct {
	count int
	until time.Time
}

const (
	freeAttempts = 5
	maxBackoff   = 15 * time.Minute
)

// Wait returns how long the key has to wait yet.
func (b *Backoff) Wait(key string, now time.Time) time.Duration {
	f, _ := b.failed.Get(key)
	return max(0, f.until.Sub(now))
}

// Add counts a failure, unless the key has to wait.
func (b *Backoff) Add(key string, now time.Time) (wait time.Duration) {
	b.failed.Update(key, func(f failure) failure {
		wait = max(0, f.until.Sub(now))
		if wait > 0 {
			return f
		}
		if now.Sub(f.until) > maxBackoff {
			f.count = 0 // long ago
		}
		f.count++
		f.until = now
		if over := f.count - freeAttempts; over > 0 {
			f.until = now.Add(min(maxBackoff, time.Second<<min(over, 10)))
		}
		return f
	})
	return wait
}

// Forget forgets the failures of a key.
func (b *Backoff) Forget(key string) { b.failed.Drop(key) }
