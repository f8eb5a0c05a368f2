package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/mcp"
)

// cancelBudget is how long cancel_task waits for the agent to stop.
const cancelBudget = 10 * time.Second

func (b *Bridge) cancelTask() mcp.Tool {
	return mcp.Tool{
		Name:         "cancel_task",
		Title:        "Cancel a task",
		Description:  "Ask the agent to stop a task. What it has produced so far is kept. A task that has ended cannot be canceled.",
		InputSchema:  cancelTaskInput,
		OutputSchema: taskOutput,
		Destructive:  true,
		Idempotent:   true,
		OpenWorld:    true,
		DetachedFor:  time.Minute,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct {
				TaskID string `json:"task_id"`
			}
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			e, err := b.own(ctx, args.TaskID)
			if err == nil && e.State() != a2a.Canceled { // else what is asked for is so: a call may be made again
				e, err = b.cancel(ctx, e.Owner, args.TaskID)
			}
			if err != nil {
				return b.refuse(err)
			}
			r := b.result(e, page{expects: a2a.Canceled})
			r.IsError = e.State() != a2a.Canceled
			return r, nil
		},
	}
}

// cancel asks the agent to stop a task of owner's and returns the task as it
// then stands. A task that waits for input is taken under our lease first, so
// that an answer sent at the same time does not run beside the cancellation.
func (b *Bridge) cancel(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	e, err := b.Ledger.Task(ctx, owner, handle)
	if err != nil {
		return nil, err
	}
	if err := ledger.Cancelable(e); err != nil {
		return nil, err
	}
	if e.Unsent() {
		return b.drop(ctx, e)
	}
	p := b.Directory.Lookup(e.Agent)
	if p == nil {
		return nil, ledger.InputError{Text: fmt.Sprintf("The agent %s is gone, so task %s cannot be canceled.", e.Agent, e.Handle)}
	}
	conn, err := b.Directory.ConnectFor(ctx, p, owner)
	if err != nil {
		return nil, err
	}
	ours := e.Idle
	if ours {
		if err := b.reopen(ctx, e, e.MessageID); err != nil {
			return nil, err
		}
	}
	ctx, done := context.WithTimeout(ctx, cancelBudget)
	defer done()
	task, err := conn.Cancel(ctx, e.Task.ID)
	f := b.follower(handle)
	if ours {
		f = b.follow(conn, e, nil) // finds out how the task stands, whatever Cancel said
	}
	if err != nil {
		return nil, err
	}
	if f != nil {
		f.apply(task)
	}
	return b.settled(ctx, owner, handle, func(string) {})
}

// drop cancels a task whose message the agent has never got.
func (b *Bridge) drop(ctx context.Context, e *ledger.Record) (*ledger.Record, error) {
	if err := b.reopen(ctx, e, e.MessageID); err != nil {
		return nil, err
	}
	e.Task.Status = a2a.Status{State: a2a.Canceled, Timestamp: b.Now()}
	e.Idle = true
	e.Touch(b.Now())
	if err := b.Ledger.SaveTask(ctx, e, b.Replica); err != nil {
		return nil, err
	}
	b.changed(e)
	return e, nil
}

// Cancel asks the agent to stop a task of owner's and returns the task as it then
// stands. Who may ask is for its caller to decide. It fails with ErrNoTask, and
// else as an agent does, with an *a2a.Error.
func (b *Bridge) Cancel(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	e, err := b.cancel(ctx, owner, handle)
	if err != nil && !errors.Is(err, ledger.ErrNoTask) {
		err = (&Face{bridge: b}).refuse(err)
	}
	return e, err
}
