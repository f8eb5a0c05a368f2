package bridge

import (
	"context"
	"maps"
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	leaseFor    = 10 * time.Second
	rescueEvery = 3 * time.Second
	rescueBatch = 100
	mostBatches = 10 // at one time
)

func (b *Bridge) lease() ledger.Lease {
	return ledger.Lease{Replica: b.Replica, Until: b.Now().Add(leaseFor)}
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

// claim renews the leases of what this replica holds, by name, so that a task
// that slipped from its hands is found again like that of a dead replica.
func (b *Bridge) claim(ctx context.Context) {
	if err := b.Leases.RenewLeases(ctx, b.lease(), b.held()); err != nil {
		b.complain("renewing leases", err)
		return
	}
	for range mostBatches {
		entries, err := b.abandoned(ctx)
		if err != nil {
			b.complain("taking up abandoned tasks", err)
			return
		}
		for _, e := range entries {
			if b.hold(e.Handle) {
				b.Log.Info("taking up a task", "task", e.Handle, "agent", e.Agent)
				b.wg.Go(func() { b.takeUp(e) })
			}
		}
		if len(entries) < rescueBatch {
			return
		}
	}
}

// abandoned returns tasks whose lease has run out, under ours.
func (b *Bridge) abandoned(ctx context.Context) ([]*ledger.Record, error) {
	if b.Only != "" {
		return b.Leases.ClaimTask(ctx, b.Only, b.lease(), b.Now())
	}
	return b.Leases.ClaimTasks(ctx, b.lease(), b.Now(), rescueBatch)
}

// inherit ends the leases of the process before this one, where no other lives:
// its tasks need not wait for that, and count for nobody until they are taken up.
func (b *Bridge) inherit() {
	ctx, cancel := context.WithTimeout(b.running, writeBudget)
	defer cancel()
	if err := b.Leases.EndLeases(ctx, b.Replica, b.Now()); err != nil {
		b.complain("ending the leases of the process before", err)
	}
}

// complain logs what is not the fault of our own stopping.
func (b *Bridge) complain(doing string, err error) {
	if b.running.Err() == nil {
		b.Log.Error(doing, "err", err)
	}
}

// held returns the handles of the tasks whose lease is ours.
func (b *Bridge) held() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.live))
}

// hold notes that a task is being taken up. It reports false if it is ours
// already, or the bridge closes.
func (b *Bridge) hold(handle string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ours := b.live[handle]; ours || b.running.Err() != nil {
		return false
	}
	b.live[handle] = nil
	return true
}

// letGo undoes hold, unless a follower has taken over.
func (b *Bridge) letGo(handle string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live[handle] == nil {
		delete(b.live, handle)
	}
}

// takeUp follows a task that another process sent. One whose message never
// got an answer has failed: the agent may be working on it, but sending again
// could make it work twice.
func (b *Bridge) takeUp(e *ledger.Record) {
	defer b.letGo(e.Handle)
	if e.Failure != nil {
		b.abandon(e, &ledger.Failure{Code: a2a.Unavailable, Message: e.Failure.Message, Sentence: e.Failure.Sentence})
		return
	}
	if e.Task == nil || e.Task.ID == "" {
		b.abandon(e, ledger.Fail(a2a.Unavailable, "Rialto stopped while it sent this message. Whether the agent received it is not known, so it was not sent again."))
		return
	}
	p := b.Directory.Lookup(e.Agent)
	if p == nil {
		b.abandon(e, ledger.Fail(a2a.Unavailable, "The agent %s is no longer configured.", e.Agent))
		return
	}
	for wait := retryFirst; ; wait = min(2*wait, retryLast) {
		conn, err := b.Directory.ConnectFor(b.running, p, e.Owner)
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

func (b *Bridge) abandon(e *ledger.Record, why *ledger.Failure) {
	e.Failure = why
	e.Idle = true
	e.Touch(b.Now())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.running), writeBudget)
	defer cancel()
	if err := b.Ledger.SaveTask(ctx, e, b.Replica); err != nil {
		b.Log.Error("writing a task", "task", e.Handle, "err", err) // it is let go, and claimed again
		return
	}
	b.changed(e)
}
