package tools

import (
	"encoding/json"

	"rialto/mcp"
)

// rawResult is structured content, and the agent and the task that it is about; "" is none.
type rawResult struct {
	json.RawMessage
	agent, task string
}

// newRawResult returns v as structured content and as one text item with the same JSON:
// ChatGPT reads the text, others the structure.
func newRawResult(v any, agent, task string) (*mcp.Result, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.Result{
		Content:    []mcp.Content{mcp.Text(string(text))},
		Structured: rawResult{text, agent, task},
	}, nil
}
