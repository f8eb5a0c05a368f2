package oauth

import (
	"sync"
	"time"
)

// believed is how long what was looked up counts without asking again.
const believed = 2 * time.Second

// recent remembers what was looked up a moment ago, by ID. Its zero value is
// empty.
type recent[V any] struct {
	seen cache[string, sighting[V]]

	mu    sync.Mutex
	epoch int // counts changes in this process
}

type sighting[V any] struct {
	value V
	at    time.Time
	epoch int
}

// forget makes everything be looked up again, at once for this process.
func (r *recent[V]) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.epoch++
}

func (r *recent[V]) current() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.epoch
}

// get returns what was seen of id, or asks. Errors are not remembered. The
// epoch is read before the store is: what was seen while a change was under
// way does not count.
func (r *recent[V]) get(id string, now time.Time, ask func() (V, error)) (V, error) {
	epoch := r.current()
	if s, ok := r.seen.get(id); ok && s.epoch == epoch && now.Sub(s.at) < believed && !now.Before(s.at) {
		return s.value, nil
	}
	v, err := ask()
	if err == nil {
		r.seen.put(id, sighting[V]{v, now, epoch})
	}
	return v, err
}
