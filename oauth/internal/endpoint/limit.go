package endpoint

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rialto/internal/quota"
	"rialto/oauth"
)

// The buckets of a network, unless Settings.Rate says otherwise. None is shared by networks, so that
// strangers cannot empty the bucket of another. docs/security.md says what each of them counts and why.
var (
	Authorize  = everySecond("authorize")
	Push       = everySecond("par")
	ToProvider = everySecond("provider")
	Callback   = everySecond("callback")
	page       = quota.Bucket{Name: "page", Burst: 200, Window: 10 * time.Second}
	Fetch      = quota.Bucket{Name: "fetch", Burst: 10, Window: time.Minute}
	refused    = quota.Bucket{Name: "refused", Burst: 200, Window: 100 * time.Second}
)

// everySecond returns a bucket with a token a second, of which two minutes may be saved up.
func everySecond(name string) quota.Bucket {
	return quota.Bucket{Name: name, Burst: 120, Window: 2 * time.Minute}
}

// Register returns the bucket of a network that may register so many clients an hour.
func Register(perHour int) quota.Bucket {
	return quota.Bucket{Name: "register", Burst: perHour, Window: time.Hour}
}

// Allow takes a token from the bucket of a request's network. If it is empty, it returns the error for
// the client.
func (env *Env) Allow(b quota.Bucket, r *http.Request) *oauth.Error {
	return env.allow(b, env.networks(r))
}

func (env *Env) allow(b quota.Bucket, keys []quota.Key) *oauth.Error {
	if rate := env.Settings.Rate(b.Name); rate > 0 {
		b = b.PerMinute(rate)
	}

	rates, _ := env.rates.LoadOrStore(b.Name, new(quota.Rate))
	refused := rates.(*quota.Rate).Take(b, env.Now(), keys...)
	if refused == nil {
		return nil
	}

	e := oauth.TooMany(refused.RetryAfter)
	e.Quota = b.Policy()
	return e
}

// AllowPage is Allow for a page.
func (env *Env) AllowPage(b quota.Bucket, r *http.Request) error {
	if e := env.Allow(b, r); e != nil {
		return tooMany(e)
	}
	return nil
}

func tooMany(e *oauth.Error) error {
	return &oauth.Problem{
		Code:       "too_many_requests",
		Status:     http.StatusTooManyRequests,
		Title:      "Too many requests",
		Detail:     "This address has asked too often.",
		Remedy:     "Try again in a minute.",
		RetryAfter: e.RetryAfter,
		Quota:      e.Quota,
	}
}

// Public bounds what a page for everybody costs: of a network its rate, and of all together one
// processor. Networks take turns.
func (env *Env) Public(next http.Handler) http.HandlerFunc {
	room := quota.Room{Running: 1, Waiting: 100}
	return env.Page(func(w http.ResponseWriter, r *http.Request) error {
		if err := env.AllowPage(page, r); err != nil {
			w.Header().Set("Connection", "close") // requests that were pipelined after this one cost nothing
			return err
		}
		leave, err := env.pages.Acquire(r.Context(), env.Network(r), room)
		if err != nil {
			return tooMany(oauth.TooMany(time.Second))
		}
		defer leave()
		next.ServeHTTP(w, r)
		return nil
	})
}

// LogRefusal returns the answer to a request that err refuses: err, or 429 once a network was refused
// too often in the name of a client ("" if the request did not prove one). It logs what it lets
// through. The request has been checked by then: a good one is never refused because of bad ones,
// which matters where the users of a hosted chat app share an address. What is guessed here has 128
// bits or more, so that the bucket bounds the log, and not the chance of a guess.
func (env *Env) LogRefusal(r *http.Request, client string, err error) error {
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok {
		return err // not the caller's fault
	}
	if e := env.CountRefusal(r, client); e != nil {
		return e
	}
	if e.Event != nil {
		env.Audit(r, *e.Event)
	}

	env.Log.InfoContext(
		r.Context(), "oauth: request refused",
		"path", r.URL.Path,
		"client", client,
		"code", e.Code,
		"reason", e.Description,
		"address", env.Address(r),
	)
	return err
}

// CountRefusal counts a refusal for the network of a request and a client, and returns the
// error for the client if there were too many.
func (env *Env) CountRefusal(r *http.Request, client string) *oauth.Error {
	keys := env.networks(r)
	for i := range keys {
		keys[i].Name += " " + client
	}
	return env.allow(refused, keys)
}

// Address returns where a request comes from, for logs: an IPv4 address, or the /64 of an IPv6
// address, which belongs to one owner.
func (env *Env) Address(r *http.Request) string { return env.networks(r)[0].Name }

// Network returns the widest network of a request that counts as one caller.
func (env *Env) Network(r *http.Request) string {
	all := env.networks(r)
	return all[len(all)-1].Name
}

// WideNetwork returns roughly where a request comes from, for people: the /24 of an IPv4 address, or
// the /48 of an IPv6 address. It is "" if that is not known.
func (env *Env) WideNetwork(r *http.Request) string {
	addr := env.address(r).WithZone("")
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	wide, err := addr.Prefix(bits)
	if err != nil {
		return ""
	}
	return wide.String()
}

// networks returns the networks that a request comes from, as keys of buckets: an IPv4 address, or
// the /64 and the /48 of an IPv6 address. A /48, of which one owner may have all 65,536 /64, has
// as much as eight of them.
func (env *Env) networks(r *http.Request) []quota.Key {
	addr := env.address(r)
	if !addr.IsValid() {
		return []quota.Key{{Name: "unknown"}}
	}
	if addr.Is4() {
		return []quota.Key{{Name: addr.String()}}
	}

	narrow := netip.PrefixFrom(addr.WithZone(""), 64).Masked()
	wide := netip.PrefixFrom(addr.WithZone(""), 48).Masked()
	return []quota.Key{{Name: narrow.String()}, {Name: wide.String(), Times: 8}}
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
			env.Log.WarnContext(
				r.Context(),
				"oauth: X-Forwarded-For of a peer that is not trusted is ignored, so its clients share one address in rate limits and logs; if it is your proxy, add its network to trusted_proxies",
				"peer", addr,
			)
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
	return slices.ContainsFunc(
		env.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) },
	)
}
