package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/internal/quota"
)

const (
	// burst is the time whose calls a user may make at once.
	burst = 4 * time.Second

	// retryAfter is fixed: it is not known when a call ends, and each rate allows another call within
	// a second.
	retryAfter = time.Second

	// callsPerAddress is how many calls without a token an address may have open.
	callsPerAddress = 64
)

// half is how much of a limit one client or one agent may use, so that it leaves something for others.
func half(limit int) int { return (limit + 1) / 2 }

// callLimiter bounds the calls through MCP, A2A and REST together: how many run at one time, of a
// user, of a client and in all, and how many a user begins. Event streams of MCP count elsewhere.
type callLimiter struct {
	cfg       *atomic.Pointer[config.Config] // in force now
	telemetry *telemetry.Telemetry           // counts refusals; nil without it

	users, clients quota.Count
	rates          quota.Rate // of A2A and REST
}

// caller is who makes a call. Without a login it has an address alone.
type caller struct{ user, client, address string }

// key returns under whom the calls of a caller count, how many may be open, and which setting
// says so, if one does.
func (by caller) key(most config.Limits) (key string, perUser int, setting string) {
	const perUserSetting = " (limits.calls_per_user)"
	if by.user != "" {
		return by.user, most.CallsPerUser, perUserSetting
	}
	key = "\x00" + by.address
	if callsPerAddress < most.CallsPerUser {
		return key, callsPerAddress, ""
	}
	return key, most.CallsPerUser, perUserSetting
}

// enter counts a call until leave, or refuses it. The headers tell the client about its limits, if a
// rate applies or the call is refused. perSecond is how many calls a user may begin; 0 is no limit.
func (c *callLimiter) enter(
	ctx context.Context, h http.Header, by caller, perSecond int,
) (leave func(), refused *quota.Refusal) {
	most := c.cfg.Load().Limits
	leave, refused = c.open(by, most)
	if refused == nil && perSecond == 0 {
		return leave, nil
	}

	key, perUser, _ := by.key(most)
	rate := callRate(perSecond)
	if refused == nil {
		refused = c.rates.Take(rate, time.Now(), quota.Key{Name: key})
		if refused != nil {
			leave()
			refused.Because("you call more than %d times a second; slow down", perSecond)
		}
	}

	policies := []quota.Policy{{Name: "calls", Limit: perUser, Left: perUser - c.users.Of(key)}}
	if perSecond > 0 {
		p := rate.Policy()
		p.Left = c.rates.Left(rate, time.Now(), key)
		p.Reset = retryAfter
		policies = append(policies, p)
	}
	if refused == nil {
		quota.SetHeaders(h, 0, policies...)
		return leave, nil
	}

	quota.SetHeaders(h, retryAfter, policies...)
	c.telemetry.Limited(ctx)
	return nil, refused
}

// callRate returns how many calls a user may begin who may begin so many a second.
func callRate(perSecond int) quota.Bucket {
	return quota.Bucket{Name: "rate", Burst: perSecond * int(burst/time.Second), Window: burst}
}

// open counts a call that is open until leave, or refuses it.
func (c *callLimiter) open(by caller, most config.Limits) (leave func(), refused *quota.Refusal) {
	key, perUser, setting := by.key(most)
	leaveUser, refused := c.users.Acquire(key, perUser, quota.Unlimited)
	if refused != nil {
		return nil, refused.Because(
			"you have %d calls open%s; try again when one has ended", refused.Used, setting,
		)
	}

	perClient := half(most.Calls)
	if by.client == "" {
		perClient = quota.Unlimited
	}

	leaveClient, refused := c.clients.Acquire(by.client, perClient, most.Calls)
	if refused == nil {
		return func() {
			leaveClient()
			leaveUser()
		}, nil
	}

	leaveUser()
	if refused.Shared {
		return nil, refused.Because(
			"the server has %d calls open (limits.calls); try again later", refused.Used,
		)
	}

	return nil, refused.Because(
		"this app has %d calls open (half of limits.calls); try again when one has ended",
		refused.Used,
	)
}

// a2a counts a call through A2A or REST until ctx ends, or returns an error.
func (c *callLimiter) a2a(ctx context.Context, h http.Header, by caller) error {
	leave, refused := c.enter(ctx, h, by, c.cfg.Load().Limits.RatePerUser)
	if refused != nil {
		return &a2a.Error{
			Code:       a2a.RateLimited,
			Message:    refused.Reason,
			HTTPStatus: refused.Status(),
		}
	}

	context.AfterFunc(ctx, leave)
	return nil
}
