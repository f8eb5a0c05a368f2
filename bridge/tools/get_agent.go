package tools

import (
	"context"
	"encoding/json"
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

var getAgentInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"agent": {
			"type": "string",
			"description": "Name of the agent, from list_agents. May be left out if there is a default."
		}
	},
	"additionalProperties": false
}`)

const agentSchema = `{
	"type": "object",
	"properties": {
		"name": {"type": "string", "description": "Use it as the argument \"agent\" of send_task."},
		"title": {"type": "string"},
		"description": {"type": "string"},
		"version": {"type": "string"},
		"default": {"type": "boolean", "description": "Tasks go here when send_task names no agent."},
		"available": {"type": "boolean"},
		"problem": {"type": "string", "description": "Why the agent is not available."},
		"connected": {"type": "boolean", "description": "Whether the user has connected this agent, where users do that themselves."},
		"connect_url": {"type": "string", "description": "Where the user connects it, in a browser."},
		"skills": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"id": {"type": "string", "description": "Use it as the argument \"skill\" of send_task."},
					"name": {"type": "string"},
					"description": {"type": "string"},
					"tags": {"type": "array", "items": {"type": "string"}},
					"examples": {"type": "array", "items": {"type": "string"}}
				},
				"required": ["id", "name"]
			}
		}
	},
	"required": ["name", "default", "available", "skills"]
}`

var agentOutput = json.RawMessage(agentSchema)
