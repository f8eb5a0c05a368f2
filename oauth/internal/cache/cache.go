// Package cache caches what was looked up or fetched. It does not know what that is.
package cache

import (
	"sync"
	"time"

	"rialto/internal/lru"
)

// recentTTL is how long a lookup is cached.
const recentTTL = 2 * time.Second

// Recent caches lookups for two seconds, by ID. Its zero value is empty.
type Recent[V any] struct {
	seen lru.Cache[string, Seen[V]]

	mu    sync.Mutex
	epoch int // counts changes in this process
}

// Seen is a cached value and when it was read.
type Seen[V any] struct {
	Value V
	At    time.Time
	Epoch int
}

// Fresh tells whether the value was read less than ttl ago.
func (s Seen[V]) Fresh(now time.Time, ttl time.Duration) bool {
	age := now.Sub(s.At)
	return age >= 0 && age < ttl
}

// Forget drops all entries.
func (r *Recent[V]) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.epoch++
}

// Current returns the epoch, which Forget advances.
func (r *Recent[V]) Current() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.epoch
}

// Get returns the cached value of id, or asks. Errors are not cached. The epoch is read before
// asking, so that a value that was read during a change is not cached.
func (r *Recent[V]) Get(id string, now time.Time, ask func() (V, error)) (V, error) {
	epoch := r.Current()
	if s, ok := r.seen.Get(id); ok && s.Epoch == epoch && s.Fresh(now, recentTTL) {
		return s.Value, nil
	}
	v, err := ask()
	if err == nil {
		r.seen.Put(id, Seen[V]{v, now, epoch})
	}
	return v, err
}
