// Package lru keeps values in memory, as many as fit, and drops the one that was not used for longest.
// It does not know what it keeps.
package lru

import (
	"cmp"
	"container/list"
	"sync"
)

// Size is how many values a Cache keeps by default.
const Size = 10_000

// Cache keeps the values used last. Its zero value is empty.
type Cache[K comparable, V any] struct {
	Max int // values that it keeps; zero means Size

	mu    sync.Mutex
	order list.List // of *entry[K, V], the one used last first
	at    map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
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
func (c *Cache[K, V]) Put(key K, value V) { c.Update(key, func(V) V { return value }) }

// Update replaces a value, or the zero value, by the result of f, and returns it.
func (c *Cache[K, V]) Update(key K, f func(V) V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		kept := e.Value.(*entry[K, V])
		kept.value = f(kept.value)
		c.order.MoveToFront(e)
		return kept.value
	}
	if c.at == nil {
		c.at = map[K]*list.Element{}
	}

	var zero V
	value := f(zero)
	c.at[key] = c.order.PushFront(&entry[K, V]{key, value})
	if len(c.at) > cmp.Or(c.Max, Size) {
		c.remove(c.order.Back())
	}

	return value
}

// Drop removes a key.
func (c *Cache[K, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		c.remove(e)
	}
}

func (c *Cache[K, V]) remove(e *list.Element) {
	delete(c.at, c.order.Remove(e).(*entry[K, V]).key)
}
