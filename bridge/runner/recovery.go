package runner

import (
	"context"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	leaseFor        = 10 * time.Second
	leaseEvery      = 3 * time.Second
	claimBatch      = 100
	maxClaimBatches = 10 // at one time
)

func (r *Runner) lease() ledger.Lease {
	return ledger.Lease{Replica: r.Replica, Until: r.Now().Add(leaseFor)}
}

// keepLeases renews our leases and takes over tasks whose follower died with an earlier
// process or another replica.
func (r *Runner) keepLeases() {
	tick := time.NewTicker(leaseEvery)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(r.running, writeBudget)
		r.claimAbandoned(ctx)
		cancel()
		select {
		case <-r.running.Done():
			return
		case <-tick.C:
		}
	}
}

// claimAbandoned renews the leases of the tasks that this replica follows, by handle,
// and takes over tasks whose lease has expired. A task that this replica lost is found
// like that of a dead replica.
func (r *Runner) claimAbandoned(ctx context.Context) {
	if err := r.Leases.RenewLeases(ctx, r.lease(), r.live.handles()); err != nil {
		r.logError("renewing leases", err)
		return
	}
	for range maxClaimBatches {
		entries, err := r.nextAbandoned(ctx)
		if err != nil {
			r.logError("taking up abandoned tasks", err)
			return
		}
		for _, e := range entries {
			if r.running.Err() == nil && r.live.reserve(e.Handle) {
				r.Log.Info("taking up a task", "task", e.Handle, "agent", e.Agent)
				r.wg.Go(func() { r.takeOver(e) })
			}
		}
		if len(entries) < claimBatch {
			return
		}
	}
}

// nextAbandoned returns tasks whose lease has expired, now under ours.
func (r *Runner) nextAbandoned(ctx context.Context) ([]*ledger.Record, error) {
	if r.Only != "" {
		return r.Leases.ClaimTask(ctx, r.Only, r.lease(), r.Now())
	}
	return r.Leases.ClaimTasks(ctx, r.lease(), r.Now(), claimBatch)
}

// expireOtherLeases expires the leases of the process before this one, because no other
// process runs.
func (r *Runner) expireOtherLeases() {
	ctx, cancel := context.WithTimeout(r.running, writeBudget)
	defer cancel()
	if err := r.Leases.EndLeases(ctx, r.Replica, r.Now()); err != nil {
		r.logError("ending the leases of the process before", err)
	}
}

// logError logs an error that is not due to our own stopping.
func (r *Runner) logError(doing string, err error) {
	if r.running.Err() == nil {
		r.Log.Error(doing, "err", err)
	}
}

// takeOver follows a task of another process. A task whose message was not answered has
// failed: the agent may be working on it, and sending again could make it work twice.
func (r *Runner) takeOver(e *ledger.Record) {
	defer r.live.unreserve(e.Handle)
	if e.Failure != nil {
		r.fail(e, &ledger.Failure{Code: a2a.Unavailable, Message: e.Failure.Message, Sentence: e.Failure.Sentence})
		return
	}
	if e.Task == nil || e.Task.ID == "" {
		r.fail(e, ledger.Fail(a2a.Unavailable, "Rialto stopped while it sent this message. Whether the agent received it is not known, so it was not sent again."))
		return
	}
	p := r.Directory.Lookup(e.Agent)
	if p == nil {
		r.fail(e, ledger.Fail(a2a.Unavailable, "The agent %s is no longer configured.", e.Agent))
		return
	}
	for wait := retryFirst; ; wait = min(2*wait, retryLast) {
		conn, err := r.Directory.ConnectFor(r.running, p, e.Owner)
		if err == nil {
			r.Follow(conn, e, nil)
			return
		}
		r.Log.Warn("taking up a task", "task", e.Handle, "err", err)
		select {
		case <-r.running.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (r *Runner) fail(e *ledger.Record, why *ledger.Failure) {
	e.Failure = why
	e.Idle = true
	e.Touch(r.Now())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.running), writeBudget)
	defer cancel()
	if err := r.Ledger.SaveTask(ctx, e, r.Replica); err != nil {
		r.Log.Error("writing a task", "task", e.Handle, "err", err) // it is let go, and claimed again
		return
	}
	r.announceChange(e)
}
