package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"rialto/a2a"
	"rialto/mcp"
)

// AgentInfo is what list_agents tells of one agent.
type AgentInfo struct {
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Version     string      `json:"version,omitempty"`
	Default     bool        `json:"default"`
	Available   bool        `json:"available"`
	Problem     string      `json:"problem,omitempty"`
	Skills      []SkillInfo `json:"skills"`
}

// SkillInfo is what list_agents tells of one skill.
type SkillInfo struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Examples    []string `json:"examples,omitempty"`
}

func (b *Bridge) listAgents() mcp.Tool {
	return mcp.Tool{
		Name:  "list_agents",
		Title: "List agents",
		Description: "List the agents you can send tasks to, with what each can do (its skills) and whether it can be reached. " +
			"Call this before send_task when you do not know which agent fits.",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		OutputSchema: listAgentsOutput,
		ReadOnly:     true,
		Idempotent:   true,
		Call: func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			agents := b.AgentInfos(ctx)
			return &mcp.Result{
				Content:    []mcp.Content{mcp.Text(describeAgents(agents))},
				Structured: map[string]any{"agents": agents},
			}, nil
		},
	}
}

// AgentInfos tells what is known of every agent that is for the caller, asking
// those whose cards are not at hand.
func (b *Bridge) AgentInfos(ctx context.Context) []AgentInfo {
	b.reach(ctx)
	agents := b.Visible(ctx)
	infos := make([]AgentInfo, len(agents))
	for i, a := range agents {
		infos[i] = b.info(ctx, b.peers[a.Name])
	}
	return infos
}

func (b *Bridge) info(ctx context.Context, p *peer) AgentInfo {
	info := AgentInfo{Name: p.Name, Skills: []SkillInfo{}}
	info.Default = p.Name == b.Default || len(b.Agents) == 1
	conn, err := b.connect(ctx, p)
	if err != nil {
		info.Problem = clean(err.Error())
		return info
	}
	card := conn.Card()
	info.Available = true
	info.Title, info.Description, info.Version = shown(card.Name, maxName), shown(card.Description, 1000), shown(card.Version, maxName)
	for _, s := range card.Skills[:min(len(card.Skills), 50)] {
		info.Skills = append(info.Skills, skillInfo(s))
	}
	return info
}

func skillInfo(s a2a.Skill) SkillInfo {
	return SkillInfo{
		ID: shown(s.ID, maxName), Name: shown(s.Name, maxName), Description: shown(s.Description, 1000),
		Tags: shownAll(s.Tags), Examples: shownAll(s.Examples),
	}
}

func describeAgents(agents []AgentInfo) string {
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
		fmt.Fprintf(&s, ": %s\n", a.Description)
		for _, k := range a.Skills {
			fmt.Fprintf(&s, "  - %s: %s\n", k.ID, k.Description)
		}
	}
	return s.String()
}
