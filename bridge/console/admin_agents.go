package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/bridge/directory"
	"rialto/templates"
)

// adminAgents are the pages about agents.
type adminAgents struct{ *Console }

func (c adminAgents) routes() []route {
	a := adminArea
	return []route{
		{"/admin/agents", c.show(a, c.agents), nil},
		{"/admin/agents/one", c.show(a, c.agent), nil},
		{"/admin/agents/new", c.show(a, c.newAgent), c.do(a, c.addAgent)},
		{"/admin/agents/change", c.show(a, c.changeForm), c.do(a, c.changeAgent)},
		{"/admin/agents/test", nil, c.slowly(a, c.testAgent)},
		{"/admin/agents/enable", nil, c.do(a, c.enableAgent)},
		{"/admin/agents/disable", nil, c.do(a, c.disableAgent)},
		{"/admin/agents/remove", nil, c.do(a, confirm(c.askRemoveAgent, c.removeAgent))},
		{"/admin/agents/accept", nil, c.do(a, confirm(c.askAccept, c.acceptCard))},
	}
}

// agentPage is the number of agents on a page. There are a few hundred at most, so the
// list is read whole.
const agentPage = 50

// agents lists the agents with their health.
func (c adminAgents) agents(r *http.Request) (templates.Console, error) {
	all, err := c.Admin.Agents.List(r.Context())
	if err != nil {
		return templates.Console{}, err
	}
	q := parseQuery(r, "text", "only")
	all = slices.DeleteFunc(all, func(s directory.Status) bool { return !chosen(q, s) })
	page, next := cut(all, r.URL.Query().Get("after"))
	t := &templates.Table{
		Columns: []templates.Column{{Name: "Agent"}, {Name: "State"}, {Name: "Speaks"}, {Name: "Use cases"}, {Name: "Answered last"}},
	}
	for _, s := range page {
		t.Rows = append(t.Rows, c.agentRow(s))
	}
	if len(all) == 0 && !q.filtered() {
		t.Empty = templates.Say("No agent is connected yet.")
	}
	return templates.Console{
		Title: "Agents", Lead: templates.Say("What people can give tasks to, from the configuration and from here."),
		Actions: []templates.Button{{Action: "/admin/agents/new", Get: true, Word: "Add an agent", First: true}},
		Sections: []templates.Section{{
			ID: "agents", Table: q.pager(r, t, next),
			Filter: q.filter(
				templates.Field{Name: "text", Kind: "search", Label: "Search by name or address", Hint: "Search by name or address", Max: 128},
				templates.Field{Name: "only", Kind: "choice", Label: "Show", Options: []templates.Option{
					{Word: "All"}, {Value: "attention", Word: "In trouble"}, {Value: "waiting", Word: "With a card to review"}, {Value: "disabled", Word: "Disabled"}}}),
		}},
	}, nil
}

func chosen(q query, s directory.Status) bool {
	text := strings.ToLower(q.get("text"))
	if !strings.Contains(strings.ToLower(s.Name+"\n"+s.URL), text) {
		return false
	}
	switch q.get("only") {
	case "waiting":
		return s.Waiting
	case "attention":
		return needsAttention(s)
	case "disabled":
		return !s.Enabled
	}
	return true
}

// cut returns the page after a name, and the cursor of the next.
func cut(all []directory.Status, after string) (page []directory.Status, next string) {
	if i := slices.IndexFunc(all, func(s directory.Status) bool { return s.Name == after }); after != "" && i >= 0 {
		all = all[i+1:]
	}
	if len(all) <= agentPage {
		return all, ""
	}
	return all[:agentPage], all[agentPage-1].Name
}

func (c adminAgents) agentRow(s directory.Status) templates.Entry {
	row := templates.Entry{
		ID: "agent-" + s.Name,
		Cells: []templates.Text{
			templates.Lines(templates.Link(agentAt(s.Name), cardName(s)), templates.Code(s.Name)),
			agentState(s), speaks(s), useCases(s.UseCases), c.answered(s.Health),
		},
		Actions: []templates.Button{{Action: "/admin/agents/disable", Word: "Disable", About: s.Name, Hidden: hidden("name", s.Name)}},
	}
	if !s.Enabled {
		row.Actions = []templates.Button{{Action: "/admin/agents/enable", Word: "Enable", About: s.Name, Hidden: hidden("name", s.Name)}}
	}
	return row
}

func agentAt(name string) string { return "/admin/agents/one?name=" + url.QueryEscape(name) }

func agentState(s directory.Status) templates.Text {
	var all []templates.Text
	switch h := s.Health; {
	case !s.Enabled:
		all = append(all, templates.Badge(templates.Plain, "disabled"))
	case h == nil || h.Asked.IsZero():
		all = append(all, templates.Badge(templates.Plain, "not asked yet"))
	case h.Card == nil:
		all = append(all, templates.Badge(templates.Bad, "cannot be reached"))
	case !h.Until.IsZero():
		all = append(all, templates.Badge(templates.Bad, "does not answer"))
	case h.Problem != "":
		all = append(all, templates.Badge(templates.Note, "card cannot be read"))
	default:
		all = append(all, templates.Badge(templates.Good, "healthy"))
	}
	if s.Waiting {
		all = append(all, templates.Badge(templates.Note, "card to review"))
	}
	return templates.Row(all...)
}

// speaks shows the protocol generation and binding of calls.
func speaks(s directory.Status) templates.Text {
	if s.Health == nil || s.Health.Interface.Version == "" {
		return templates.Data("–")
	}
	i := s.Health.Interface
	return templates.Lines(templates.Data("A2A "+shown(string(i.Version), 20)), templates.Data(shown(string(i.Binding), 50)))
}

func (c adminAgents) answered(h *directory.Health) templates.Text {
	if h == nil || h.Answered.IsZero() {
		return templates.Data("–")
	}
	return templates.When(h.Answered, c.Now())
}

func (c adminAgents) enableAgent(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	_, err := c.Admin.Agents.Enable(r.Context(), c.actor(r), f.Get("name"))
	return withDone(back(f, "/admin/agents"), "enabled"), nil, err
}

func (c adminAgents) disableAgent(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	_, err := c.Admin.Agents.Disable(r.Context(), c.actor(r), f.Get("name"))
	return withDone(back(f, "/admin/agents"), "disabled"), nil, err
}

func (c adminAgents) askRemoveAgent(r *http.Request, f url.Values) (question, error) {
	s, err := c.Admin.Agents.Agent(r.Context(), f.Get("name"))
	if err != nil {
		return question{}, err
	}
	return question{
		title: "Remove this agent?", word: "Remove it", back: agentAt(s.Name),
		about: templates.Say("{} takes no new tasks, and its credentials are forgotten. What runs there goes on.", s.Name),
	}, nil
}

func (c adminAgents) removeAgent(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.Agents.Remove(r.Context(), c.actor(r), f.Get("name"))
	return withDone("/admin/agents", "removed"), nil, err
}

func (c adminAgents) askAccept(r *http.Request, f url.Values) (question, error) {
	s, err := c.Admin.Agents.Agent(r.Context(), f.Get("name"))
	if err != nil {
		return question{}, err
	}
	return question{
		title: "Put the new card in force?", word: "Accept the card", back: agentAt(s.Name),
		about: templates.Say("{} is then called as its new card says: look at what has changed first.", s.Name),
	}, nil
}

func (c adminAgents) acceptCard(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	_, err := c.Admin.Agents.AcceptCard(r.Context(), c.actor(r), f.Get("name"), f.Get("digest"))
	return withDone(agentAt(f.Get("name")), "accepted"), nil, err
}
