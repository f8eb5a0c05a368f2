// Package open counts what is open, such as calls, streams and pages, in all and for each key. It
// does not know the bounds: its callers do, and say what a refusal means.
package open

import "sync"

// Counter counts for keys: a user, an agent, an address. The zero value is ready. It is safe for
// concurrent use.
type Counter[K comparable] struct {
	mu  sync.Mutex
	all int
	of  map[K]int
}

// Enter counts one more for the key until Leave, unless most are open for it. It does not wait: a
// refused caller can try again, and a queue would only hide the delay.
func (c *Counter[K]) Enter(key K, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[key] >= most {
		return false
	}
	if c.of == nil {
		c.of = map[K]int{}
	}
	c.of[key]++
	c.all++
	return true
}

// Leave undoes Enter.
func (c *Counter[K]) Leave(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.of[key]--; c.of[key] <= 0 {
		delete(c.of, key)
	}
}

// All returns how many are open for all keys.
func (c *Counter[K]) All() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}
