// Package quota bounds what callers use: Count how many of something are open, Bytes how much memory is
// held, Rate how often something happens, Queue how many run at once while others wait. A Refusal says
// which limit was met, and SetHeaders tells a client of HTTP. The package knows neither what is bounded
// nor the sentence for a refused caller: the owner of a limit does.
package quota

import (
	"fmt"
	"math"
	"net/http"
	"time"
)

// Unlimited is a bound that nothing meets.
const Unlimited = math.MaxInt

// Refusal is the error for a caller that meets a limit. The face that answers the caller maps it to an
// error of its protocol.
type Refusal struct {
	Reason string // the sentence for the caller; the owner of the limit sets it with Because
	Shared bool   // the limit is that of all keys together, so the caller cannot make room
	Limit  int
	Used   int

	RetryAfter time.Duration // until there is room; 0 is unknown
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Reason == "" {
		return fmt.Sprintf("the limit of %d is reached", r.Limit)
	}
	return r.Reason
}

// Because returns the refusal with a reason.
func (r *Refusal) Because(format string, args ...any) *Refusal {
	r.Reason = fmt.Sprintf(format, args...)
	return r
}

// Status returns the status of HTTP: 503 if the limit is shared, or else 429.
func (r *Refusal) Status() int {
	if r.Shared {
		return http.StatusServiceUnavailable
	}
	return http.StatusTooManyRequests
}
