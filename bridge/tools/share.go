package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"rialto/bridge/documents"
	"rialto/mcp"
)

func (t *Tools) share() mcp.Tool {
	return mcp.Tool{
		Name:         "share",
		Title:        "Share a document",
		Description:  "Make a link under which anybody can read one of your tasks that has ended (\"task:TASK_ID\"), something that it has produced (\"artifact:TASK_ID:ARTIFACT_ID\"), or a document from a search result, without signing in, for a limited time. Only do so when the user asks for it.",
		InputSchema:  shareInput,
		OutputSchema: shareOutput,
		OpenWorld:    true,
		Call: handler(t, func(ctx context.Context, _ *mcp.Call, args *fetchArgs) (*mcp.Result, error) {
			s, link, err := t.Documents.ShareDocument(ctx, t.Directory.Access(ctx), args.ID)
			if err != nil {
				return nil, err
			}
			text := fmt.Sprintf(
				"%s\nAnybody who has this link can read it until %s. The user can end it on the page %s.",
				link,
				s.Expires.UTC().Format(time.RFC3339),
				t.Documents.DocumentURL(s.Document),
			)
			return &mcp.Result{
				Content:    []mcp.Content{mcp.Text(text)},
				Structured: documents.Shared{Share: *s, URL: link},
			}, nil
		}),
	}
}

var shareInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"id": {"type": "string", "minLength": 1, "description": "What fetch takes: task:…, artifact:… or doc:…."}
	},
	"required": ["id"],
	"additionalProperties": false
}`)

var shareOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"url": {"type": "string", "description": "The link. It cannot be shown again."},
		"share_id": {"type": "string"},
		"id": {"type": "string", "description": "What it shows."},
		"title": {"type": "string"},
		"created": {"type": "string", "format": "date-time"},
		"expires": {"type": "string", "format": "date-time"}
	},
	"required": ["url", "share_id", "id", "title", "created", "expires"]
}`)
