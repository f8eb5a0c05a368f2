package runner

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

const (
	claimBatch      = 100
	maxClaimBatches = 10 // at one time
)

// keep shows that we live, and takes over tasks whose follower died with an earlier
// process or another replica. It claims nothing while it does not reach the database.
func (l *leases) keep() {
	r := l.runner
	tick := time.Tick(heartbeatEvery)
	for reached := true; ; {
		if reached {
			l.claimAbandoned()
		}
		select {
		case <-r.running.Done():
			return
		case <-tick:
		}
		err := l.beat()
		reached = err == nil
		if !reached {
			r.logError("telling other replicas that this one lives", err)
		}
	}
}

// claimAbandoned takes over the tasks of replicas that died, and those of this replica that
// have no follower: their first write seemed to fail.
func (l *leases) claimAbandoned() {
	r := l.runner
	ctx, cancel := context.WithTimeout(r.running, writeBudget)
	defer cancel()
	for range maxClaimBatches {
		entries, err := l.nextAbandoned(ctx)
		if err != nil {
			r.logError("taking up abandoned tasks", err)
			return
		}
		for _, e := range entries {
			if r.running.Err() == nil && r.live.claim(e.Handle) {
				r.Log.InfoContext(ctx, "taking up a task", "task", e.Handle, "agent", e.Agent)
				if r.Observer != nil {
					r.Observer.TakenOver()
				}
				r.wg.Go(func() { l.takeOver(e) })
			}
		}
		if len(entries) < claimBatch {
			return
		}
	}
}

// nextAbandoned returns tasks without a follower, now held by us.
func (l *leases) nextAbandoned(ctx context.Context) ([]*ledger.Record, error) {
	r := l.runner
	if r.Only != "" {
		return r.Leases.ClaimTask(ctx, r.Only, r.Replica, r.live.handles())
	}
	return r.Leases.ClaimTasks(ctx, r.Replica, r.live.handles(), claimBatch)
}

// takeOver follows a task of another process. A task whose message was not answered has
// presumably failed: the agent may be working on it, and sending again could make it work
// twice. If the process that sent it still gets the answer, it writes that instead.
func (l *leases) takeOver(e *ledger.Record) {
	r := l.runner
	defer r.live.release(e.Handle)
	if e.Failure != nil {
		l.presumeFailed(e, &ledger.Failure{
			Code:     a2a.Unavailable,
			Message:  e.Failure.Message,
			Sentence: e.Failure.Sentence,
		})
		return
	}

	p := r.Directory.Lookup(e.Agent)
	if p == nil {
		l.presumeFailed(
			e, ledger.Fail(a2a.Unavailable, "The agent %s is no longer configured.", e.Agent),
		)
		return
	}
	if e.Task == nil || e.Task.ID == "" {
		e.Task = l.search(p, e)
		if r.running.Err() != nil {
			return
		}
	}
	if e.Task == nil {
		l.presumeFailed(
			e,
			ledger.Fail(
				a2a.Unavailable,
				"Rialto stopped while it sent this message. "+
					"Whether the agent received it is not known, so it was not sent again.",
			),
		)
		return
	}

	pause := retrying()
	for {
		conn, err := r.Directory.ConnectFor(r.running, p, e.Owner)
		if err == nil {
			r.Follow(conn, e, nil)
			return
		}
		r.Log.Warn("taking up a task", "task", e.Handle, "err", err)
		if !pause.wait(r.running, 0) {
			return
		}
	}
}

const (
	searchBudget = 2 * time.Minute // many agents have no task before they speak
	searchedPage = 100             // tasks
)

// search looks for the task that an agent made of a message whose answer got lost, among the tasks
// that the agent lists (A2A 1.0). The task is known by the id of the message, if that is unique, and by its
// words. search returns nil if there is none, or if the agent cannot tell.
func (l *leases) search(p *directory.Agent, e *ledger.Record) *a2a.Task {
	if uuid.Validate(e.MessageID) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(l.runner.running, searchBudget)
	defer cancel()
	pause := retrying()
	for {
		tasks, err := l.list(ctx, p, e.Owner)
		i := slices.IndexFunc(tasks, func(t *a2a.Task) bool { return begunBy(t, e) })
		if i >= 0 {
			found := tasks[i]
			return &a2a.Task{
				ID:        found.ID,
				ContextID: found.ContextID,
				Status:    a2a.Status{State: a2a.Submitted},
			}
		}
		if err != nil && !a2a.Is(err, a2a.Unavailable) && !a2a.Is(err, a2a.RateLimited) {
			return nil
		}
		if !pause.wait(ctx, a2a.RetryAfter(err)) {
			return nil
		}
	}
}

// list returns the latest tasks that an agent lists for a user.
func (l *leases) list(
	ctx context.Context, p *directory.Agent, user string,
) ([]*a2a.Task, error) {
	conn, err := l.runner.Directory.ConnectFor(ctx, p, user)
	if err != nil {
		return nil, err
	}

	lister, ok := conn.(a2a.Lister)
	if !ok {
		return nil, a2a.Errorf(a2a.UnsupportedOperation, "the agent lists no tasks")
	}

	history := searchedPage
	page, err := lister.Tasks(ctx, a2a.TaskFilter{PageSize: searchedPage, HistoryLength: &history})
	if err != nil {
		return nil, err
	}

	return page.Tasks, nil
}

// begunBy reports whether the message of e has begun t.
func begunBy(t *a2a.Task, e *ledger.Record) bool {
	return slices.ContainsFunc(t.History, func(m a2a.Message) bool {
		return m.ID == e.MessageID && ledger.Excerpt(&m) == e.Asked
	})
}

// presumeFailed ends a task with a failure that the agent's answer replaces.
func (l *leases) presumeFailed(e *ledger.Record, why *ledger.Failure) {
	why.Presumed = true
	l.runner.fail(e, why)
}

// fail ends a task that has no follower.
func (r *Runner) fail(e *ledger.Record, why *ledger.Failure) {
	e.Failure = why
	ctx, cancel := r.writeContext()
	defer cancel()
	if err := r.saveIdle(ctx, e); err != nil {
		r.Log.Error(
			"writing a task",
			"task", e.Handle,
			"err", err,
		) // it is let go, and claimed again
		return
	}

	observeEnd(r.Observer, e)
}

// saveIdle writes a task that has no follower and is idle now.
func (r *Runner) saveIdle(ctx context.Context, e *ledger.Record) error {
	e.Idle = true
	e.Touch(r.Now())
	if err := r.Ledger.SaveTask(ctx, e, r.Replica); err != nil {
		return err
	}
	r.Publisher.changed(e)
	return nil
}
