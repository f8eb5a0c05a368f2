package tools

import (
	"context"

	"rialto/bridge/documents"
	"rialto/mcp"
)

// getArgs are the arguments of get_task.
type getArgs struct {
	TaskID        string   `json:"task_id"`
	Wait          *float64 `json:"wait"`
	HistoryLength int      `json:"history_length"` // 0 shows none
	Cursor        string   `json:"cursor"`
}

func (t *Tools) getTask() mcp.Tool {
	return mcp.Tool{
		Name:  "get_task",
		Title: "Get a task",
		Description: "Tell where a task stands and what it has produced. While it is submitted or working, the call waits up to \"wait\" seconds for it to finish. " +
			"Use the task_id that send_task returned. A result that is too long for one answer has a next_cursor: call again with it as cursor.",
		InputSchema:  getTaskInput,
		OutputSchema: getTaskOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: handler(t, func(ctx context.Context, c *mcp.Call, args *getArgs) (*mcp.Result, error) {
			from, err := documents.ParseCursor(args.Cursor)
			if err != nil {
				return nil, err
			}
			el := &elicitor{t, c, waitFor(args.Wait)}
			e, err := el.await(ctx, args.TaskID)
			if err == nil && t.Runner.PollPaused(ctx, e) {
				e, err = el.await(ctx, args.TaskID)
			}
			if err != nil {
				return nil, err
			}
			e, unanswered, err := el.elicit(ctx, e)
			if err != nil {
				return nil, err
			}
			if !from.Exists(e, args.HistoryLength) {
				return nil, documents.ErrForeignCursor
			}
			return t.Documents.Result(e, documents.RenderOptions{
				From:       from,
				History:    args.HistoryLength,
				Unanswered: unanswered,
			}), nil
		}),
	}
}
