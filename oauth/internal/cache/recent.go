package cache

import (
	"sync"
	"time"
)

// believed is how long what was looked up counts without asking again.
const believed = 2 * time.Second

// Recent remembers what was looked up a moment ago, by ID. Its zero value is
// empty.
type Recent[V any] struct {
	seen LRU[string, Seen[V]]

	mu    sync.Mutex
	epoch int // counts changes in this process
}

type Seen[V any] struct {
	Value V
	At    time.Time
	Epoch int
}

// Forget makes everything be looked up again, at once for this process.
func (r *Recent[V]) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.epoch++
}

func (r *Recent[V]) Current() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.epoch
}

// Get returns what was seen of id, or asks. Errors are not remembered. The
// epoch is read before the store is: what was seen while a change was under
// way does not count.
func (r *Recent[V]) Get(id string, now time.Time, ask func() (V, error)) (V, error) {
	epoch := r.Current()
	if s, ok := r.seen.Get(id); ok && s.Epoch == epoch && now.Sub(s.At) < believed && !now.Before(s.At) {
		return s.Value, nil
	}
	v, err := ask()
	if err == nil {
		r.seen.Put(id, Seen[V]{v, now, epoch})
	}
	return v, err
}
