package quota

import "sync"

// Count counts what is open: calls, streams, connections, pages. It is safe for concurrent use, and its
// zero value is ready.
type Count struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

// Acquire counts one more for the key until the first release, unless perKey are open for the key or
// all in total. It does not wait: a refused caller can try again, and a queue would only hide the delay.
func (c *Count) Acquire(key string, perKey, all int) (release func(), refused *Refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	used := c.of[key]
	if used >= perKey {
		return nil, &Refusal{Limit: perKey, Used: used}
	}
	if c.all >= all {
		return nil, &Refusal{Shared: true, Limit: all, Used: c.all}
	}
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[key]++
	c.all++
	held := true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !held {
			return
		}
		held = false
		c.all--
		c.of[key]--
		if c.of[key] == 0 {
			delete(c.of, key)
		}
	}, nil
}

// Of returns how many are open for a key.
func (c *Count) Of(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[key]
}

// Full returns the keys for which perKey are open.
func (c *Count) Full(perKey int) (keys []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, n := range c.of {
		if n >= perKey {
			keys = append(keys, key)
		}
	}
	return keys
}

// All returns how many are open for all keys.
func (c *Count) All() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}
