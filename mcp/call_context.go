package mcp

import (
	"context"
	"sync"
	"time"
)

// callContext is the context of a call. It is made when somebody first waits for
// its end, and its time counts from then: most tools answer at once and never do,
// and a context that ends with a connection or after a time is dear.
type callContext struct {
	parent   context.Context
	limit    time.Duration
	detached bool // goes on when the parent ends

	mu     sync.Mutex
	made   context.Context // nil until it is
	cancel context.CancelFunc
	ended  bool
}

// context returns the context itself.
func (c *callContext) context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		parent := c.parent
		if c.detached {
			parent = context.WithoutCancel(parent)
		}
		c.made, c.cancel = context.WithTimeout(parent, c.limit)
		if c.ended {
			c.cancel()
		}
	}
	return c.made
}

// end ends the context.
func (c *callContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.cancel != nil {
		c.cancel()
	}
}

func (c *callContext) Deadline() (time.Time, bool) { return c.context().Deadline() }
func (c *callContext) Done() <-chan struct{}       { return c.context().Done() }

// Err makes no context where there is none: all that can have ended then is the parent.
func (c *callContext) Err() error {
	c.mu.Lock()
	made, ended := c.made, c.ended
	c.mu.Unlock()
	switch {
	case made != nil || ended:
		return c.context().Err()
	case c.detached:
		return nil
	}
	return c.parent.Err()
}

// Value returns what the parent has. Only who has asked for Done looks for the
// context itself in it, as the package context does; before that the parent's
// would be the wrong answer to it, but nobody asks.
func (c *callContext) Value(key any) any {
	c.mu.Lock()
	made := c.made
	c.mu.Unlock()
	if made != nil {
		return made.Value(key)
	}
	return c.parent.Value(key)
}
