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
	callsAtOnce    = 256 // streams and calls that wait, above all
	mostCallers    = 10_000
)

// callers bounds what each user does at once. Its zero value is ready.
type callers struct {
	mu    sync.Mutex
	users map[string]*calling
}

// calling is what one user does.
type calling struct {
	open  int
	begun *rate.Limiter
}

// take counts a call of user's, which lasts as long as ctx, or refuses it.
func (c *callers) take(ctx context.Context, user string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.users[user]
	if u == nil {
		u = &calling{begun: rate.NewLimiter(callsPerSecond, callBurst)}
		c.forget()
		c.users[user] = u
	}
	switch {
	case u.open >= callsAtOnce:
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

// forget makes room for one more user: those who do nothing, and have not for
// a while, start afresh. It holds c.mu.
func (c *callers) forget() {
	if c.users == nil {
		c.users = map[string]*calling{}
	}
	if len(c.users) < mostCallers {
		return
	}
	for user, u := range c.users {
		if u.open == 0 && u.begun.TokensAt(time.Now()) >= callBurst {
			delete(c.users, user)
		}
	}
}
