package transport

import (
	"context"
	"net/http"
	"sync"
	"time"

	"rialto/internal/open"
	"rialto/mcp/internal/wire"
)

// Limits bounds what clients can use. The zero value means the defaults.
type Limits struct {
	MaxBody        int64         // bytes of a request; zero means 4 MiB
	MaxCalls       int           // concurrent requests of a principal; zero means 64; see Admit
	Streams        int           // open event streams in all, but for those of running calls; zero means 10000
	StreamsPerUser int           // the same of a user, through all clients; zero means 64
	AskTimeout     time.Duration // for a client before 2026-07-28 to answer a question; zero means a minute
	CallTimeout    time.Duration // of a call; zero means 10 minutes
	ListenFor      time.Duration // of a subscription stream; zero means an hour
	ResumeFor      time.Duration // for which a session's stream can be resumed; zero means 5 minutes
	KeepAlive      time.Duration // between comments on a stream; zero means 15 seconds

	// Admit decides in place of MaxCalls whether a request of a principal may begin, and counts it
	// until leave. It may add to the header of the response.
	Admit func(h http.Header, r *http.Request) (leave func(), refused *Overload)
}

// Overload is why a request may not begin.
type Overload struct {
	Status int
	Text   string
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

// admit counts a request until leave, or refuses it.
func (e *Endpoint) admit(h http.Header, r *http.Request, principal string) (leave func(), refused *Overload) {
	if e.Limits.Admit != nil {
		return e.Limits.Admit(h, r)
	}
	if !e.calls.Enter(principal, e.Limits.MaxCalls) {
		h.Set("Retry-After", "1")
		return nil, &Overload{http.StatusTooManyRequests, "too many concurrent requests, try again when one has ended"}
	}
	return func() { e.calls.Leave(principal) }, nil
}

// StreamStats counts event streams: those of subscriptions and sessions, not those of calls.
type StreamStats struct {
	Open        int
	RefusedUser int64 // because their user had Limits.StreamsPerUser open
	RefusedAll  int64 // because Limits.Streams were open
}

// streamCounter bounds the open event streams. The zero value is ready.
type streamCounter struct {
	users open.Counter[string]

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
	if owner := e.Changes.OwnerOf(principal); owner != "" {
		return owner
	}
	return principal
}

// openStream counts one more event stream of the user. It never ends another for it.
func (e *Endpoint) openStream(ctx context.Context, user string) *wire.StatusError {
	c, l := &e.listens, &e.Limits
	c.mu.Lock()
	defer c.mu.Unlock()
	var err *wire.StatusError
	switch {
	case c.users.All() >= l.Streams:
		c.refused.RefusedAll++
		err = wire.Errorf(http.StatusServiceUnavailable, wire.CodeServer,
			"the server has %d event streams open and opens no more: try again in a minute", l.Streams)
	case !c.users.Enter(user, l.StreamsPerUser):
		c.refused.RefusedUser++
		err = wire.Errorf(http.StatusTooManyRequests, wire.CodeServer,
			"this user has %d event streams open and can open no more: close one, or try again in a minute", l.StreamsPerUser)
	default:
		return nil
	}
	if now := e.Sessions.Now(); now.Sub(c.logged) >= time.Minute {
		c.logged = now
		e.Log.WarnContext(ctx, "event stream refused, the next warning is a minute away or later", "why", err.Err.Message,
			"open", c.users.All(), "refused_user", c.refused.RefusedUser, "refused_all", c.refused.RefusedAll)
	}
	return err
}

// admitStream does the same for a GET. If there are too many it answers and returns false.
func (e *Endpoint) admitStream(w http.ResponseWriter, r *http.Request, user string) bool {
	err := e.openStream(r.Context(), user)
	if err == nil {
		return true
	}
	w.Header().Set("Retry-After", "60")
	writeError(w, err)
	return false
}

func (e *Endpoint) closeStream(user string) { e.listens.users.Leave(user) }
