package runner

import (
	"context"

	"rialto/bridge/ledger"
)

// quotas decides which tasks may start, continue and grow.
type quotas struct {
	runner  *Runner
	counts  taskCounts
	memory  memory
	storage storageQuota
	writes  largeWrites
}

// mostRunning is how many tasks of an owner run at one time.
func (q *quotas) mostRunning() int { return q.runner.Limits.inForce().TasksPerUser }

// acquire counts a task that is about to start or to continue, until done, or returns which limit
// keeps it from that.
func (q *quotas) acquire(ctx context.Context, e *ledger.Record) (done func(), err error) {
	limits := q.runner.Limits.inForce()
	err = q.storage.check(ctx, e.Owner, e.Agent, limits)
	if err == nil {
		done, err = q.counts.start(e, limits)
	}
	return done, observeLimit(ctx, q.runner.Observer, err)
}

// enter counts the memory of the task of f until it is idle or its follower ends, and calls leave
// then. f.releaseQuota is called with f.mu held.
func (q *quotas) enter(f *Follower, leave func()) {
	f.releaseQuota = func() {
		f.releaseQuota = nil
		leave()
		q.memory.leave(f.start.Owner, f.counted)
	}
}

// resize notes how many bytes the task of f has, and returns why it must end if that is too much.
// The revisions have a limit of their own.
func (q *quotas) resize(f *Follower, bytes int) *ledger.Failure {
	from := f.counted
	f.size = bytes
	f.counted = bytes + f.revisionsSize
	q.storage.grow(f.start.Owner, f.start.Agent, from, f.counted)
	if f.releaseQuota == nil {
		return nil // the task runs no longer
	}

	limits := q.runner.Limits.inForce()
	why := q.memory.resize(f.start.Owner, from, f.counted, limits)
	if why != nil || f.counted <= ledger.SmallTask {
		return why
	}

	return q.storage.checkGrowth(f.start.Owner, f.start.Agent, limits)
}
