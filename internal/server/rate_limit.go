package server

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/internal/config"
	"rialto/internal/quota"
	"rialto/internal/telemetry"

	"golang.org/x/time/rate"
)

const (
	maxUsers     = 10_000
	usersAtOnce  = 100 // that makeRoom looks at
	burstSeconds = 4   // a burst is what a user may call in this time
	callsPolicy  = "calls"
	ratePolicy   = "rate"

	// retryAfter is in seconds. It is not known when a call ends, and each rate allows another call
	// within a second. It is also the effective window "t", because "the Retry-After field value
	// SHOULD NOT reference a point in time earlier than the end of the effective window" (section 6).
	retryAfter = "1"
)

// callLimiter bounds the calls through MCP, A2A and REST together: how many run at one time, of a
// user, of a client and in all, and how many a user begins. Event streams of MCP count elsewhere.
type callLimiter struct {
	most func() config.Limits // in force now
	now  func() time.Time

	telemetry *telemetry.Telemetry // counts refusals; nil without it

	mu      sync.Mutex
	all     int
	clients map[string]int
	users   map[string]*userCalls
}

type userCalls struct {
	open     int
	a2a, mcp *rate.Limiter
}

// caller is who makes a call. Without a login it has an address alone.
type caller struct{ user, client, address string }

// setting returns the name of the limit on the caller's open calls.
func (by caller) setting() string {
	if by.user == "" {
		return "calls_per_address"
	}
	return "calls_per_user"
}

// refusedCall is why a call is refused, for the headers of draft-ietf-httpapi-ratelimit-headers-11.
type refusedCall struct {
	status int
	text   string
}

// enter counts a call until leave, or refuses it. The headers tell the client about its limits.
// perSecond is the rate of the door, of the limiter that of returns; 0 is no limit.
func (c *callLimiter) enter(ctx context.Context, h http.Header, by caller, perSecond int, of func(*userCalls) **rate.Limiter) (leave func(), refused *refusedCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, most := c.user(by)
	limiter := of(u)
	setRate(limiter, perSecond, c.now())
	defer func() {
		describe(h, most, most-u.open, *limiter, c.now(), refused)
		if refused != nil {
			c.telemetry.Limited(ctx)
		}
	}()
	switch {
	case u.open >= most:
		return nil, &refusedCall{http.StatusTooManyRequests, fmt.Sprintf("you have %d calls open (limits.%s); try again when one has ended", u.open, by.setting())}
	case by.client != "" && c.clients[by.client] >= c.most().CallsPerClient:
		return nil, &refusedCall{http.StatusTooManyRequests, fmt.Sprintf("this app has %d calls open (limits.calls_per_client); try again when one has ended", c.clients[by.client])}
	case c.all >= c.most().Calls:
		return nil, &refusedCall{http.StatusServiceUnavailable, fmt.Sprintf("the server has %d calls open (limits.calls); try again later", c.all)}
	case *limiter != nil && !(*limiter).AllowN(c.now(), 1):
		return nil, &refusedCall{http.StatusTooManyRequests, fmt.Sprintf("you call more than %d times a second; slow down", perSecond)}
	}
	u.open++
	c.all++
	c.clients[by.client]++
	return sync.OnceFunc(func() { c.leave(u, by.client) }), nil
}

// setRate makes or changes a limiter, which may be nil. It keeps what the user has called lately.
func setRate(l **rate.Limiter, perSecond int, now time.Time) {
	switch {
	case perSecond == 0:
		*l = nil
	case *l == nil:
		*l = rate.NewLimiter(rate.Limit(perSecond), perSecond*burstSeconds)
	case (*l).Burst() != perSecond*burstSeconds:
		(*l).SetLimitAt(now, rate.Limit(perSecond))
		(*l).SetBurstAt(now, perSecond*burstSeconds)
	}
}

func (c *callLimiter) leave(u *userCalls, client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u.open--
	c.all--
	if c.clients[client]--; c.clients[client] == 0 {
		delete(c.clients, client)
	}
}

// user returns the calls of a user or an address, and how many may run at one time.
func (c *callLimiter) user(by caller) (u *userCalls, most int) {
	key, most := by.user, c.most().CallsPerUser
	if key == "" {
		key, most = "\x00"+by.address, min(most, c.most().CallsPerAddress)
	}
	if u = c.users[key]; u == nil {
		u = &userCalls{}
		c.makeRoom()
		c.users[key] = u
	}
	return u, most
}

// makeRoom removes idle users if there are too many. It looks at a few in random order, so that a call
// stays cheap while most are busy. The caller holds c.mu.
func (c *callLimiter) makeRoom() {
	if c.users == nil {
		c.users, c.clients = map[string]*userCalls{}, map[string]int{}
	}
	if len(c.users) < maxUsers {
		return
	}
	seen := 0
	for key, u := range c.users {
		if seen++; seen > usersAtOnce {
			return
		}
		if u.open == 0 && full(u.a2a, c.now()) && full(u.mcp, c.now()) {
			delete(c.users, key)
		}
	}
}

func full(l *rate.Limiter, now time.Time) bool {
	return l == nil || l.TokensAt(now) >= float64(l.Burst())
}

// describe writes the headers of a response: always where a rate applies, and with each refusal.
func describe(h http.Header, most, left int, limiter *rate.Limiter, now time.Time, refused *refusedCall) {
	if limiter == nil && refused == nil {
		return
	}
	policy := fmt.Sprintf(`"%s";q=%d;qu="concurrent-requests"`, callsPolicy, most)
	state := fmt.Sprintf(`"%s";r=%d`, callsPolicy, max(0, left))
	if limiter != nil {
		policy += fmt.Sprintf(`, "%s";q=%d;w=%d`, ratePolicy, limiter.Burst(), burstSeconds)
		state += fmt.Sprintf(`, "%s";r=%d;t=%s`, ratePolicy, max(0, int(limiter.TokensAt(now))), retryAfter)
	}
	h.Set("RateLimit-Policy", policy)
	h.Set("RateLimit", state)
	if refused != nil {
		h.Set("Retry-After", retryAfter)
	}
}

// a2a counts a call through A2A or REST until ctx ends, or returns an error.
func (c *callLimiter) a2a(ctx context.Context, h http.Header, by caller) error {
	leave, refused := c.enter(ctx, h, by, c.most().RatePerUser, func(u *userCalls) **rate.Limiter { return &u.a2a })
	if refused != nil {
		return &a2a.Error{Code: a2a.RateLimited, Message: refused.text, HTTPStatus: refused.status}
	}
	context.AfterFunc(ctx, leave)
	return nil
}

// mcp counts a call through MCP.
func (c *callLimiter) mcp(ctx context.Context, h http.Header, by caller) (leave func(), refused *quota.Refusal) {
	leave, why := c.enter(ctx, h, by, c.most().MCPRatePerUser, func(u *userCalls) **rate.Limiter { return &u.mcp })
	if why != nil {
		return nil, &quota.Refusal{Reason: why.text, Shared: why.status == http.StatusServiceUnavailable}
	}
	return leave, nil
}
