package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"rialto/bridge/directory"
	"rialto/templates"
)

// agent shows an agent: its settings, health, skills and changes of its card, with a
// form for a test call.
func (c adminAgents) agent(r *http.Request) (templates.Console, error) {
	p, err := c.agentPage(r, r.URL.Query().Get("name"))
	if err != nil {
		return templates.Console{}, err
	}
	return *p, nil
}

func (c adminAgents) agentPage(r *http.Request, name string) (*templates.Console, error) {
	s, err := c.Admin.Agent(r.Context(), name)
	if err != nil {
		return nil, err
	}
	p := &templates.Console{
		Title: "Agent", Heading: templates.Data(s.Name), Up: link("/admin/agents", "Agents"), Actions: agentButtons(s),
		Sections: []templates.Section{{ID: "facts", Notes: lastErrors(s), Facts: c.agentFacts(s)}},
	}
	cards, err := c.cardSection(r, s)
	if err != nil {
		return nil, err
	}
	if cards != nil {
		p.Sections = append(p.Sections, *cards)
	}
	if s.Health != nil && s.Health.Card != nil {
		p.Sections = append(p.Sections, skillSection(directory.SkillInfos(s.Health.Card)))
	}
	p.Sections = append(p.Sections, templates.Section{
		ID: "test", Title: "Test call", Lead: templates.Say("Sends one message to the agent, as you, and shows the answer."),
		Form: &templates.Form{Action: "/admin/agents/test", Word: "Send", Hidden: hidden("name", s.Name),
			Fields: []templates.Field{{Name: "message", Kind: "text", Label: "Message", Required: true, Max: 2000}}},
	})
	return p, nil
}

func agentButtons(s *directory.Status) []templates.Button {
	this := append(hidden("name", s.Name), templates.Value{Name: "back", Value: agentAt(s.Name)})
	turn := templates.Button{Action: "/admin/agents/disable", Word: "Disable", Hidden: this}
	if !s.Enabled {
		turn = templates.Button{Action: "/admin/agents/enable", Word: "Enable", Hidden: this}
	}
	if s.Configured {
		return []templates.Button{turn}
	}
	return []templates.Button{
		{Action: "/admin/agents/change", Get: true, Word: "Change", Hidden: hidden("name", s.Name)},
		turn,
		{Action: "/admin/agents/remove", Word: "Remove", Grave: true, Hidden: hidden("name", s.Name)},
	}
}

func lastErrors(s *directory.Status) (notes []templates.Remark) {
	if s.Configured {
		notes = append(notes, templates.Remark{Tone: templates.Plain, Text: templates.Say("This agent is in the configuration: change its settings there.")})
	}
	h := s.Health
	if h == nil {
		return notes
	}
	if h.Problem != "" {
		notes = append(notes, templates.Remark{Tone: templates.Bad, Text: templates.Because("Its card cannot be read: {}", h.Err, upTo(500))})
	}
	if h.Failure != "" && h.Failed.After(h.Answered) {
		notes = append(notes, templates.Remark{Tone: templates.Bad, Text: templates.Say("The last call got no answer: {}", shown(h.Failure, 500))})
	}
	return notes
}

func (c adminAgents) agentFacts(s *directory.Status) []templates.Fact {
	facts := []templates.Fact{
		{Name: "Address", Value: templates.Code(s.URL)},
		{Name: "State", Value: agentState(*s)},
		{Name: "Speaks", Value: speaks(*s)},
	}
	if h := s.Health; h != nil {
		facts = append(facts, templates.Fact{Name: "Answered last", Value: c.answered(h)})
		if !h.Failed.IsZero() {
			facts = append(facts, templates.Fact{Name: "Failed last", Value: templates.When(h.Failed, c.Now())})
		}
		if !h.Until.IsZero() {
			facts = append(facts, templates.Fact{Name: "Tried again", Value: templates.When(h.Until, c.Now())})
		}
		facts = append(facts, templates.Fact{Name: "Card asked for", Value: templates.When(h.Asked, c.Now())})
	}
	return append(facts,
		templates.Fact{Name: "Use cases", Value: useCases(s.UseCases)},
		templates.Fact{Name: "Use cases of single skills", Value: skillUseCases(s.Skills)},
		templates.Fact{Name: "Skills are tools", Value: yes(s.SkillsAsTools)},
		templates.Fact{Name: "Credentials", Value: credentials(s)},
		templates.Fact{Name: "Changed cards wait", Value: yes(s.Review)},
		templates.Fact{Name: "Tasks", Value: templates.Link("/admin/tasks?agent="+url.QueryEscape(s.Name), templates.Say("Show"))},
	)
}

