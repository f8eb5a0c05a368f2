package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"rialto/bridge/console/cardreport"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/internal/markdown"
	"rialto/internal/usage"
	"rialto/templates"
)

// agent shows an agent: its settings, health, skills and changes of its card, with a
// form for a test call.
func (c adminAgents) agent(r *http.Request) (*templates.Console, error) {
	return c.agentPage(r, param(r, "name"))
}

func (c adminAgents) agentPage(r *http.Request, name string) (*templates.Console, error) {
	s, err := c.Admin.Agents.Agent(r.Context(), name)
	if err != nil {
		return nil, err
	}

	p := &templates.Console{
		Title:   "Agent",
		Name:    c.Bridge.Directory.Title(s.Name),
		Heading: cardName(*s),
		Status:  agentState(*s),
		Up:      link("/admin/agents", "Agents"),
		Actions: agentButtons(s),
		Aside: []templates.Section{
			{ID: "facts", Title: "Details", Facts: c.agentFacts(s)},
			{ID: "settings", Title: "Settings", Facts: settingFacts(s)},
		},
	}
	if s.Configured {
		p.Aside[1].Lead = templates.Textf("Set in the configuration. Change them there.")
	}

	p.Top, err = c.agentNumbers(r, s.Name)
	if err != nil {
		return nil, err
	}
	if notes := lastErrors(s); len(notes) > 0 {
		p.Sections = append(p.Sections, templates.Section{ID: "notes", Notes: notes})
	}

	health := templates.Section{ID: "health", Title: "Last 7 days", Uptime: s.History}
	p.Sections = append(p.Sections, health)
	cards, err := c.cardSection(r, s)
	if err != nil {
		return nil, err
	}
	if cards != nil {
		p.Sections = append(p.Sections, *cards)
	}

	p.Sections = append(p.Sections, templates.Section{
		ID:    "test",
		Title: "Test call",
		Lead:  templates.Textf("Sends one message to the agent, as you, and shows the answer."),
		Form: &templates.Form{
			Action: "/admin/agents/test",
			Word:   "Send",
			Busy:   "The agent is working on it…",
			Hidden: hidden("name", s.Name),
			Fields: []templates.Field{
				{Name: "message", Kind: "text", Label: "Message", Required: true, Max: 2000},
			},
		},
	})
	if s.Health != nil && s.Health.Card != nil {
		p.Lead = templates.Verbatim(sanitize.Short(s.Health.Card.Description, 300))
		p.Sections = append(p.Sections, cardreport.Skills(directory.SkillInfos(s.Health.Card)))
	}

	return p, nil
}

// agentNumbers are the calls of the last day.
func (c adminAgents) agentNumbers(r *http.Request, name string) (*templates.Section, error) {
	sums, err := c.Admin.Usage(
		r.Context(),
		usage.Filter{Agent: name, Since: c.Now().Add(-24 * time.Hour)},
		"",
		0,
	)
	if err != nil {
		return nil, err
	}

	day := first(sums)
	at := "/admin/usage?days=1&agent=" + url.QueryEscape(name)
	return &templates.Section{ID: "numbers", Stats: []templates.Stat{
		{Name: "Calls in 24 hours", Value: templates.Number(day.Calls), Href: at},
		{
			Name:  "Errors",
			Value: templates.Number(day.Errors),
			Href:  at + "&outcome=" + string(usage.Errors),
			Tone:  toneIfAny(int(day.Errors), templates.Bad),
		},
		latencyStat(day, at),
	}}, nil
}

// cardName is the name on the card of an agent, or else ours.
func cardName(s directory.AgentStatus) templates.Text {
	if s.Health != nil && s.Health.Card != nil && s.Health.Card.Name != "" {
		return templates.Verbatim(sanitize.Short(s.Health.Card.Name, 200))
	}
	return templates.Verbatim(s.Name)
}

func agentButtons(s *directory.AgentStatus) []templates.Button {
	this := hidden("name", s.Name, "back", agentAt(s.Name))
	turn := turnButton("/admin/agents", s.Enabled, this)
	if s.Configured {
		return []templates.Button{turn}
	}

	return []templates.Button{
		{Action: "/admin/agents/change", Get: true, Word: "Change", Hidden: hidden("name", s.Name)},
		turn,
		removeButton(&operator.AgentFilter{}, s.Name, ""),
	}
}

func lastErrors(s *directory.AgentStatus) (notes []templates.Remark) {
	h := s.Health
	if h == nil {
		return notes
	}
	if h.Problem != "" {
		notes = append(
			notes,
			warning(templates.Errorf("Its card can't be read: {}", h.Err, upTo(500)))...)
	}
	if h.Failure != "" && h.Failed.After(h.Answered) {
		notes = append(
			notes,
			warning(templates.Textf("The last call got no answer: {}", sanitize.Short(h.Failure, 500)))...)
	}

	return notes
}

