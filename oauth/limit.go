package oauth

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter holds token buckets by name and client address. It is bounded: what
// a stranger can do at most is start afresh.
type limiter struct {
	buckets cache[string, *rate.Limiter]
}

// take takes a token from a bucket and reports how long to wait if it is empty.
func (l *limiter) take(key string, per time.Duration, burst int, now time.Time) (wait time.Duration) {
	l.buckets.update(key, func(b *rate.Limiter) *rate.Limiter {
		if b == nil {
			b = rate.NewLimiter(rate.Every(per), burst)
		}
		res := b.ReserveN(now, 1)
		if wait = res.DelayFrom(now); wait > 0 {
			res.CancelAt(now)
		}
		return b
	})
	return wait
}

// limitRegister lets an address register so many clients an hour, and all
// addresses together sixty times as many. Loopback is limited like all
// together: it is the user's own computer, or a proxy that hides everybody and
// that nobody told us to trust.
func (s *Server) limitRegister(r *http.Request) error {
	n, address := s.RegistrationsPerHour, s.address(r)
	var wait time.Duration
	if addr, err := netip.ParseAddr(address); err != nil || !addr.IsLoopback() {
		wait = s.take("register "+address, time.Hour/time.Duration(n), n)
	}
	if wait == 0 {
		wait = s.take("register", time.Minute/time.Duration(n), 60*n)
	}
	if wait > 0 {
		return tooMany(wait)
	}
	return nil
}

// waitAuthorize bounds the requests that wait for a person: each is a row.
func (s *Server) waitAuthorize(r *http.Request) time.Duration {
	wait := s.take("authorize "+s.address(r), time.Second, 120)
	if wait == 0 {
		wait = s.take("authorize", 20*time.Millisecond, 3000)
	}
	return wait
}

func (s *Server) limitAuthorize(r *http.Request) error {
	if wait := s.waitAuthorize(r); wait > 0 {
		return &problem{status: http.StatusTooManyRequests, title: "Too many requests", detail: "This address has asked too often.", remedy: "Try again in a minute.", after: wait}
	}
	return nil
}

// limitFailures makes guessing at an endpoint slow. Only refusals count,
// because the users of a hosted chat app share an address.
func (s *Server) limitFailures(r *http.Request) error {
	b, ok := s.limits.buckets.get("failures " + s.address(r))
	if ok && b.TokensAt(s.Now()) < 1 {
		return tooMany(time.Second)
	}
	return nil
}

// countFailure counts a refusal against the address it went to.
func (s *Server) countFailure(r *http.Request) {
	s.take("failures "+s.address(r), time.Second/2, 200)
}

// backoff slows down whoever fails to sign in: five attempts are free, then
// each failure doubles the wait, up to a quarter of an hour.
type backoff struct {
	failed cache[string, failure]
}

type failure struct {
	count int
	until time.Time
}

const (
	freeAttempts = 5
	maxBackoff   = 15 * time.Minute
)

// wait returns how long the key has to wait yet.
func (b *backoff) wait(key string, now time.Time) time.Duration {
	f, _ := b.failed.get(key)
	return max(0, f.until.Sub(now))
}

// add counts a failure and returns what was known before.
func (b *backoff) add(key string, free int, now time.Time) (before failure) {
	b.failed.update(key, func(f failure) failure {
		if now.Sub(f.until) > maxBackoff {
			f.count = 0 // long ago
		}
		before = f
		f.count++
		f.until = now
		if over := f.count - free; over > 0 {
			f.until = now.Add(min(maxBackoff, time.Second<<min(over, 10)))
		}
		return f
	})
	return before
}

// forgive takes back the failure that add counted after before. Those that
// others made meanwhile keep their wait: who knows one password must not end it
// for the names whose passwords they guess.
func (b *backoff) forgive(key string, before failure) {
	b.failed.update(key, func(f failure) failure {
		if f.count == before.count+1 {
			return before
		}
		return failure{count: max(0, f.count-1), until: f.until}
	})
}

// address returns the client's address as a key for limits: an IPv4 address,
// or the /64 of an IPv6 address, since whoever has one has them all.
func (s *Server) address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "unknown"
	}
	addr := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusts(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap()
	}
	if addr.Is6() {
		p, _ := addr.WithZone("").Prefix(64)
		return p.String()
	}
	return addr.String()
}

func (s *Server) trusts(addr netip.Addr) bool {
	for _, p := range s.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// gate lets a few through at a time. Its zero value is open.
type gate struct {
	once   sync.Once
	places chan struct{}
}

// enter waits for one of n places, of which there are always as many; leave
// gives it back.
func (g *gate) enter(ctx context.Context, n int) (leave func(), err error) {
	g.once.Do(func() { g.places = make(chan struct{}, n) })
	select {
	case g.places <- struct{}{}:
		return func() { <-g.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take takes a token from a bucket and reports how long to wait if it is empty.
func (s *Server) take(key string, per time.Duration, burst int) time.Duration {
	return s.limits.take(key, per, burst, s.Now())
}
