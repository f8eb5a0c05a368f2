package server

import (
	"context"
	"sync"
	"time"

	"rialto/a2a"

	"golang.org/x/time/rate"
)

// The limits of one user for A2A and REST calls, over all clients.
const (
	callsPerSecond = 50
	callBurst      = 200
	maxOpenCalls   = 256 // mostly streams and waiting calls
	maxUsers       = 10_000
)

// rateLimiter limits the calls of each user. Its zero value is ready.
type rateLimiter struct {
	mu    sync.Mutex
	users map[string]*userCalls
}

type userCalls struct {
	open  int
	begun *rate.Limiter
}

// allow counts a call of a user until ctx ends, or returns an error.
func (c *rateLimiter) allow(ctx context.Context, user string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.users[user]
	if u == nil {
		u = &userCalls{begun: rate.NewLimiter(callsPerSecond, callBurst)}
		c.makeRoom()
		c.users[user] = u
	}
	switch {
	case u.open >= maxOpenCalls:
		return a2a.Errorf(a2a.RateLimited, "you have %d calls open; end some of them first", u.open)
	case !u.begun.Allow():
		return a2a.Errorf(a2a.RateLimited, "you call more than %d times a second; slow down", callsPerSecond)
	}
	u.open++
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		u.open--
	})
	return nil
}

// makeRoom removes idle users if there are too many. The caller holds c.mu.
func (c *rateLimiter) makeRoom() {
	if c.users == nil {
		c.users = map[string]*userCalls{}
	}
	if len(c.users) < maxUsers {
		return
	}
	for user, u := range c.users {
		if u.open == 0 && u.begun.TokensAt(time.Now()) >= callBurst {
			delete(c.users, user)
		}
	}
}
