package push

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"rialto/internal/quota"
)

const (
	maxRunning = 32 // attempts at once
	maxPerHost = 8  // attempts at once to one host, about, so that a host that hangs does not stop the others

	// AttemptTimeout bounds an attempt (A2A 1.0 section 4.3.3 suggests 10 to 30 s).
	// leaseTime is longer, so that two replicas do not try at the same time. If a
	// replica dies, its items are late by that much.
	AttemptTimeout = 10 * time.Second
	leaseTime      = 12 * time.Second

	minBackoff = 2 * time.Second
	maxBackoff = time.Hour

	PollInterval = 5 * time.Second  // for what other replicas add
	StoreTimeout = 10 * time.Second // for one call of a store
)

// Queue holds what a Worker delivers, in a database that several replicas share.
type Queue[N any] interface {
	// Claim leases at most limit items that are due to replica, none for the hosts in except.
	Claim(
		ctx context.Context,
		replica string,
		now, until time.Time,
		limit int,
		except []string,
	) ([]N, error)

	// Next returns when an item can be claimed next, and zero if none can.
	Next(ctx context.Context, now time.Time) (time.Time, error)

	// Release makes the items that replica has claimed due now.
	Release(ctx context.Context, replica string, now time.Time) error
}

// Deliverer delivers items of a Queue.
type Deliverer[N any] interface {
	Host(N) string

	// Attempt delivers an item and records the result.
	Attempt(context.Context, N)
}

// Metrics counts the attempts to deliver.
type Metrics interface{ Attempted(ok bool) }

// Worker makes attempts to deliver what a queue in the database holds. Several replicas share the
// queue; each item that is due is claimed by one. All fields are required.
type Worker[N any] struct {
	Queue     Queue[N]
	Added     <-chan struct{} // is ready after items were added
	Deliverer Deliverer[N]

	What    string // for the log, in the plural
	Replica string
	Now     func() time.Time
	Log     *slog.Logger

	running attempts
}

// Run makes the attempts that are due, until ctx ends.
func (w *Worker[N]) Run(ctx context.Context) {
	defer w.close()
	for ctx.Err() == nil {
		timer := time.NewTimer(w.dispatch(ctx))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-w.running.ended.Ready():
		case <-w.Added:
		}
		timer.Stop()
	}
}

// close waits for the running attempts, which the end of the context has canceled,
// and releases their items.
func (w *Worker[N]) close() {
	w.running.wait.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), StoreTimeout)
	defer cancel()
	if err := w.Queue.Release(ctx, w.Replica, w.Now()); err != nil {
		w.Log.Error("releasing "+w.What, "err", err)
	}
}

// dispatch starts attempts for the items that are due, within the limits, and
// returns when to look again.
func (w *Worker[N]) dispatch(ctx context.Context) time.Duration {
	for {
		limit := min(maxRunning-w.running.open.All(), maxPerHost)
		if limit <= 0 {
			return PollInterval // Run continues when an attempt ends
		}
		items, err := w.claim(ctx, limit, w.running.open.Full(maxPerHost))
		if err != nil {
			w.logError(ctx, "claiming", err)
			return PollInterval
		}
		for _, n := range items {
			w.running.start(w.Deliverer.Host(n), func() { w.Deliverer.Attempt(ctx, n) })
		}
		if len(items) < limit {
			return w.untilNext(ctx)
		}
	}
}

func (w *Worker[N]) claim(ctx context.Context, limit int, except []string) ([]N, error) {
	ctx, cancel := context.WithTimeout(ctx, StoreTimeout)
	defer cancel()
	now := w.Now()
	return w.Queue.Claim(ctx, w.Replica, now, now.Add(leaseTime), limit, except)
}

// untilNext returns when the next item is due. Items that are due now wait for an
// attempt to end.
func (w *Worker[N]) untilNext(ctx context.Context) time.Duration {
	asking, cancel := context.WithTimeout(ctx, StoreTimeout)
	defer cancel()
	next, err := w.Queue.Next(asking, w.Now())
	if err != nil {
		w.logError(ctx, "looking for", err)
	}
	if err != nil || next.IsZero() {
		return PollInterval
	}

	return min(max(next.Sub(w.Now()), 100*time.Millisecond), PollInterval)
}

// Backoff returns the pause after failure n, counted from 0. jitter, from 0 to 1,
// adds up to half of it.
func Backoff(n int, jitter float64) time.Duration {
	wait := min(minBackoff<<min(n, 20), maxBackoff)
	return wait + time.Duration(jitter*float64(wait)/2)
}

func (w *Worker[N]) logError(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil {
		w.Log.ErrorContext(ctx, doing+" "+w.What, "err", err)
	}
}

// attempts are those that run.
type attempts struct {
	wait  sync.WaitGroup
	open  quota.Count // by host
	ended Signal
}

// start runs an attempt in a goroutine.
func (a *attempts) start(host string, attempt func()) {
	release, _ := a.open.Acquire(
		host, quota.Unlimited, quota.Unlimited,
	) // it was claimed within the limits
	a.wait.Go(func() {
		attempt()
		release()
		a.ended.Notify()
	})
}
