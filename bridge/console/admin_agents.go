package console

import (
	"context"
	"net/http"

	"rialto/bridge/console/usagereport"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/internal/usage"
	"rialto/templates"
)

// adminAgents are the pages about agents.
type adminAgents struct{ *Console }

// agents lists the agents with their health, and with their calls of a week.
func (c adminAgents) agents(r *http.Request) (*templates.Console, error) {
	week := usagereport.New("/admin/usage", nil, c.Now().In(usagereport.Zone(r)))
	sums, err := c.Admin.Usage(r.Context(), week.Filter, usage.ByAgent, week.Step)
	if err != nil {
		return nil, err
	}

	return c.listPage(r, &operator.AgentFilter{}, agentList{c, week.Calls(sums)}, templates.Console{
		Title: "Agents",
		Lead: templates.Textf(
			"Agents your people can use. Added here or in the configuration.",
		),
		Actions: []templates.Button{
			{Action: "/admin/agents/new", Get: true, Word: "Add an agent", First: true},
		},
	})
}

// agentList shows agents.
type agentList struct {
	adminAgents
	calls map[string][]int64 // by agent and day
}

func (c agentList) cell(_ *http.Request, entry any, column string) templates.Text {
	s := entry.(directory.AgentStatus)
	switch column {
	case "calls":
		return usagereport.Week(s.Name, c.calls[s.Name])
	case "name":
		title := templates.Link(agentAt(s.Name), cardName(s))
		return templates.Named(c.Bridge.Directory.Title(s.Name), templates.Lines(title, templates.Code(s.Name)))
	case "enabled":
		return agentState(s)
	case "health":
		return speaks(s)
	case "use_cases":
		return useCases(s.UseCases)
	}

	return c.answered(s.Health)
}

func (c adminAgents) buttons(_ query, entry any) []templates.Button {
	s := entry.(directory.AgentStatus)
	turn := turnButton("/admin/agents", s.Enabled, hidden("name", s.Name))
	turn.About = s.Name
	return []templates.Button{turn}
}

func agentState(s directory.AgentStatus) templates.Text {
	var all []templates.Text
	switch h := s.Health; {
	case !s.Enabled:
		all = append(all, templates.Badge(templates.Plain, "Disabled"))
	case h == nil || h.Asked.IsZero():
		all = append(all, templates.Badge(templates.Plain, "Not asked yet"))
	case h.Card == nil:
		all = append(all, templates.Badge(templates.Bad, "Can't be reached"))
	case !h.Until.IsZero():
		all = append(all, templates.Badge(templates.Bad, "Doesn't answer"))
	case h.Problem != "":
		all = append(all, templates.Badge(templates.Note, "Card can't be read"))
	default:
		all = append(all, templates.Badge(templates.Good, "Healthy"))
	}

	if s.Waiting {
		all = append(all, templates.Badge(templates.Note, "Card to review"))
	}

	return templates.Row(all...)
}

// speaks shows the protocol generation and binding of calls.
func speaks(s directory.AgentStatus) templates.Text {
	if s.Health == nil || s.Health.Interface.Version == "" {
		return templates.Verbatim("–")
	}
	i := s.Health.Interface
	return templates.Lines(
		templates.Verbatim("A2A "+sanitize.Short(string(i.Version), 20)),
		templates.Verbatim(sanitize.Short(string(i.Binding), 50)),
	)
}

func (c adminAgents) answered(h *directory.Health) templates.Text {
	if h == nil || h.Answered.IsZero() {
		return templates.Verbatim("–")
	}
	return c.when(h.Answered)
}

// turn returns the form that enables or disables an agent.
func (c adminAgents) turn(
	do func(operator.Agents, context.Context, operator.Actor, string) (bool, error), done string,
) formAction {
	return func(f *form) error {
		_, err := do(c.Admin.Agents, f.Context(), f.by, f.Get("name"))
		to := back(f.Values, "/admin/agents")
		return f.done(with(to, "undo", f.Get("name")), done, err)
	}
}

func (c adminAgents) askAccept(f *form) (question, error) {
	s, err := c.Admin.Agents.Agent(f.Context(), f.Get("name"))
	if err != nil {
		return question{}, err
	}

	return question{
		title: "Accept the new card?",
		word:  "Accept the card",
		back:  agentAt(s.Name),
		about: templates.Textf(
			"{} will then be called as its new card says. Check what changed first.", s.Name,
		),
	}, nil
}

func (c adminAgents) acceptCard(f *form) error {
	_, err := c.Admin.Agents.AcceptCard(f.Context(), f.by, f.Get("name"), f.Get("digest"))
	return f.done(agentAt(f.Get("name")), "accepted", err)
}
