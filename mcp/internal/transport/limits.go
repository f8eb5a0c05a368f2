package transport

import (
	"context"
	"net/http"
	"sync"
	"time"

	"rialto/internal/quota"
	"rialto/mcp/internal/wire"
)

// Limits bounds what clients can use. The zero value means the defaults.
type Limits struct {
	MaxBody        int64         // bytes of a request; zero means 4 MiB
	MaxCalls       int           // concurrent requests of a principal; zero means 64; see Quota
	Streams        int           // open event streams in all, but for those of running calls; zero means 10000
	StreamsPerUser int           // the same of a user, through all clients; zero means 64
	AskTimeout     time.Duration // for a client before 2026-07-28 to answer a question; zero means a minute
	CallTimeout    time.Duration // of a call; zero means 10 minutes
	ListenFor      time.Duration // of a subscription stream; zero means an hour
	ResumeFor      time.Duration // for which a session's stream can be resumed; zero means 5 minutes
	KeepAlive      time.Duration // between comments on a stream; zero means 15 seconds

	Quota Quota // in place of MaxCalls; may be nil
}

// Quota counts requests.
type Quota interface {
	// Acquire counts a request until leave, or refuses it. It may add to the header of the response.
	Acquire(h http.Header, r *http.Request) (leave func(), refused *quota.Refusal)
}

// WithDefaults returns the limits with the defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	setDefault(&l.MaxBody, 4<<20)
	setDefault(&l.MaxCalls, 64)
	setDefault(&l.Streams, 10000)
	setDefault(&l.StreamsPerUser, 64)
	setDefault(&l.AskTimeout, time.Minute)
	setDefault(&l.CallTimeout, 10*time.Minute)
	setDefault(&l.ListenFor, time.Hour)
	setDefault(&l.ResumeFor, 5*time.Minute)
	setDefault(&l.KeepAlive, 15*time.Second)
	return l
}

func setDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// acquire counts a request until leave, or refuses it.
func (e *Endpoint) acquire(
	h http.Header, r *http.Request, principal string,
) (leave func(), refused *quota.Refusal) {
	if e.Limits.Quota != nil {
		return e.Limits.Quota.Acquire(h, r)
	}

	leave, refused = e.calls.Acquire(principal, e.Limits.MaxCalls, quota.Unlimited)
	if refused != nil {
		h.Set("Retry-After", "1")
		refused.Because("too many concurrent requests, try again when one has ended")
	}

	return leave, refused
}

// StreamStats counts event streams: those of subscriptions and sessions, not those of calls.
type StreamStats struct {
	Open        int
	RefusedUser int64 // because their user had Limits.StreamsPerUser open
	RefusedAll  int64 // because Limits.Streams were open
}

// streamCounter bounds the open event streams. The zero value is ready.
type streamCounter struct {
	users quota.Count

	mu      sync.Mutex
	refused StreamStats
	logged  time.Time // when a refusal was last logged
}

// Streams returns how many event streams are open, and how many were refused. Metrics are read here.
func (e *Endpoint) Streams() StreamStats {
	c := &e.listens
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := c.refused
	stats.Open = c.users.All()
	return stats
}

// user returns under whom the event streams of a principal are counted: its owner, for a user
// may use several clients. Callers without a login are their own.
func (e *Endpoint) user(principal string) string {
	if owner := e.Changes.Access.OwnerOf(principal); owner != "" {
		return owner
	}
	return principal
}

// openStream counts one more event stream of a principal's user until it is closed. It never ends
// another for it.
func (e *Endpoint) openStream(
	ctx context.Context, principal string,
) (closed func(), err *wire.StatusError) {
	c := &e.listens
	l := &e.Limits
	closed, refused := c.users.Acquire(e.user(principal), l.StreamsPerUser, l.Streams)
	if refused == nil {
		return closed, nil
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if refused.Shared {
		c.refused.RefusedAll++
		refused.Because(
			"the server has %d event streams open and opens no more: try again in a minute",
			l.Streams,
		)
	} else {
		c.refused.RefusedUser++
		refused.Because(
			"this user has %d event streams open and can open no more: close one, or try again in a minute",
			l.StreamsPerUser,
		)
	}
	if now := e.Sessions.Now(); now.Sub(c.logged) >= time.Minute {
		c.logged = now
		e.Log.WarnContext(
			ctx, "event stream refused, the next warning is a minute away or later",
			"why", refused.Reason,
			"open", c.users.All(),
			"refused_user", c.refused.RefusedUser,
			"refused_all", c.refused.RefusedAll,
		)
	}

	return nil, wire.Refuse(refused.Status(), "%s", refused.Reason)
}

// acquireStream does the same for a GET. If there are too many it answers and returns nil.
func (e *Endpoint) acquireStream(
	w http.ResponseWriter, r *http.Request, principal string,
) (closed func()) {
	closed, refused := e.openStream(r.Context(), principal)
	if refused != nil {
		w.Header().Set("Retry-After", "60")
		writeError(w, refused)
	}
	return closed
}
