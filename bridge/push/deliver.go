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
	inFlight = 32 // attempts at once
	perHost  = 8  // of them to one host, about: a host that hangs must not stop the others

	// attemptFor bounds an attempt (A2A 1.0 section 4.3.3 suggests 10 to 30 s),
	// and leaseFor is longer, so that nobody tries what somebody tries already. A
	// notice that was on its way when its replica died is late by that much.
	attemptFor = 10 * time.Second
	leaseFor   = 12 * time.Second

	attempts   = 16 // over about six hours, then the notice is dead
	retryFirst = 2 * time.Second
	retryLast  = time.Hour

	lookEvery = 5 * time.Second // for what other replicas left behind
	writeFor  = 10 * time.Second
)

// Run tells webhooks what is due, until ctx ends.
func (d *Desk) Run(ctx context.Context) {
	defer d.close()
	for ctx.Err() == nil {
		wait := d.dispatch(ctx)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-d.room.freed():
		case <-d.Outbox.Noticed():
		}
		timer.Stop()
	}
}

// close waits for the attempts that run, which ctx's end has cut short, and
// lets go of what they held.
func (d *Desk) close() {
	d.room.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), writeFor)
	defer cancel()
	if err := d.Outbox.LetGoNotices(ctx, d.Replica, d.Now()); err != nil {
		d.Log.Error("letting go of push notifications", "err", err)
	}
}

// dispatch starts an attempt for everything that is due and has room, and
// returns how long nothing else can be.
func (d *Desk) dispatch(ctx context.Context) time.Duration {
	for {
		limit, full := d.room.left()
		if limit == 0 {
			return lookEvery // an attempt that ends wakes us
		}
		now := d.Now()
		notices, err := d.claim(ctx, ledger.Lease{Replica: d.Replica, Until: now.Add(leaseFor)}, now, limit, full)
		if err != nil {
			d.complain(ctx, "claiming push notifications", err)
			return lookEvery
		}
		for _, n := range notices {
			d.room.enter(n.Host, func() { d.attempt(ctx, n) })
		}
		if len(notices) < limit {
			return d.untilNext(ctx)
		}
	}
}

func (d *Desk) claim(ctx context.Context, l ledger.Lease, now time.Time, limit int, except []string) ([]*Notice, error) {
	ctx, cancel := context.WithTimeout(ctx, writeFor)
	defer cancel()
	return d.Outbox.ClaimNotices(ctx, l, now, limit, except)
}

// untilNext returns how long nothing is due. What is due already waits for
// room, whose return wakes us.
func (d *Desk) untilNext(ctx context.Context) time.Duration {
	asking, cancel := context.WithTimeout(ctx, writeFor)
	defer cancel()
	next, err := d.Outbox.NextNotice(asking)
	if err != nil {
		d.complain(ctx, "looking for push notifications", err)
	}
	if err != nil || next.IsZero() {
		return lookEvery
	}
	return min(max(next.Sub(d.Now()), 100*time.Millisecond), lookEvery)
}

// attempt tells one webhook of one change, and records what came of it.
func (d *Desk) attempt(ctx context.Context, n *Notice) {
	err := d.tell(ctx, n)
	if ctx.Err() != nil && err != nil {
		return // it was not the webhook's fault, and close lets go of it
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeFor)
	defer cancel()
	if err == nil {
		err = d.Outbox.NoticeTold(writing, n, d.Replica)
	} else {
		err = d.failed(writing, n, err)
	}
	if err != nil {
		d.complain(ctx, "recording a push notification", err) // it is told again, when its lease has run out
	}
}

func (d *Desk) tell(ctx context.Context, n *Notice) error {
	c, err := d.open(n.Handle, n.Hook, n.Sealed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, attemptFor)
	defer cancel()
	return d.Sender.Deliver(ctx, c, n.Task, fmt.Sprintf("%s.%s.%d", n.Handle, n.Hook, n.Version))
}

// failed plans another attempt, unless there were enough or none can help.
func (d *Desk) failed(ctx context.Context, n *Notice, why error) error {
	var due time.Time
	if n.Attempts+1 < attempts && !a2a.Is(why, a2a.InvalidParams) {
		due = d.Now().Add(backoff(n.Attempts, rand.Float64()))
		d.Log.Info("a push notification failed", "task", n.Handle, "host", n.Host, "attempt", n.Attempts+1, "again", due, "err", why)
	} else {
		d.Log.Warn("a push notification was given up", "task", n.Handle, "host", n.Host, "attempt", n.Attempts+1, "err", why)
	}
	text := why.Error()
	return d.Outbox.NoticeFailed(ctx, n, d.Replica, text[:min(len(text), 500)], due)
}

// backoff returns how long to wait after the nth failure, counted from 0. Chance,
// from 0 to 1, spreads what failed together over half as much again.
func backoff(n int, chance float64) time.Duration {
	wait := min(retryFirst<<min(n, 20), retryLast)
	return wait + time.Duration(chance*float64(wait)/2)
}

func (d *Desk) complain(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil {
		d.Log.Error(doing, "err", err)
	}
}

// room counts the attempts that run.
type room struct {
	running sync.WaitGroup

	mu     sync.Mutex
	total  int
	byHost map[string]int
	change chan struct{}
}

// freed is ready after an attempt has ended.
func (r *room) freed() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.change == nil {
		r.change = make(chan struct{}, 1)
	}
	return r.change
}

// left returns how many attempts may start now, and the hosts to which none
// may.
func (r *room) left() (n int, full []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for host, n := range r.byHost {
		if n >= perHost {
			full = append(full, host)
		}
	}
	return min(inFlight-r.total, perHost), full
}

// enter runs an attempt beside others.
func (r *room) enter(host string, attempt func()) {
	r.count(host, 1)
	r.running.Go(func() {
		defer func() {
			r.count(host, -1)
			select {
			case r.freed() <- struct{}{}:
			default:
			}
		}()
		attempt()
	})
}

func (r *room) count(host string, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byHost == nil {
		r.byHost = map[string]int{}
	}
	r.total += by
	if r.byHost[host] += by; r.byHost[host] == 0 {
		delete(r.byHost, host)
	}
}
