package tools

import (
	"context"
	"encoding/json"

	"rialto/mcp"
)

// fetchArgs are the arguments of fetch and of share.
type fetchArgs struct {
	ID string `json:"id"`
}

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
		Call: handler(t, func(ctx context.Context, _ *mcp.Call, args *fetchArgs) (*mcp.Result, error) {
			doc, err := t.Documents.Fetch(ctx, t.Directory.Access(ctx), args.ID)
			if err != nil {
				return nil, err
			}
			return newRawResult(doc, doc.Metadata["agent"], doc.Task)
		}),
	}
}

var fetchInput = json.RawMessage(`{
	"type": "object",
	"properties": {"id": {"type": "string", "minLength": 1, "description": "The id of a search result."}},
	"required": ["id"],
	"additionalProperties": false
}`)

var fetchOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"id": {"type": "string"},
		"title": {"type": "string"},
		"text": {"type": "string"},
		"url": {"type": "string"},
		"metadata": {"type": "object", "additionalProperties": {"type": "string"}}
	},
	"required": ["id", "title", "text", "url"]
}`)
