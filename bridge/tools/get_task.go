package tools

import (
	"context"
	"time"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
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
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args getArgs
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			from, err := documents.ParseCursor(args.Cursor)
			if err != nil {
				return t.errorResult(ctx, err)
			}
			e, err := t.awaitTask(ctx, args.TaskID, waitFor(args.Wait), c.Progress)
			if err == nil && t.Runner.Advanced(ctx, e) {
				e, err = t.awaitTask(ctx, args.TaskID, waitFor(args.Wait), c.Progress)
			}
			unanswered := ""
			if err == nil {
				e, unanswered, err = t.elicit(ctx, c, e, args.Wait)
			}
			if err != nil {
				return t.errorResult(ctx, err)
			}
			if !from.Leads(e, args.HistoryLength) {
				return t.errorResult(ctx, documents.ErrCursorAstray)
			}
			return t.Documents.Result(e, documents.RenderOptions{From: from, History: args.HistoryLength, Unanswered: unanswered}), nil
		},
	}
}

// awaitTask returns a task of the caller, after waiting until it is idle.
func (t *Tools) awaitTask(ctx context.Context, handle string, wait time.Duration, progress func(string)) (*ledger.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return t.Runner.AwaitIdle(ctx, t.Directory.Access(ctx), handle, progress)
}
