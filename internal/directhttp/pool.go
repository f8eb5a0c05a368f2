package directhttp

import (
	"slices"
	"sync"
	"time"
)

// sweepEvery is how long a connection that the peer has closed may stay in the pool
// while no call finds it there.
const sweepEvery = 15 * time.Second

// pool holds the connections that no call uses, by their addresses, those last that
// were used last.
type pool struct {
	mu    sync.Mutex
	conns map[string][]*conn
	timer *time.Timer // of the next sweep; nil where there is nothing to sweep
}

// take returns a connection to address that can be used, or nil.
func (p *pool) take(address string, timeout time.Duration) *conn {
	for {
		c := p.pop(address)
		if c == nil || c.fresh(timeout) {
			return c
		}
	}
}

// fresh reports whether c can be used after it has been idle, and closes it if not.
func (c *conn) fresh(timeout time.Duration) bool {
	if time.Since(c.since) < timeout && quiet(c.raw) {
		return true
	}
	c.hangUp()
	return false
}

func (p *pool) pop(address string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.conns[address]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	list[len(list)-1] = nil
	p.conns[address] = list[:len(list)-1]
	return c
}

// put reports whether it takes c, of which it holds up to limit with one address.
func (p *pool) put(c *conn, limit int, timeout time.Duration) bool {
	c.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.conns[c.address]) >= limit {
		return false
	}
	if p.conns == nil {
		p.conns = map[string][]*conn{}
	}
	p.conns[c.address] = append(p.conns[c.address], c)
	if p.timer == nil {
		p.sweepLater(timeout)
	}
	return true
}

func (p *pool) sweepLater(timeout time.Duration) {
	p.timer = time.AfterFunc(min(sweepEvery, timeout), func() { p.sweep(timeout) })
}

// sweep closes what cannot be used any more, and does so again later if some is
// left.
func (p *pool) sweep(timeout time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for address, list := range p.conns {
		list = slices.DeleteFunc(list, func(c *conn) bool { return !c.fresh(timeout) })
		if p.conns[address] = list; len(list) == 0 {
			delete(p.conns, address)
		}
	}
	p.timer = nil
	if len(p.conns) > 0 {
		p.sweepLater(timeout)
	}
}

// clear closes all.
func (p *pool) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.conns {
		for _, c := range list {
			c.hangUp()
		}
	}
	clear(p.conns)
}
