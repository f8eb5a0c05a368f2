package tools

import (
	"context"
	"encoding/json"

	"rialto/bridge/documents"
	"rialto/mcp"
)

// searchArgs are the arguments of search.
type searchArgs struct {
	Query string `json:"query"`
}

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
		Call: handler(t, func(ctx context.Context, _ *mcp.Call, args *searchArgs) (*mcp.Result, error) {
			hits := t.Documents.Search(ctx, t.Directory.Access(ctx), args.Query)
			return newRawResult(map[string][]documents.Hit{"results": hits}, "", "")
		}),
	}
}

var searchInput = json.RawMessage(`{
	"type": "object",
	"properties": {"query": {"type": "string", "minLength": 1, "description": "Words to look for."}},
	"required": ["query"],
	"additionalProperties": false
}`)

// searchOutput and fetchOutput have the shapes of ChatGPT connectors.
var searchOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"results": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {"id": {"type": "string"}, "title": {"type": "string"}, "url": {"type": "string"}},
				"required": ["id", "title", "url"]
			}
		}
	},
	"required": ["results"]
}`)
