package bridge

import (
	"context"
	"time"

	"rialto/a2a"
)

const (
	leaseFor    = 10 * time.Second
	rescueEvery = 3 * time.Second
	rescueBatch = 100
)

func (b *Bridge) lease() Lease {
	return Lease{Replica: b.Replica, Until: b.Now().Add(leaseFor)}
}

// rescue keeps our leases and takes up tasks whose follower died: with the
// process before this one, or with another replica.
func (b *Bridge) rescue() {
	tick := time.NewTicker(rescueEvery)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(b.running, writeBudget)
		b.claim(ctx)
		cancel()
		select {
		case <-b.running.Done():
			return
		case <-tick.C:
		}
	}
}

func (b *Bridge) claim(ctx context.Context) {
	if err := b.Ledger.RenewLeases(ctx, b.lease()); err != nil {
		b.Log.Error("renewing leases", "err", err)
		return
	}
	entries, err := b.Ledger.ClaimTasks(ctx, b.lease(), b.Now(), rescueBatch)
	if err != nil {
		b.Log.Error("taking up abandoned tasks", "err", err)
		return
	}
	for _, e := range entries {
		b.Log.Info("taking up a task", "task", e.Handle, "agent", e.Agent)
		b.wg.Go(func() { b.takeUp(e) })
	}
}

// takeUp follows a task that another process sent. One whose message never
// got an answer has failed: the agent may be working on it, but sending again
// could make it work twice.
func (b *Bridge) takeUp(e *Entry) {
	if e.Task == nil || e.Task.ID == "" {
		b.abandon(e, "Rialto stopped while it sent this message. Whether the agent received it is not known, so it was not sent again.")
		return
	}
	p, known := b.peers[e.Agent]
	if !known {
		b.abandon(e, "The agent "+e.Agent+" is no longer configured.")
		return
	}
	for wait := retryFirst; ; wait = min(2*wait, retryLast) {
		conn, err := b.connect(b.running, p)
		if err == nil {
			b.follow(conn, e, nil)
			return
		}
		b.Log.Warn("taking up a task", "task", e.Handle, "err", err)
		select {
		case <-b.running.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (b *Bridge) abandon(e *Entry, why string) {
	e.Failure = &Failure{Code: a2a.Unavailable, Message: why}
	e.Settled = true
	e.touch(b.Now())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.running), writeBudget)
	defer cancel()
	if err := b.Ledger.SaveTask(ctx, e, b.Replica); err != nil {
		b.Log.Error("writing a task", "task", e.Handle, "err", err)
	}
}
