package quota

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Policy is a limit in the headers of a response (draft-ietf-httpapi-ratelimit-headers-11).
type Policy struct {
	Name   string
	Limit  int
	Left   int
	Window time.Duration // 0 for a limit on what is open at once
	Reset  time.Duration // until the client may try again, or else may do more
}

// Policy returns the bucket as a policy.
func (b Bucket) Policy() Policy { return Policy{Name: b.Name, Limit: b.Burst, Window: b.Window} }

// SetHeaders tells a client about its limits and, unless retryAfter is 0, when to try again. It must not
// be earlier than the Reset of any policy: "the Retry-After field value SHOULD NOT reference a point
// in time earlier than the end of the effective window" (section 6).
func SetHeaders(h http.Header, retryAfter time.Duration, policies ...Policy) {
	if retryAfter > 0 {
		h.Set("Retry-After", seconds(retryAfter))
	}

	var limits, states []string
	for _, p := range policies {
		limit := fmt.Sprintf("%q;q=%d", p.Name, p.Limit)
		state := fmt.Sprintf("%q;r=%d", p.Name, max(0, p.Left))
		if p.Window == 0 {
			limit += `;qu="concurrent-requests"`
		} else {
			limit += ";w=" + seconds(p.Window)
			state += ";t=" + seconds(p.Reset)
		}
		limits = append(limits, limit)
		states = append(states, state)
	}

	if len(policies) > 0 {
		h.Set("RateLimit-Policy", strings.Join(limits, ", "))
		h.Set("RateLimit", strings.Join(states, ", "))
	}
}

// seconds renders whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
