package a2aclient

import (
	"sync"
	"time"

	"rialto/a2a"
)

// The limits of a breaker. maxBroken is how many calls in a row may go wrong
// before it opens, and the rest how long it stays open.
const (
	maxBroken  = 5
	openFirst  = 5 * time.Second
	openLatest = 2 * time.Minute
)

// breaker keeps calls from an agent that does not work: it opens when several
// in a row went wrong, and then lets one through from time to time to see. What
// goes wrong is the connection, or an HTTP answer that no agent has written; an
// agent that says that something failed works.
type breaker struct {
	mu     sync.Mutex
	broken int           // calls in a row that went wrong
	wait   time.Duration // how long it was open last
	until  time.Time     // no call before
}

// allow returns an error if the agent must not be called now.
func (b *breaker) allow(now time.Time, host string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken < maxBroken {
		return nil
	}
	if now.Before(b.until) {
		e := a2a.Errorf(a2a.Unavailable, "the agent at %s has not worked %d times in a row; it will be tried again in %s",
			host, b.broken, b.until.Sub(now).Round(time.Second))
		e.NotSent = true
		return e
	}
	b.until = now.Add(b.wait) // this call is the one that tries
	return nil
}

// report tells how a call went.
func (b *breaker) report(now time.Time, worked bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if worked {
		b.broken, b.wait = 0, 0
		return
	}
	if b.broken++; b.broken >= maxBroken {
		b.wait = max(openFirst, min(2*b.wait, openLatest))
		b.until = now.Add(b.wait)
	}
}
