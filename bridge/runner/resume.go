package runner

import (
	"context"
	"rialto/a2a"
	"rialto/bridge/ledger"
)

// resumeUntilIdle resumes the task again and again until it is idle, the agent is given up, the
// lease is lost or ctx ends. This is what happens when the stream of an agent breaks.
func (f *Follower) resumeUntilIdle(ctx context.Context) {
	var left pollBudget
	pause := retrying()
	for ctx.Err() == nil && !f.finished() {
		told, err := f.resume(ctx)
		if err != nil {
			f.r.Log.InfoContext(ctx, "following a task", "task", f.record.Handle, "agent", f.record.Agent, "err", err)
			f.reconnect(ctx)
		}
		if f.finished() || ctx.Err() != nil {
			return
		}
		if told {
			left.reset()
		} else if given := left.spend(f.r.Now(), err); given != nil {
			given.Presumed = f.message == nil // otherwise we are the sender
			f.settle(func(e *ledger.Record) { e.Failure = given })
			return
		}
		if !pause.wait(ctx, a2a.RetryAfter(err)) {
			return
		}
	}
}

// reconnect dials the agent again, in case its card names another address or protocol now.
func (f *Follower) reconnect(ctx context.Context) {
	p := f.r.Directory.Lookup(f.record.Agent)
	if p == nil {
		return
	}
	if conn, err := f.r.Directory.Reconnect(ctx, p, f.record.Owner); err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.conn = conn
	}
}

// resume subscribes to the task or, if the agent cannot do that, reads it. It reports
// whether the agent answered with the task.
func (f *Follower) resume(ctx context.Context) (told bool, err error) {
	if f.conn.Card().Capabilities.Streaming {
		if n, err := f.consume(ctx, f.conn.Subscribe(ctx, f.taskID())); n > 0 && err == nil || f.finished() || a2a.RetryAfter(err) > 0 {
			return n > 0, err
		}
	}
	task, err := f.conn.Task(ctx, a2a.TaskQuery{ID: f.taskID()})
	if err != nil {
		f.endIfTooLarge(err)
		return false, err
	}
	f.apply(task)
	return true, nil
}
