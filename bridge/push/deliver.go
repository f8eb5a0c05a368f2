package push

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	maxRunning = 32 // attempts at once
	maxPerHost = 8  // attempts at once to one host, about, so that a host that hangs does not stop the others

	// attemptTimeout bounds an attempt (A2A 1.0 section 4.3.3 suggests 10 to 30 s).
	// leaseTime is longer, so that two replicas do not try at the same time. If a
	// replica dies, its notices are late by that much.
	attemptTimeout = 10 * time.Second
	leaseTime      = 12 * time.Second

	maxAttempts = 16 // over about six hours; then the notice is dead
	minBackoff  = 2 * time.Second
	maxBackoff  = time.Hour

	pollInterval = 5 * time.Second // for the notices of other replicas
	storeTimeout = 10 * time.Second
)

// Run delivers the notices that are due, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	defer s.close()
	for ctx.Err() == nil {
		timer := time.NewTimer(s.dispatch(ctx))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.running.ended():
		case <-s.Outbox.NoticesAdded():
		}
		timer.Stop()
	}
}

// close waits for the running attempts, which the end of the context has canceled,
// and releases their notices.
func (s *Service) close() {
	s.running.wait.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := s.Outbox.ReleaseNotices(ctx, s.Replica, s.Now()); err != nil {
		s.Log.Error("releasing push notifications", "err", err)
	}
}

// dispatch starts attempts for the notices that are due, within the limits, and
// returns when to look again.
func (s *Service) dispatch(ctx context.Context) time.Duration {
	for {
		limit, full := s.running.free()
		if limit == 0 {
			return pollInterval // Run continues when an attempt ends
		}
		notices, err := s.claim(ctx, limit, full)
		if err != nil {
			s.logError(ctx, "claiming push notifications", err)
			return pollInterval
		}
		for _, n := range notices {
			s.running.start(n.Host, func() { s.attempt(ctx, n) })
		}
		if len(notices) < limit {
			return s.untilNext(ctx)
		}
	}
}

func (s *Service) claim(ctx context.Context, limit int, except []string) ([]*Notice, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := s.Now()
	return s.Outbox.ClaimNotices(ctx, ledger.Lease{Replica: s.Replica, Until: now.Add(leaseTime)}, now, limit, except)
}

// untilNext returns when the next notice is due. Notices that are due now wait for an
// attempt to end.
func (s *Service) untilNext(ctx context.Context) time.Duration {
	asking, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	next, err := s.Outbox.NextNotice(asking)
	if err != nil {
		s.logError(ctx, "looking for push notifications", err)
	}
	if err != nil || next.IsZero() {
		return pollInterval
	}
	return min(max(next.Sub(s.Now()), 100*time.Millisecond), pollInterval)
}

// attempt tries to deliver a notice, and records the result.
func (s *Service) attempt(ctx context.Context, n *Notice) {
	err := s.deliver(ctx, n)
	if ctx.Err() != nil && err != nil {
		return // close releases the notice
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err == nil {
		err = s.Outbox.NoticeDelivered(writing, n, s.Replica)
	} else {
		err = s.failed(writing, n, err)
	}
	if err != nil {
		s.logError(ctx, "recording a push notification", err) // it is delivered again after its lease
	}
}

func (s *Service) deliver(ctx context.Context, n *Notice) error {
	c, err := s.open(n.Handle, n.Hook, n.Sealed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	return s.Sender.Deliver(ctx, c, n.Task, fmt.Sprintf("%s.%s.%d", n.Handle, n.Hook, n.Version))
}

// failed schedules the next attempt, unless there were maxAttempts or the error is permanent.
func (s *Service) failed(ctx context.Context, n *Notice, why error) error {
	var due time.Time
	if n.Attempts+1 < maxAttempts && !a2a.Is(why, a2a.InvalidParams) {
		due = s.Now().Add(backoff(n.Attempts, rand.Float64()))
		s.Log.Info("a push notification failed", "task", n.Handle, "host", n.Host, "attempt", n.Attempts+1, "again", due, "err", why)
	} else {
		s.Log.Warn("a push notification was given up", "task", n.Handle, "host", n.Host, "attempt", n.Attempts+1, "err", why)
	}
	text := why.Error()
	return s.Outbox.NoticeFailed(ctx, n, s.Replica, text[:min(len(text), 500)], due)
}

// backoff returns the pause after failure n, counted from 0. jitter, from 0 to 1,
// adds up to half of it.
func backoff(n int, jitter float64) time.Duration {
	wait := min(minBackoff<<min(n, 20), maxBackoff)
	return wait + time.Duration(jitter*float64(wait)/2)
}

func (s *Service) logError(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil {
		s.Log.Error(doing, "err", err)
	}
}

// limiter limits the running attempts, in all and for each host.
type limiter struct {
	wait sync.WaitGroup

	mu     sync.Mutex
	total  int
	byHost map[string]int
	change chan struct{}
}

// ended is ready after an attempt has ended.
func (l *limiter) ended() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.change == nil {
		l.change = make(chan struct{}, 1)
	}
	return l.change
}

// free returns how many attempts may start now, and the hosts to which none may.
func (l *limiter) free() (n int, full []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for host, n := range l.byHost {
		if n >= maxPerHost {
			full = append(full, host)
		}
	}
	return min(maxRunning-l.total, maxPerHost), full
}

// start runs an attempt in a goroutine.
func (l *limiter) start(host string, attempt func()) {
	l.count(host, 1)
	l.wait.Go(func() {
		defer func() {
			l.count(host, -1)
			select {
			case l.ended() <- struct{}{}:
			default:
			}
		}()
		attempt()
	})
}

func (l *limiter) count(host string, by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byHost == nil {
		l.byHost = map[string]int{}
	}
	l.total += by
	if l.byHost[host] += by; l.byHost[host] == 0 {
		delete(l.byHost, host)
	}
}