func (c adminAgents) agentFacts(s *directory.AgentStatus) []templates.Fact {
	facts := []templates.Fact{
		fact("Name", templates.ID(s.Name)),
		fact("Address", templates.ID(s.URL)),
		fact("Protocol", speaks(*s)),
	}
	if h := s.Health; h != nil {
		facts = append(facts, fact("Last answer", c.answered(h)))
		if !h.Failed.IsZero() {
			facts = append(facts, fact("Last failure", c.when(h.Failed)))
		}
		if !h.Until.IsZero() {
			facts = append(facts, fact("Next try", c.when(h.Until)))
		}
		facts = append(facts, fact("Card fetched", c.when(h.Asked)))
	}

	return append(
		facts,
		fact(
			"Tasks",
			templates.Link("/admin/tasks?agent="+url.QueryEscape(s.Name), templates.Textf("Show")),
		),
	)
}

func settingFacts(s *directory.AgentStatus) []templates.Fact {
	facts := []templates.Fact{
		fact("Use cases", useCases(s.UseCases)),
		fact("Use cases of single skills", skillUseCases(s.Skills)),
		fact("Credentials", credentials(s)),
	}
	for _, in := range agentFields()["settings"] {
		value := templates.Verbatim(s.Text(in.Name))
		if in.Kind == "check" {
			value = yesNo(s.Text(in.Name) != "")
		}
		if in.Fact != "" {
			facts = append(facts, fact(in.Fact, value))
		}
	}

	return facts
}

func skillUseCases(skills []directory.SkillRule) templates.Text {
	var lines []templates.Text
	for _, line := range directory.SkillLines(skills) {
		lines = append(lines, templates.Code(line))
	}
	if len(lines) == 0 {
		return templates.Textf("none")
	}
	return templates.List(lines...)
}

// credentials shows the type of credentials, without the secret.
func credentials(s *directory.AgentStatus) templates.Text {
	switch {
	case s.Credentials.Type != "":
		return templates.Code(s.Credentials.Type)
	case s.HasSecret:
		return templates.Textf("as its card asks")
	}
	return templates.Textf("none here")
}

func yesNo(is bool) templates.Text {
	if is {
		return templates.Textf("yes")
	}
	return templates.Textf("no")
}

// cardSection compares the latest card of an agent with the one in force; nil if there
// is no difference.
func (c adminAgents) cardSection(
	r *http.Request, s *directory.AgentStatus,
) (*templates.Section, error) {
	cards, err := c.Admin.Agents.Cards(r.Context(), s.Name)
	was, is, changed := directory.LatestChange(cards)
	if err != nil || !changed {
		return nil, err
	}

	differences, more := directory.Differences(was.Card, is.Card, maxDifferences)
	section := &templates.Section{
		ID:    "card",
		Title: "Its card has changed",
		Lead:  templates.Textf("This is the last change; the new card is in force."),
		Facts: []templates.Fact{fact("First seen", c.when(is.First))},
		Table: cardreport.Differences(differences),
	}
	if more > 0 {
		section.Notes = warning(
			templates.Textf(
				"It has changed in {} more places, which aren't shown here.", strconv.Itoa(more),
			),
		)
	}
	if s.Waiting {
		section.Lead = templates.Textf(
			"A new card is waiting for you. Until you accept it, the current card stays in force.",
		)
		section.Form = &templates.Form{
			Action: "/admin/agents/accept",
			Word:   "Accept the card",
			Hidden: hidden("name", s.Name, "digest", is.Digest),
		}
	}

	return section, nil
}

// maxDifferences bounds the differences of two cards on a page.
const maxDifferences = 300

// testAgent sends one message to an agent.
func (c adminAgents) testAgent(f *form) error {
	p, err := c.agentPage(f.Request, f.Get("name"))
	if err != nil {
		return err
	}
	trial, err := c.Admin.Agents.Test(f.Context(), f.by.ID, f.Get("name"), f.Get("message"))
	i := slices.IndexFunc(p.Sections, func(s templates.Section) bool { return s.ID == "test" })
	p.Sections[i].Form.Fields[0].Value = f.Get("message")
	p.Sections = slices.Insert(p.Sections, i+1, trialSection(trial, err))
	return f.show(p)
}

// trialSection shows the result of a test call.
func trialSection(trial *directory.Trial, err error) templates.Section {
	s := templates.Section{ID: "trial", Title: "What the agent answered"}
	if err != nil {
		s.Notes = warning(templates.Errorf("The test didn't work: {}", err, upTo(1000)))
		return s
	}

	s.Facts = []templates.Fact{
		fact("State", state(trial.State)),
		fact("Protocol", templates.Verbatim(trial.Interface.String())),
		fact("Took", templates.Took(trial.Took)),
	}
	prose, _ := markdown.Render(trial.Answer)
	s.Pages = []templates.Block{{Text: trial.Answer, Prose: prose}}
	return s
}
