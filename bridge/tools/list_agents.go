package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"rialto/bridge/directory"
	"rialto/mcp"
)

func (t *Tools) listAgents() mcp.Tool {
	return mcp.Tool{
		Name:  "list_agents",
		Title: "List agents",
		Description: "List the agents you can send tasks to, with what each can do (its skills) and whether it can be reached. " +
			"Call this before send_task when you do not know which agent fits.",
		InputSchema: json.RawMessage(
			`{"type":"object","properties":{},"additionalProperties":false}`,
		),
		OutputSchema: listAgentsOutput,
		ReadOnly:     true,
		Idempotent:   true,
		Call: func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			agents, all := truncateAgents(t.Directory.Infos(ctx, t.Directory.Access(ctx)))
			text := describeAgents(agents)
			if !all {
				text += "Some of it is left out, for it is more than fits here: get_agent tells more of one, and search finds agents."
			}
			return &mcp.Result{
				Content:    []mcp.Content{mcp.Text(text)},
				Structured: map[string]any{"agents": agents},
			}, nil
		},
	}
}

func describeAgents(agents []directory.Info) string {
	if len(agents) == 0 {
		return "No agents are configured."
	}

	var s strings.Builder
	for _, a := range agents {
		fmt.Fprintf(&s, "%s", a.Name)
		if a.Title != "" {
			fmt.Fprintf(&s, " (%s)", a.Title)
		}
		if a.Default {
			s.WriteString(", the default")
		}
		if !a.Available {
			fmt.Fprintf(&s, ": not available: %s\n", a.Problem)
			continue
		}
		fmt.Fprintf(&s, ": %s\n", oneLine(a.Description))
		if a.Connected != nil && !*a.Connected {
			fmt.Fprintf(&s, "  The user has to connect it first, at %s\n", a.ConnectURL)
		}
		for _, k := range a.Skills {
			fmt.Fprintf(&s, "  - %s: %s\n", k.ID, oneLine(k.Description))
		}
	}

	return s.String()
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

var listAgentsOutput = json.RawMessage(`{
	"type": "object",
	"properties": {"agents": {"type": "array", "items": ` + agentSchema + `}},
	"required": ["agents"]
}`)
