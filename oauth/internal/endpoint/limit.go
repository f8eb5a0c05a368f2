package endpoint

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"rialto/oauth"
)

// WaitAuthorize bounds the authorization requests of an address, because each
// is a row in the store.
func (env *Env) WaitAuthorize(r *http.Request) time.Duration {
	wait := env.Take("authorize "+env.Address(r), time.Second, 120)
	if wait == 0 {
		wait = env.Take("authorize", 20*time.Millisecond, 3000)
	}
	return wait
}

func (env *Env) LimitAuthorize(r *http.Request) error {
	if wait := env.WaitAuthorize(r); wait > 0 {
		return &oauth.Problem{Code: "too_many_requests", Status: http.StatusTooManyRequests, Title: "Too many requests", Detail: "This address has asked too often.", Remedy: "Try again in a minute.", RetryAfter: wait}
	}
	return nil
}

// LimitFailures slows guessing at an endpoint. Only refusals count, because the
// users of a hosted chat app share an address.
func (env *Env) LimitFailures(r *http.Request) error {
	b, ok := env.limits.Buckets.Get("failures " + env.Address(r))
	if ok && b.TokensAt(env.Now()) < 1 {
		return oauth.TooMany(time.Second)
	}
	return nil
}

// CountFailure counts a refusal for the address of a request.
func (env *Env) CountFailure(r *http.Request) {
	env.Take("failures "+env.Address(r), time.Second/2, 200)
}

// Address returns the client's address as a key for limits: an IPv4 address, or
// the /64 of an IPv6 address, which belongs to one owner.
func (env *Env) Address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "unknown"
	}
	addr := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && env.trusts(addr); i-- {
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

func (env *Env) trusts(addr netip.Addr) bool {
	for _, p := range env.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// Take takes a token from a bucket and reports how long to wait if it is empty.
func (env *Env) Take(key string, per time.Duration, burst int) time.Duration {
	return env.limits.Take(key, per, burst, env.Now())
}
