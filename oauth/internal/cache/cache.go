// Package cache keeps bounded caches in memory. It does not know what it keeps.
package cache

import (
	"sync"
	"time"
)

// MaxCached bounds every cache of the server.
const MaxCached = 10_000

// LRU keeps the values used last. Its zero value is empty. It holds as many
// entries as tokens are in use, so each is one allocation, a link of the ring
// itself.
type LRU[K comparable, V any] struct {
	mu   sync.Mutex
	ring entry[K, V] // next is the entry used last, prev the one not used for longest
	at   map[K]*entry[K, V]
}

type entry[K comparable, V any] struct {
	key        K
	value      V
	next, prev *entry[K, V]
}

// Get returns the value of a key.
func (c *LRU[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[key]
	if !ok {
		return value, false
	}
	e.unlink()
	c.link(e)
	return e.value, true
}

// Put stores a value, and drops the least recently used one if the cache is
// full.
func (c *LRU[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(key, value)
}

// Update replaces a value, or the zero value, by the result of f.
func (c *LRU[K, V]) Update(key K, f func(V) V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var old V
	if e, ok := c.at[key]; ok {
		old = e.value
	}
	c.set(key, f(old))
}

// Drop removes a key.
func (c *LRU[K, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		e.unlink()
		delete(c.at, key)
	}
}

func (c *LRU[K, V]) set(key K, value V) {
	if c.at == nil {
		c.at = map[K]*entry[K, V]{}
		c.ring.next, c.ring.prev = &c.ring, &c.ring
	}
	e, ok := c.at[key]
	if ok {
		e.unlink()
	} else {
		e = &entry[K, V]{key: key}
		c.at[key] = e
	}
	e.value = value
	c.link(e)
	if len(c.at) > MaxCached {
		last := c.ring.prev
		last.unlink()
		delete(c.at, last.key)
	}
}

// link makes an entry the one used last.
func (c *LRU[K, V]) link(e *entry[K, V]) {
	e.prev, e.next = &c.ring, c.ring.next
	e.prev.next, e.next.prev = e, e
}

func (e *entry[K, V]) unlink() { e.prev.next, e.next.prev = e.next, e.prev }

// recentTTL is how long a lookup is cached.
const recentTTL = 2 * time.Second

// Recent caches lookups for two seconds, by ID. Its zero value is empty.
type Recent[V any] struct {
	seen LRU[string, Seen[V]]

	mu    sync.Mutex
	epoch int // counts changes in this process
}

// Seen is a cached value and when it was read.
type Seen[V any] struct {
	Value V
	At    time.Time
	Epoch int
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

// Get returns the cached value of id, or asks. Errors are not cached. The epoch
// is read before asking, so that a value that was read during a change is not
// cached.
func (r *Recent[V]) Get(id string, now time.Time, ask func() (V, error)) (V, error) {
	epoch := r.Current()
	if s, ok := r.seen.Get(id); ok && s.Epoch == epoch && now.Sub(s.At) < recentTTL && !now.Before(s.At) {
		return s.Value, nil
	}
	v, err := ask()
	if err == nil {
		r.seen.Put(id, Seen[V]{v, now, epoch})
	}
	return v, err
}
