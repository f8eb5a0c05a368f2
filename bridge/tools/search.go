package tools

import (
	"context"
	"rialto/bridge/documents"
	"rialto/mcp"
)

func (t *Tools) search() mcp.Tool {
	return mcp.Tool{
		Name:         "search",
		Title:        "Search",
		Description:  "Search the agents, your earlier tasks and their results, and the documents of those agents that can be searched. Each result has an id for fetch and a url that the user can open.",
		InputSchema:  searchInput,
		OutputSchema: searchOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct {
				Query string `json:"query"`
			}
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			return newRawResult(map[string][]documents.Hit{"results": t.Documents.Search(ctx, t.Directory.Access(ctx), args.Query)}, "")
		},
	}
}
