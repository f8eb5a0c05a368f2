package bridge

import (
	"context"
	"time"

	"rialto/bridge/ledger"
	"rialto/mcp"
)

// pollEvery is how often a task that another replica follows is looked up.
const pollEvery = time.Second

// getArgs are the arguments of get_task.
type getArgs struct {
	TaskID        string   `json:"task_id"`
	Wait          *float64 `json:"wait"`
	HistoryLength int      `json:"history_length"` // 0 shows none
	Cursor        string   `json:"cursor"`
}

func (b *Bridge) getTask() mcp.Tool {
	return mcp.Tool{
		Name:  "get_task",
		Title: "Get a task",
		Description: "Tell where a task stands and what it has produced. While it is submitted or working, the call waits up to \"wait\" seconds for it to finish. " +
			"Use the task_id that send_task returned. A result that is too long for one answer has a next_cursor: call again with it as cursor.",
		InputSchema:  getTaskInput,
		OutputSchema: taskOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args getArgs
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			from, err := parseCursor(args.Cursor)
			if err != nil {
				return b.refuse(err)
			}
			e, err := b.task(ctx, args.TaskID, waitFor(args.Wait), c.Progress)
			if err == nil && b.goneOn(ctx, e) {
				e, err = b.task(ctx, args.TaskID, waitFor(args.Wait), c.Progress)
			}
			if err == nil {
				e, err = b.converse(ctx, c, e, args.Wait)
			}
			if err != nil {
				return b.refuse(err)
			}
			if !from.leads(e, args.HistoryLength) {
				return b.refuse(astray)
			}
			return b.result(e, page{from: from, history: args.HistoryLength}), nil
		},
	}
}

// task returns the caller's task, after waiting for it to settle.
func (b *Bridge) task(ctx context.Context, handle string, wait time.Duration, progress func(string)) (*ledger.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	e, err := b.settled(ctx, b.Directory.Caller(ctx).User, handle, progress)
	if err == nil && b.Directory.Hides(ctx, e.Agent) {
		return nil, ledger.ErrNoTask
	}
	return e, err
}

// settled returns owner's task once it has settled, or as it stands when ctx
// ends. A task that another replica follows is looked up again and again, and
// when that replica says so.
func (b *Bridge) settled(ctx context.Context, owner, handle string, progress func(string)) (*ledger.Record, error) {
	rung, leave := b.bells.enter(handle)
	defer leave()
	for {
		e, err := b.Ledger.Task(context.WithoutCancel(ctx), owner, handle)
		if err != nil || e.Idle {
			return e, err
		}
		if f := b.follower(handle); f != nil {
			if e = f.wait(ctx, nil, progress, false); e.Idle {
				return e, nil
			}
		}
		select {
		case <-ctx.Done():
			return e, nil
		case <-b.waits.Done():
			return e, nil
		case <-rung:
		case <-time.After(pollEvery):
		}
	}
}
