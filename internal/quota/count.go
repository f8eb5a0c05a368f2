package quota

import "sync/atomic"

// Count counts what is open: calls, streams, connections, pages. It is safe for concurrent use, and its
// zero value is ready.
type Count struct{ open Bytes } // of which each has one

// Acquire counts one more for the key until the first release, unless perKey are open for the key or
// all in total. It does not wait: a refused caller can try again, and a queue would only hide the delay.
func (c *Count) Acquire(key string, perKey, all int) (release func(), refused *Refusal) {
	refused = c.open.Grow(key, 1, int64(perKey), int64(all))
	if refused != nil {
		return nil, refused
	}

	var released atomic.Bool // sync.OnceFunc makes five objects for each call
	return func() {
		if !released.Swap(true) {
			c.open.Add(key, -1)
		}
	}, nil
}

// Of returns how many are open for a key.
func (c *Count) Of(key string) int {
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	return int(c.open.of[key])
}

// Full returns the keys for which perKey are open.
func (c *Count) Full(perKey int) (keys []string) {
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	for key, n := range c.open.of {
		if n >= int64(perKey) {
			keys = append(keys, key)
		}
	}
	return keys
}

// All returns how many are open for all keys.
func (c *Count) All() int { return int(c.open.All()) }
