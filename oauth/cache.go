package oauth

import (
	"container/list"
	"sync"
)

// maxCached bounds every cache of the server.
const maxCached = 10_000

// cache remembers the values used last. Its zero value is empty.
type cache[K comparable, V any] struct {
	mu    sync.Mutex
	order list.List // of entry[K, V], the one used last in front
	at    map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// get returns the value of a key.
func (c *cache[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

// put remembers a value and forgets the one that was not used for longest.
func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(key, value)
}

// update replaces a value by what f makes of it, or of the zero value.
func (c *cache[K, V]) update(key K, f func(V) V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var old V
	if e, ok := c.at[key]; ok {
		old = e.Value.(entry[K, V]).value
	}
	c.set(key, f(old))
}

// drop forgets a key.
func (c *cache[K, V]) drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		c.order.Remove(e)
		delete(c.at, key)
	}
}

func (c *cache[K, V]) set(key K, value V) {
	if c.at == nil {
		c.at = map[K]*list.Element{}
	}
	if e, ok := c.at[key]; ok {
		e.Value = entry[K, V]{key, value}
		c.order.MoveToFront(e)
		return
	}
	c.at[key] = c.order.PushFront(entry[K, V]{key, value})
	if c.order.Len() > maxCached {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.at, last.Value.(entry[K, V]).key)
	}
}
