// Package cache keeps bounded caches in memory. It does not know what it keeps.
package cache

import (
	"container/list"
	"sync"
	"time"
)

// MaxCached bounds every cache of the server.
const MaxCached = 10_000

// LRU keeps the values used last. Its zero value is empty.
type LRU[K comparable, V any] struct {
	mu    sync.Mutex
	order list.List // of *entry[K, V], the one used last first
	at    map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// Get returns the value of a key.
func (c *LRU[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Put stores a value, and drops the least recently used one if the cache is full.
func (c *LRU[K, V]) Put(key K, value V) { c.Update(key, func(V) V { return value }) }

// Update replaces a value, or the zero value, by the result of f.
func (c *LRU[K, V]) Update(key K, f func(V) V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		kept := e.Value.(*entry[K, V])
		kept.value = f(kept.value)
		c.order.MoveToFront(e)
		return
	}
	if c.at == nil {
		c.at = map[K]*list.Element{}
	}
	var zero V
	c.at[key] = c.order.PushFront(&entry[K, V]{key, f(zero)})
	if len(c.at) > MaxCached {
		c.remove(c.order.Back())
	}
}

// Drop removes a key.
func (c *LRU[K, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		c.remove(e)
	}
}

func (c *LRU[K, V]) remove(e *list.Element) {
	delete(c.at, c.order.Remove(e).(*entry[K, V]).key)
}

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

// Get returns the cached value of id, or asks. Errors are not cached. The epoch is read before
// asking, so that a value that was read during a change is not cached.
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
