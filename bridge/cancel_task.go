package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"rialto/a2a"
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
		GoesOn:       time.Minute,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct {
				TaskID string `json:"task_id"`
			}
			if err := json.Unmarshal(c.Arguments, &args); err != nil {
				return mcp.InputError("The arguments of cancel_task could not be read: %v.", err), nil
			}
			e, err := b.cancel(ctx, b.Caller(ctx).User, args.TaskID)
			if err != nil {
				return b.refuse(err)
			}
			r := b.result(e, page{})
			r.IsError = e.State() != a2a.Canceled
			return r, nil
		},
	}
}

// cancel asks the agent to stop a task of owner's and returns the task as it
// then stands. A task that waits for input is taken under our lease first, so
// that an answer sent at the same time does not run beside the cancellation.
func (b *Bridge) cancel(ctx context.Context, owner, handle string) (*Entry, error) {
	e, err := b.Ledger.Task(ctx, owner, handle)
	if err != nil {
		return nil, err
	}
	if err := cancelable(e); err != nil {
		return nil, err
	}
	conn, err := b.named(ctx, e.Agent, owner)
	if err != nil {
		return nil, err
	}
	ours := e.Settled
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

func cancelable(e *Entry) error {
	switch {
	case e.State().Terminal():
		return inputError{fmt.Sprintf("Task %s has ended (%s) and cannot be canceled. get_task shows what it produced.", e.Handle, e.State())}
	case e.Task == nil || e.Task.ID == "":
		return inputError{fmt.Sprintf("The agent has not confirmed task %s yet, so there is nothing to cancel. Try again in a few seconds.", e.Handle)}
	}
	return nil
}
