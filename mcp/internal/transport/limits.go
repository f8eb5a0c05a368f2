package transport

import (
	"sync"
	"time"
)

// Limits bounds what clients can use. The zero value means the defaults.
type Limits struct {
	MaxBody     int64         // bytes of a request; zero means 4 MiB
	MaxCalls    int           // concurrent requests of a principal; zero means 64
	MaxListens  int           // open subscription streams of a principal; zero means 16
	AskTimeout  time.Duration // for a client before 2026-07-28 to answer a question; zero means a minute
	CallTimeout time.Duration // of a call; zero means 10 minutes
	ListenFor   time.Duration // of a subscription stream; zero means an hour
	ResumeFor   time.Duration // for which a session's stream can be resumed; zero means 5 minutes
	KeepAlive   time.Duration // between comments on a stream; zero means 15 seconds
}

// WithDefaults returns the limits with the defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	setDefault(&l.MaxBody, 4<<20)
	setDefault(&l.MaxCalls, 64)
	setDefault(&l.MaxListens, 16)
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

// limiter counts what each principal has open. The zero value is ready.
type limiter struct {
	mu   sync.Mutex
	open map[string]int
}

// enter counts one more for the principal, unless it has limit open. It does not wait:
// a client that gets an error can retry, and a queue would only hide the delay.
func (l *limiter) enter(principal string, limit int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[principal] >= limit {
		return false
	}
	if l.open == nil {
		l.open = map[string]int{}
	}
	l.open[principal]++
	return true
}

// leave undoes enter.
func (l *limiter) leave(principal string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[principal]--; l.open[principal] <= 0 {
		delete(l.open, principal)
	}
}
