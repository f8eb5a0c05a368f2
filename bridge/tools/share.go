package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"rialto/bridge/documents"
	"rialto/mcp"
	"time"
)

func (t *Tools) share() mcp.Tool {
	return mcp.Tool{
		Name:         "share",
		Title:        "Share a document",
		Description:  "Make a link under which anybody can read one of your tasks that has ended (\"task:TASK_ID\"), something that it has produced (\"artifact:TASK_ID:ARTIFACT_ID\"), or a document from a search result, without signing in, for a limited time. Only do so when the user asks for it.",
		InputSchema:  shareInput,
		OutputSchema: shareOutput,
		OpenWorld:    true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct{ ID string }
			if err := json.Unmarshal(c.Arguments, &args); err != nil {
				return mcp.InputError("The arguments of share could not be read: %v.", err), nil
			}
			s, link, err := t.Documents.ShareDocument(ctx, t.Directory.Access(ctx), args.ID)
			if err != nil {
				return t.errorResult(ctx, err)
			}
			return &mcp.Result{
				Content: []mcp.Content{mcp.Text(fmt.Sprintf("%s\nAnybody who has this link can read it until %s. The user can end it on the page %s.",
					link, s.Expires.UTC().Format(time.RFC3339), t.Documents.DocumentURL(s.Document)))},
				Structured: documents.Shared{Share: *s, URL: link},
			}, nil
		},
	}
}
