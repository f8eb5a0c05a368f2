package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"rialto/a2a"
	"rialto/bridge/sanitize"
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
	Connected   *bool       `json:"connected,omitempty"`   // by the user; nil where users do not connect it
	ConnectURL  string      `json:"connect_url,omitempty"` // where they do
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
			agents, all := fitAgents(b.AgentInfos(ctx))
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

// AgentInfos tells what is known of every agent that is for the caller, asking
// those whose cards are not at hand.
func (b *Bridge) AgentInfos(ctx context.Context) []AgentInfo {
	b.reach(ctx)
	agents := b.visible(ctx)
	infos := make([]AgentInfo, len(agents))
	for i, p := range agents {
		infos[i] = b.info(ctx, p)
	}
	return infos
}

// AgentsAtHand tells what is known by now of every agent that is for the caller.
// It waits for nobody: agents whose cards are not at hand are asked meanwhile, so
// that the next call knows more.
func (b *Bridge) AgentsAtHand(ctx context.Context) []AgentInfo {
	if b.running.Err() == nil && b.asking.CompareAndSwap(false, true) {
		b.wg.Go(func() {
			defer b.asking.Store(false)
			b.reach(context.WithoutCancel(ctx))
		})
	}
	var infos []AgentInfo
	for _, p := range b.visible(ctx) {
		info := AgentInfo{Name: p.Name, Default: p.Name == b.Primary(), Skills: []SkillInfo{}}
		last := p.last.Load()
		switch {
		case last == nil:
		case last.conn != nil:
			info.describe(b.cardFor(ctx, p.Agent, last.conn.Card()))
		default:
			info.Problem = Unreachable{p.Name}.Error()
		}
		infos = append(infos, info)
	}
	return infos
}

// Reach names the agents that a caller may give tasks to, as their cards do if
// those are at hand. It waits for nobody.
func (b *Bridge) Reach(c Caller) []string {
	var names []string
	for _, p := range b.visibleTo(b.kept(c)) {
		name := p.Name
		if last := p.last.Load(); last != nil && last.conn != nil {
			name = cmp.Or(sanitize.Label(last.conn.Card().Name), name)
		}
		names = append(names, name)
	}
	return names
}

func (b *Bridge) info(ctx context.Context, p *peer) AgentInfo {
	info := AgentInfo{Name: p.Name, Skills: []SkillInfo{}}
	info.Default = p.Name == b.Primary()
	conn, err := b.connect(ctx, p)
	if err != nil {
		info.Problem = sanitize.Text(err.Error())
		return info
	}
	info.describe(b.cardFor(ctx, p.Agent, conn.Card()))
	b.connection(ctx, &info)
	return info
}

// connection tells whether the caller has connected an agent that wants to be.
func (b *Bridge) connection(ctx context.Context, info *AgentInfo) {
	if !b.connectable(info.Name) {
		return
	}
	connected, err := b.Connections.Connected(ctx, b.Caller(ctx).User, info.Name)
	if err != nil {
		b.Log.Error("looking a connection up", "agent", info.Name, "err", err)
		return
	}
	info.Connected, info.ConnectURL = &connected, b.URL+ConnectPath+info.Name
}

// describe takes from the card of an agent that is there what it says of itself.
func (info *AgentInfo) describe(card *a2a.Card) {
	info.Available = true
	info.Title, info.Description, info.Version = sanitize.Label(card.Name), sanitize.Short(card.Description, 1000), sanitize.Label(card.Version)
	info.Skills = Skills(card)
}

// maxSkills bounds how many skills of an agent are shown.
const maxSkills = 50

// Skills returns what may be shown of a card's skills.
func Skills(card *a2a.Card) []SkillInfo {
	infos := []SkillInfo{}
	for _, s := range card.Skills[:min(len(card.Skills), maxSkills)] {
		infos = append(infos, skillInfo(s))
	}
	return infos
}

func skillInfo(s a2a.Skill) SkillInfo {
	return SkillInfo{
		ID: sanitize.Label(s.ID), Name: sanitize.Label(s.Name), Description: sanitize.Short(s.Description, 1000),
		Tags: sanitize.Labels(s.Tags), Examples: sanitize.Labels(s.Examples),
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
		fmt.Fprintf(&s, ": %s\n", flat(a.Description))
		if a.Connected != nil && !*a.Connected {
			fmt.Fprintf(&s, "  The user has to connect it first, at %s\n", a.ConnectURL)
		}
		for _, k := range a.Skills {
			fmt.Fprintf(&s, "  - %s: %s\n", k.ID, flat(k.Description))
		}
	}
	return s.String()
}

// flat puts a text on one line, where each line is something else's.
func flat(s string) string { return strings.ReplaceAll(s, "\n", " ") }
