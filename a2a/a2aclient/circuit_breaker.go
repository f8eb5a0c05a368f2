package a2aclient

import (
	"errors"
	"sync"
	"time"

	"rialto/a2a"
)

// The limits of a breaker. maxBroken is how many calls in a row may go wrong
// before it opens, and the rest how long it stays open.
const (
	breakerThreshold = 5
	minOpen          = 5 * time.Second
	maxOpen          = 30 * time.Second
)

// breaker keeps calls from an agent that does not work: it opens when several in a row went wrong,
// and then lets one through from time to time to see. What goes wrong is the connection, or an HTTP
// answer that no agent has written; an agent that says that something failed works.
type breaker struct {
	mu     sync.Mutex
	broken int           // calls in a row that went wrong
	wait   time.Duration // how long it was open last
	until  time.Time     // no call before

	answered, failed time.Time
	failure          error
}

// allow returns an error if the agent must not be called now.
func (b *breaker) allow(now time.Time, host string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken < breakerThreshold {
		return nil
	}
	if now.Before(b.until) {
		e := a2a.Errorf(
			a2a.Unavailable,
			"the agent at %s failed %d times in a row; next attempt in %s",
			host,
			b.broken,
			b.until.Sub(now).Round(time.Second),
		)
		e.NotSent = true
		e.Cause = a2a.ErrNotConnected
		return e
	}

	b.until = now.Add(b.wait) // this call is the one that tries
	return nil
}

// reportOutcome tells how a call went: err is nil, or why no answer of the agent's was read.
func (b *breaker) reportOutcome(err error) {
	e := asError(err)
	switch {
	case err == nil, e != nil && e.Remote && e.HTTPStatus/100 != 5:
		b.report(time.Now(), nil)
	case e != nil && !e.NotSent && e.Code == a2a.Unavailable, e != nil && e.Remote,
		errors.Is(err, a2a.ErrNotConnected):
		b.report(time.Now(), err)
	} // else the caller gave up, or we did
}

// report tells how a call went: err is nil, or what went wrong.
func (b *breaker) report(now time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.broken = 0
		b.wait = 0
		b.answered = now
		return
	}

	b.failed = now
	b.failure = err
	b.broken++
	if b.broken >= breakerThreshold {
		b.wait = max(minOpen, min(2*b.wait, maxOpen))
		b.until = now.Add(b.wait)
	}
}

// Contact tells how the agent was met lately (a2a.Contacted).
func (c *Client) Contact() a2a.Contact {
	b := &c.broken
	b.mu.Lock()
	defer b.mu.Unlock()
	met := a2a.Contact{Interface: c.Interface(), Answered: b.answered, Failed: b.failed}
	if b.failure != nil {
		met.Failure = b.failure.Error()
	}
	if b.broken >= breakerThreshold {
		met.Until = b.until
	}

	return met
}
