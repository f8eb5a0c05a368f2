package tools

import (
	"context"
	"encoding/json"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/mcp"
)

// taskArgs are the arguments of cancel_task.
type taskArgs struct {
	TaskID string `json:"task_id"`
}

func (t *Tools) cancelTask() mcp.Tool {
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
		Call: handler(
			t,
			func(ctx context.Context, _ *mcp.Call, args *taskArgs) (*mcp.Result, error) {
				e, err := t.Runner.Cancel(ctx, t.Directory.Access(ctx), args.TaskID)
				if err != nil && !ledger.CanceledBefore(err) {
					return nil, err
				}
				r := t.Documents.Result(e, documents.RenderOptions{Expects: a2a.Canceled})
				r.IsError = e.State() != a2a.Canceled
				return r, nil
			},
		),
	}
}

var cancelTaskInput = json.RawMessage(`{
	"type": "object",
	"properties": {"task_id": {"type": "string", "minLength": 1, "description": "From the result of send_task."}},
	"required": ["task_id"],
	"additionalProperties": false
}`)
