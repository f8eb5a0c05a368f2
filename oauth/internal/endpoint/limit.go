package endpoint

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/limit"
)

// The buckets of a network, unless Env.Rate says otherwise. None is shared by networks, so that
// strangers cannot empty the bucket of another. docs/security.md says what each of them counts and why.
var (
	Authorize = limit.Bucket{Name: "authorize", Every: time.Second, Burst: 120}
	Push      = limit.Bucket{Name: "par", Every: time.Second, Burst: 120}
	Leave     = limit.Bucket{Name: "provider", Every: time.Second, Burst: 120}
	Callback  = limit.Bucket{Name: "callback", Every: time.Second, Burst: 120}
	Fetch     = limit.Bucket{Name: "fetch", Every: 6 * time.Second, Burst: 10}
	refused   = limit.Bucket{Name: "refused", Every: time.Second / 2, Burst: 200}
)

// Register returns the bucket of a network that may register so many clients an hour.
func Register(perHour int) limit.Bucket {
	return limit.Bucket{Name: "register", Every: time.Hour / time.Duration(perHour), Burst: perHour}
}

// Take takes a token from the bucket of a request's network. If it is empty, it returns the error for
// the client.
func (env *Env) Take(b limit.Bucket, r *http.Request) *oauth.Error {
	return env.take(b, env.networks(r))
}

func (env *Env) take(b limit.Bucket, keys []limit.Key) *oauth.Error {
	if env.Rate != nil && env.Rate(b.Name) > 0 {
		b = b.PerMinute(env.Rate(b.Name))
	}
	wait := env.limits.Take(b, keys, env.Now())
	if wait == 0 {
		return nil
	}
	e := oauth.TooMany(wait)
	e.Quota = oauth.Quota{Name: b.Name, Requests: b.Burst, Window: time.Duration(b.Burst) * b.Every}
	return e
}

// TakePage is Take for a page.
func (env *Env) TakePage(b limit.Bucket, r *http.Request) error {
	if e := env.Take(b, r); e != nil {
		return &oauth.Problem{Code: "too_many_requests", Status: http.StatusTooManyRequests, Title: "Too many requests", Detail: "This address has asked too often.", Remedy: "Try again in a minute.", RetryAfter: e.RetryAfter, Quota: e.Quota}
	}
	return nil
}

// Refused returns the answer to a request that err refuses: err, or 429 once a network was refused
// too often in the name of a client ("" if the request did not prove one). It logs what it lets
// through. The request has been checked by then: a good one is never refused because of bad ones,
// which matters where the users of a hosted chat app share an address. What is guessed here has 128
// bits or more, so that the bucket bounds the log, and not the chance of a guess.
func (env *Env) Refused(r *http.Request, client string, err error) error {
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok {
		return err // not the caller's fault
	}
	if e := env.CountRefusal(r, client); e != nil {
		return e
	}
	if e.Event != nil {
		env.HappenedAt(r, *e.Event)
	}
	env.Log.InfoContext(r.Context(), "oauth: request refused", "path", r.URL.Path, "client", client, "code", e.Code, "reason", e.Description, "address", env.Address(r))
	return err
}

// CountRefusal counts a refusal for the network of a request and a client, and returns the
// error for the client if there were too many.
func (env *Env) CountRefusal(r *http.Request, client string) *oauth.Error {
	keys := env.networks(r)
	for i := range keys {
		keys[i].Name += " " + client
	}
	return env.take(refused, keys)
}

// Address returns where a request comes from, for logs: an IPv4 address, or the /64 of an IPv6
// address, which belongs to one owner.
func (env *Env) Address(r *http.Request) string { return env.networks(r)[0].Name }

// Network returns the widest network of a request that counts as one caller.
func (env *Env) Network(r *http.Request) string {
	all := env.networks(r)
	return all[len(all)-1].Name
}

// networks returns the networks that a request comes from, as keys of buckets: an IPv4 address, or
// the /64 and the /48 of an IPv6 address. A /48, of which one owner may have all 65,536 /64, has
// as much as eight of them.
func (env *Env) networks(r *http.Request) []limit.Key {
	addr := env.address(r)
	if !addr.IsValid() {
		return []limit.Key{{Name: "unknown", Times: 1}}
	}
	if addr.Is4() {
		return []limit.Key{{Name: addr.String(), Times: 1}}
	}
	narrow, wide := netip.PrefixFrom(addr.WithZone(""), 64).Masked(), netip.PrefixFrom(addr.WithZone(""), 48).Masked()
	return []limit.Key{{Name: narrow.String(), Times: 1}, {Name: wide.String(), Times: 8}}
}

// Local tells whether a request comes from loopback: the user's own computer, or a proxy that is
// not configured as trusted and hides all clients.
func (env *Env) Local(r *http.Request) bool { return env.address(r).IsLoopback() }

// address returns the address that a request comes from, as trusted proxies report it. It is
// not valid if the server does not know it.
func (env *Env) address(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := peer.Addr().Unmap()
	forwarded := r.Header.Values("X-Forwarded-For")
	if len(forwarded) > 0 && !env.trusts(addr) {
		env.warning.Do(func() {
			env.Log.WarnContext(r.Context(), "oauth: X-Forwarded-For of a peer that is not trusted is ignored, so its clients share one address in rate limits and logs; if it is your proxy, add its network to trusted_proxies", "peer", addr)
		})
	}
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(hops) - 1; i >= 0 && env.trusts(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap()
	}
	return addr
}

func (env *Env) trusts(addr netip.Addr) bool {
	for _, p := range env.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
