package tools

import (
	"context"
	"fmt"
	"strings"

	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/mcp"
)

// agentArgs are the arguments of get_agent.
type agentArgs struct {
	Agent string `json:"agent"`
}

func (t *Tools) getAgent() mcp.Tool {
	return mcp.Tool{
		Name:         "get_agent",
		Title:        "Get an agent",
		Description:  "Tell what one agent can do: its description, its skills with examples, and whether it can be reached.",
		InputSchema:  getAgentInput,
		OutputSchema: agentOutput,
		ReadOnly:     true,
		Idempotent:   true,
		Call: handler(t, func(ctx context.Context, _ *mcp.Call, args *agentArgs) (*mcp.Result, error) {
			access := t.Directory.Access(ctx)
			p, err := t.Directory.Resolve(ctx, access, args.Agent, "")
			if err != nil {
				return nil, err
			}
			infos, _ := truncateAgents([]directory.Info{t.Directory.Info(ctx, access, p.Agent)})
			return &mcp.Result{
				Content:    []mcp.Content{mcp.Text(describeAgents(infos) + examples(infos[0]))},
				Structured: infos[0],
			}, nil
		}),
	}
}

// examples returns example requests of an agent, as far as they fit.
func examples(a directory.Info) string {
	var all strings.Builder
	left := documents.MaxResult - documents.Length(a) - documents.Length(describeAgents([]directory.Info{a}))
	for _, s := range a.Skills {
		for _, e := range s.Examples {
			line := fmt.Sprintf("  Example of %s: %s\n", s.ID, e)
			left -= documents.Length(line)
			if left < 0 {
				return all.String()
			}
			all.WriteString(line)
		}
	}
	return all.String()
}
