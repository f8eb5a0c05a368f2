package tools

import (
	"encoding/json"
	"rialto/mcp"
)

// exactly is structured content and the agent that it is about.
type exactly struct {
	json.RawMessage
	agent string
}

// exact returns v as structured content and as one text item with the same JSON:
// ChatGPT reads the text, others the structure.
func exact(v any, agent string) (*mcp.Result, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.Result{Content: []mcp.Content{mcp.Text(string(text))}, Structured: exactly{text, agent}}, nil
}
