package bridge_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/bridge/tools"
	"rialto/mcp"
)

// skilled is an agent with skills that says what it was sent.
func skilled(t *testing.T, forms map[string]a2a.SkillForm, skills ...a2a.Skill) peer {
	p := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		var said []string
		for _, part := range turn.Message.Parts {
			switch c := part.Content.(type) {
			case a2a.Text:
				said = append(said, string(c))
			case a2a.Data:
				said = append(said, string(c))
			}
		}
		if turn.Skill == "ask" && said[0] == "go" {
			turn.Ask("which?")
			return nil
		}
		turn.Complete(turn.Skill + "|" + strings.Join(said, "|"))
		return nil
	})
	p.card.Name, p.card.Skills = "Agent\x1b With Skills", skills
	p.card.Capabilities.Extensions = []a2a.Extension{a2a.NewSkillForms(forms)}
	return p
}

// tools starts a bridge whose agents' skills are tools.
func withSkills(t *testing.T, agents map[string]peer, change func(*bridge.Bridge)) *rig {
	r := newRigWith(t, "", agents, func(b *bridge.Bridge) {
		slices.SortFunc(b.Directory.Initial, func(x, y directory.AgentConfig) int { return strings.Compare(x.Name, y.Name) })
		for i := range b.Directory.Initial {
			b.Directory.Initial[i].SkillsAsTools = true
		}
		change(b)
	})
	r.Tools.ReadSkills(t.Context())
	return r
}

// names returns the names of the tools of skills, which come after the bridge's own.
func names(listed []mcp.Tool) (all []string) {
	own := &tools.Tools{Documents: &documents.Service{}, Runner: &runner.Runner{}}
	for _, t := range listed[len(own.List()):] {
		all = append(all, t.Name)
	}
	return all
}

func tool(t *testing.T, r *rig, name string) mcp.Tool {
	t.Helper()
	tools := r.Tools.List()
	i := slices.IndexFunc(tools, func(t mcp.Tool) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("there is no tool %s", name)
	}
	return tools[i]
}

func skill(id string) a2a.Skill { return a2a.Skill{ID: id, Name: id, Description: "Does " + id + "."} }

