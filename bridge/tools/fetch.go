package tools

import (
	"context"
	"rialto/mcp"
)

func (t *Tools) fetch() mcp.Tool {
	return mcp.Tool{
		Name:         "fetch",
		Title:        "Fetch a document",
		Description:  "Fetch the full content of a search result by its id. Also takes \"agent:NAME\" for an agent's description, \"task:TASK_ID\" for one of your tasks, and \"artifact:TASK_ID:ARTIFACT_ID\" for one thing that a task has produced.",
		InputSchema:  fetchInput,
		OutputSchema: fetchOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct {
				ID string `json:"id"`
			}
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			doc, err := t.Documents.Fetch(ctx, t.Directory.Access(ctx), args.ID)
			if err != nil {
				return t.errorResult(ctx, err)
			}
			return newRawResult(doc, doc.Metadata["agent"])
		},
	}
}