func skillUseCases(skills []directory.SkillRule) templates.Text {
	var lines []templates.Text
	for _, line := range directory.SkillLines(skills) {
		lines = append(lines, templates.Code(line))
	}
	if len(lines) == 0 {
		return templates.Say("none")
	}
	return templates.List(lines...)
}

// credentials shows the type of credentials, without the secret.
func credentials(s *directory.Status) templates.Text {
	switch {
	case s.Credentials.Type != "":
		return templates.Code(s.Credentials.Type)
	case s.HasSecret:
		return templates.Say("as its card asks")
	}
	return templates.Say("none here")
}

func yes(is bool) templates.Text {
	if is {
		return templates.Say("yes")
	}
	return templates.Say("no")
}

func skillSection(skills []directory.SkillInfo) templates.Section {
	t := &templates.Table{Columns: []templates.Column{{Name: "Skill"}, {Name: "What it does"}, {Name: "Tags"}}, Empty: templates.Say("Its card names no skills.")}
	for _, s := range skills {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Lines(templates.Data(s.Name), templates.Code(s.ID)), templates.Data(s.Description), templates.Data(strings.Join(s.Tags, ", ")),
		}})
	}
	return templates.Section{ID: "skills", Title: "Skills", Table: t}
}

// cardSection compares the latest card of an agent with the one in force; nil if there
// is no difference.
func (c adminAgents) cardSection(r *http.Request, s *directory.Status) (*templates.Section, error) {
	cards, err := c.Admin.Cards(r.Context(), s.Name)
	if err != nil || len(cards) == 0 {
		return nil, err
	}
	valid, known := directory.InForce(cards)
	latest := cards[0]
	if !known || latest.Digest == valid.Digest {
		// Nothing waits: the change before is worth a look.
		before, ok := directory.InForceBefore(cards)
		if !ok {
			return nil, nil
		}
		latest, valid = valid, before
	}
	differ, more := directory.Differences(valid.Card, latest.Card, maxDifferences)
	section := &templates.Section{
		ID: "card", Title: "Its card has changed", Lead: templates.Say("This is the last change; the new card is in force."),
		Facts: []templates.Fact{{Name: "First seen", Value: templates.When(latest.First, c.Now())}},
		Table: differences(differ),
	}
	if more > 0 {
		section.Notes = []templates.Remark{{Tone: templates.Bad, Text: templates.Say("It has changed in {} more places, which are not shown here.", strconv.Itoa(more))}}
	}
	if s.Waiting {
		section.Lead = templates.Say("The new card waits for you. Until you accept it, calls go by the one in force.")
		section.Form = &templates.Form{Action: "/admin/agents/accept", Word: "Accept the card", Hidden: append(hidden("name", s.Name), templates.Value{Name: "digest", Value: latest.Digest})}
	}
	return section, nil
}

// maxDifferences bounds the differences of two cards on a page.
const maxDifferences = 300

// differences shows the differences of two cards side by side.
func differences(list []directory.Difference) *templates.Table {
	t := &templates.Table{Columns: []templates.Column{{Name: "Part"}, {Name: "Before"}, {Name: "New"}}, Empty: templates.Say("No differences.")}
	for _, d := range list {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{templates.Code(d.Path), member(d.Was), member(d.Is)}})
	}
	return t
}

func member(value string) templates.Text {
	if value == "" {
		return templates.Say("not there")
	}
	return templates.Pre(value)
}

// testAgent sends one message to an agent.
func (c adminAgents) testAgent(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	p, err := c.agentPage(r, f.Get("name"))
	if err != nil {
		return "", nil, err
	}
	trial, err := c.Admin.TestAgent(r.Context(), user(r).User, f.Get("name"), f.Get("message"))
	p.Sections = append([]templates.Section{trialSection(trial, err)}, p.Sections...)
	return "", p, nil
}

// trialSection shows the result of a test call.
func trialSection(trial *directory.Trial, err error) templates.Section {
	s := templates.Section{ID: "trial", Title: "What the agent answered"}
	if err != nil {
		s.Notes = []templates.Remark{{Tone: templates.Bad, Text: templates.Because("The test did not work: {}", err, upTo(1000))}}
		return s
	}
	s.Facts = []templates.Fact{
		{Name: "State", Value: state(trial.State)},
		{Name: "Speaks", Value: templates.Data(trial.Interface.String())},
		{Name: "Took", Value: templates.Took(trial.Took)},
	}
	s.Pages = []templates.Block{{Text: trial.Answer}}
	return s
}
