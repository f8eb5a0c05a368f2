package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// Cancel asks the agent to stop a task and returns the task; one that cannot be canceled, with a
// ledger.NotCancelable. An idle task is taken first, so that an answer sent at the same time does
// not run beside the cancellation.
func (r *Runner) Cancel(
	ctx context.Context, access directory.Access, handle string,
) (*ledger.Record, error) {
	e, err := cancelable(ctx, r, access, handle)
	if err != nil {
		return e, err
	}
	if e.Unsent() {
		return r.drop(ctx, e)
	}
	if e.Undelivered() {
		err := r.withdraw(ctx, e)
		if err != nil {
			return nil, err
		}
	}

	p := r.Directory.Lookup(e.Agent)
	if p == nil {
		return nil, ledger.InputError{
			Text: fmt.Sprintf(
				"The agent %s is gone, so task %s cannot be canceled.", e.Agent, e.Handle,
			),
		}
	}

	conn, err := r.Directory.ConnectFor(ctx, p, e.Owner)
	if err != nil {
		return nil, err
	}

	ours := e.Idle
	if ours {
		r.live.reserve(handle)
		defer r.live.release(handle)
		if err := r.reopen(ctx, e, e.MessageID); err != nil {
			return nil, err
		}
	}

	ctx, done := context.WithTimeout(ctx, cancelBudget)
	defer done()
	task, err := conn.Cancel(ctx, e.Task.ID)
	if ours && undelivered(err) {
		return nil, errors.Join(err, r.saveIdle(ctx, e))
	}

	f := r.live.get(handle)
	if ours {
		f = r.Follow(conn, e, nil) // finds out how the task stands, whatever Cancel said
	}
	if err != nil {
		return nil, err
	}
	if f != nil {
		f.applyBeside(task)
	}

	return r.AwaitIdle(ctx, access, handle, nil)
}

// cancelable returns a task that the caller may cancel. One that has ended comes with the error.
func cancelable(
	ctx context.Context, r *Runner, access directory.Access, handle string,
) (*ledger.Record, error) {
	e, err := r.Task(ctx, access, handle)
	if err == nil && !access.AllowsTool("cancel_task") {
		err = access.CheckSend()
	}
	if err != nil {
		return nil, err
	}
	return e, ledger.Cancelable(e)
}

// withdraw drops the answer that is kept for the agent of a task, which waits for another one.
func (r *Runner) withdraw(ctx context.Context, e *ledger.Record) error {
	r.live.reserve(e.Handle)
	defer r.live.release(e.Handle)
	e.Withdraw()
	if err := r.reopen(ctx, e, e.MessageID); err != nil {
		return err
	}
	return r.saveIdle(ctx, e)
}

// drop cancels a task whose message the agent never received.
func (r *Runner) drop(ctx context.Context, e *ledger.Record) (*ledger.Record, error) {
	r.live.reserve(e.Handle)
	defer r.live.release(e.Handle)
	if err := r.reopen(ctx, e, e.MessageID); err != nil {
		return nil, err
	}

	e.Task.Status = a2a.Status{State: a2a.Canceled, Timestamp: r.Now()}
	if err := r.saveIdle(ctx, e); err != nil {
		return nil, err
	}

	return e, nil
}

// cancelBudget is how long cancel_task waits for the agent to stop.
const cancelBudget = 10 * time.Second
