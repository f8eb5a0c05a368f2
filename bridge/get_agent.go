package bridge

import (
	"context"
	"encoding/json"

	"rialto/mcp"
)

func (b *Bridge) getAgent() mcp.Tool {
	return mcp.Tool{
		Name:         "get_agent",
		Title:        "Get an agent",
		Description:  "Tell what one agent can do: its description, its skills with examples, and whether it can be reached.",
		InputSchema:  getAgentInput,
		OutputSchema: agentOutput,
		ReadOnly:     true,
		Idempotent:   true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct{ Agent string }
			if err := json.Unmarshal(c.Arguments, &args); err != nil {
				return mcp.InputError("The arguments of get_agent could not be read: %v.", err), nil
			}
			p, err := b.agent(ctx, args.Agent)
			if err != nil {
				return b.refuse(err)
			}
			info := b.info(ctx, p)
			return &mcp.Result{Content: []mcp.Content{mcp.Text(describeAgents([]AgentInfo{info}))}, Structured: info}, nil
		},
	}
}
