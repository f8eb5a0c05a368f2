package server

import (
	"context"
	"sync"
	"time"

	"rialto/a2a"

	"golang.org/x/time/rate"
)

// What one user may ask of the A2A face and the API, through all clients
// together: enough for many busy agents, and too little to keep the others out.
const (
	callsPerSecond = 50
	callBurst      = 200
	maxOpenCalls   = 256 // streams and calls that wait, above all
	maxUsers       = 10_000
)

// rateLimiter bounds what each user does at once. Its zero value is ready.
type rateLimiter struct {
	mu    sync.Mutex
	users map[string]*userCalls
}

// userCalls is what one user does.
type userCalls struct {
	open  int
	begun *rate.Limiter
}

// allow counts a call of user's, which lasts as long as ctx, or refuses it.
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

// makeRoom makes room for one more user: those who do nothing, and have not for
// a while, start afresh. It holds c.mu.
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