func TestSkillsAreTools(t *testing.T) {
	form := a2a.SkillForm{ReadOnly: true, Input: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","description":"hid\u001bden"},"limit":{"type":"integer"}},"required":["question"]}`)}
	r := withSkills(t, map[string]peer{"one": skilled(t, map[string]a2a.SkillForm{"query": form}, skill("query"), skill("write"), skill("ask"), skill("search"))}, func(*bridge.Bridge) {})
	if got := names(r.Tools.List()); !slices.Equal(got, []string{"query", "write", "ask"}) {
		t.Fatalf("got %v", got)
	}
	query := tool(t, r, "query")
	if !query.ReadOnly || !strings.Contains(string(query.InputSchema), `"hidden"`) || strings.ContainsRune(query.Description, 0x1b) || !strings.Contains(query.Description, "Does query.") {
		t.Errorf("got %s, %s", query.Description, query.InputSchema)
	}
	got := r.call("query", `{"question":"how many?","limit":3}`)
	got.want(t, a2a.Completed, false)
	if !strings.Contains(got.Text, `query|how many?|{"question":"how many?","limit":3}`) {
		t.Errorf("the agent was sent %s", got.Text)
	}
	if got := r.call("write", `{"message":"go","data":{"n":1}}`); !strings.Contains(got.Text, `write|go|{"n":1}`) || tool(t, r, "write").ReadOnly {
		t.Errorf("got %s", got.Text)
	}
	r.call("write", `{"message":" "}`).refused(t, "is empty")

	asked := r.call("ask", `{"message":"go"}`)
	asked.want(t, a2a.InputRequired, false)
	r.call("send_task", `{"task_id":"`+asked.TaskID+`","message":"that one"}`).want(t, a2a.Completed, false)
}

func TestToolsOfSkillsHaveNamesThatEveryClientTakes(t *testing.T) {
	long := strings.Repeat("x", 70)
	agents := map[string]peer{
		"a": skilled(t, nil, skill("same"), skill("get_task"), skill("spaced out/ö"), skill(long)),
		"b": skilled(t, nil, skill("same"), skill("a_same"), skill(long)),
	}
	r := withSkills(t, agents, func(*bridge.Bridge) {})
	got := names(r.Tools.List())
	for i, want := range []string{"a_same", "a_get_task", "spaced_out_", "a_" + long, "b_same", "b_a_same", "b_" + long} {
		if name := got[i]; len(name) > 64 || name != want && !strings.HasPrefix(name, want[:min(len(want), 20)]) {
			t.Errorf("got %s, want %s", name, want)
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(got))); len(unique) != len(got) {
		t.Errorf("got a name twice: %v", got)
	}
	server := &mcp.Server{Info: mcp.Implementation{Name: "x", Version: "1"}, Tools: r.Tools.List()}
	if err := server.Check(); err != nil {
		t.Error(err)
	}
	r.Tools.ReadSkills(t.Context())
	if again := names(r.Tools.List()); !slices.Equal(again, got) {
		t.Errorf("got %v, then %v", got, again)
	}
}

// TestNoAgentTakesTheToolsOfOthersAway has an agent name a skill twice, and one after
// the tool of another agent's: two tools of one name would be no tools at all.
func TestNoAgentTakesTheToolsOfOthersAway(t *testing.T) {
	ofA, ofB := []a2a.Skill{skill("dup"), skill("dup"), skill("a_dup"), skill("only"), skill("b_good")}, []a2a.Skill{skill("good"), skill("dup"), skill("a_only")}
	start := func() *rig {
		return withSkills(t, map[string]peer{"a": skilled(t, nil, ofA...), "b": skilled(t, nil, ofB...)}, func(*bridge.Bridge) {})
	}
	for _, name := range names(start().Tools.List()) {
		if strings.HasPrefix(name, "a_dup_") { // which no other has
			ofA = append([]a2a.Skill{skill(name)}, ofA...)
		}
	}
	if len(ofA) != 6 {
		t.Fatalf("got the skills %v", ofA)
	}
	r := start()
	for name, whose := range map[string]string{"only": "a", "b_a_only": "b", "good": "b", "a_b_good": "a"} {
		if does := tool(t, r, name).Description; !strings.Contains(does, "A skill of the agent "+whose+",") {
			t.Errorf("%s: got %s, want the skill of %s", name, does, whose)
		}
	}
	server := &mcp.Server{Info: mcp.Implementation{Name: "x", Version: "1"}, Tools: r.Tools.List()}
	if err := server.Check(); err != nil {
		t.Errorf("got %v of %v", err, names(r.Tools.List()))
	}
}

func TestAFormThatIsNotFitIsNotShown(t *testing.T) {
	deep := `{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, 20) + `{}` + strings.Repeat(`}`, 20) + `}}`
	for name, input := range map[string]string{
		"no object":        `{"type":"string"}`,
		"a foreign ref":    `{"type":"object","properties":{"a":{"$ref":"https://evil.example/x"}}}`,
		"too deep":         deep,
		"too large":        `{"type":"object","description":"` + strings.Repeat("x", 20<<10) + `"}`,
		"hidden in a name": `{"type":"object","properties":{"a\u202eb":{}}}`,
	} {
		r := withSkills(t, map[string]peer{"one": skilled(t, map[string]a2a.SkillForm{"do": {Input: json.RawMessage(input)}}, skill("do"))}, func(*bridge.Bridge) {})
		if got := string(tool(t, r, "do").InputSchema); !strings.Contains(got, `"context_id"`) {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestToolsFollowTheAgentsAndTheirCards(t *testing.T) {
	agent := skilled(t, nil, skill("first"))
	changed := make(chan struct{}, 10)
	r := withSkills(t, map[string]peer{"one": agent}, func(b *bridge.Bridge) { b.Tools.Clients = &told{tools: changed} })
	<-changed
	one := r.Directory.Initial[0]
	one.Disabled = true
	r.Directory.SetAgents([]directory.AgentConfig{one}) // without a request
	<-changed
	if got := names(r.Tools.List()); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	one.Disabled, one.Revision = false, "2"
	agent.card.Skills = []a2a.Skill{skill("second")}
	r.Directory.SetAgents([]directory.AgentConfig{one})
	<-changed
	if got := names(r.Tools.List()); !slices.Equal(got, []string{"second"}) {
		t.Errorf("got %v", got)
	}
}

func TestACallWithoutAnAgentIsToldTheAgentsWithItsSkill(t *testing.T) {
	r := newRig(t, "", map[string]peer{
		"tables":  skilled(t, nil, a2a.Skill{ID: "query", Name: "Query tables"}),
		"weather": skilled(t, nil, a2a.Skill{ID: "forecast", Name: "Forecast"}),
	})
	r.call("send_task", `{"message":"go","skill":"forecast"}`).refused(t, `The skill is there with "agent": "weather". Choose one of`)
	for _, arguments := range []string{`{"message":"What is the average of the claims of March?"}`, `{"message":"go","skill":"other"}`} {
		r.call("send_task", arguments).refused(t, `"agent" is missing. Choose one of: tables, weather. list_agents tells`)
	}
}

// TestTheBestAgentsAreProposedAndNoneIsChosen sends messages without an agent.
func TestTheBestAgentsAreProposedAndNoneIsChosen(t *testing.T) {
	r := newRig(t, "", map[string]peer{
		"tables":  skilled(t, nil, a2a.Skill{ID: "query", Name: "Query tables", Description: "Totals and averages of claims and premiums."}),
		"weather": skilled(t, nil, a2a.Skill{ID: "forecast", Name: "Forecast", Description: "Rain, wind and sun of the next days."}),
		"texts":   skilled(t, nil, a2a.Skill{ID: "translate", Name: "Translate", Description: "Texts between languages."}),
	})
	got := r.call("send_task", `{"message":"What is the average of the claims of March?"}`)
	got.refused(t, `these fit best: "agent": "tables" (claims).`)
	if strings.Contains(got.Text, `"agent": "weather"`) {
		t.Errorf("got %s", got.Text)
	}
	r.call("send_task", `{"message":"go","skill":"forecast"}`).refused(t, `"agent": "weather"`)
	if got := r.call("send_task", `{"message":"zzzz"}`); strings.Contains(got.Text, "fit best") || !strings.Contains(got.Text, "Choose one of") {
		t.Errorf("got %s", got.Text)
	}
}
