package server

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/tableexpert"
	"rialto/oauth"
)

// listedTool is a tool as a model reads it.
type listedTool struct {
	Name, Description string
	InputSchema       struct {
		Properties map[string]struct{ Description string }
		Required   []string
	}
}

// objects returns the JSON objects that stand in a text.
func objects(text string) (all []string) {
	for {
		_, rest, more := strings.Cut(text, "{")
		if !more {
			return all
		}
		var object map[string]json.RawMessage
		text = rest
		if d := json.NewDecoder(strings.NewReader("{" + rest)); d.Decode(&object) == nil {
			text = rest[d.InputOffset()-1:]
			all = append(all, ("{" + rest)[:d.InputOffset()])
		}
	}
}

// examplesOf returns the arguments that the texts of a tool show.
func (r *rig) examplesOf(token string, tool listedTool) (all []string) {
	all = objects(tool.Description)
	for name, property := range tool.InputSchema.Properties {
		for _, value := range objects(property.Description) {
			arguments := map[string]json.RawMessage{name: json.RawMessage(value)}
			for _, needed := range tool.InputSchema.Required {
				arguments[needed] = json.RawMessage(`"x"`)
			}
			b, err := json.Marshal(arguments)
			if err != nil {
				r.t.Fatal(err)
			}
			all = append(all, string(b))
		}
	}
	said := r.callText(token, tool.Name, `{"no such argument":1}`)
	_, corrected, _ := strings.Cut(said, "for example: ")
	return append(all, objects(corrected)...)
}

// callText returns what a model reads as the result of a call.
func (r *rig) callText(token, tool, arguments string) string {
	r.t.Helper()
	var got struct{ Content []struct{ Text string } }
	r.do("POST", "/mcp/tools/call", token, `{"name":"`+tool+`","arguments":`+arguments+`}`).decode(r.t, &got)
	if len(got.Content) == 0 {
		return ""
	}
	return got.Content[0].Text
}

// TestTheExamplesForModelsAreAccepted calls each tool with all arguments that its description, its
// schema and the refusal of wrong arguments show. The card of the foreign agent says what its skill
// takes as text, while its form has named arguments, for which an example follows.
func TestTheExamplesForModelsAreAccepted(t *testing.T) {
	agent, err := StartTableExpert(t.Context(), tableexpert.Config{Log: slog.New(slog.DiscardHandler)}, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Close() })
	card := strings.Replace(plainCard, `"skills":[]`, `"skills":[
		{"id":"convert","name":"Convert","description":"Send text or data.","tags":[],"examples":["ten miles in metres"]},
		{"id":"price","name":"Price","description":"Send text or data.","tags":[]},
		{"id":"chat","name":"Chat","description":"Talks.","tags":[],"examples":["good \"morning\""]}]`, 1)
	card = strings.Replace(card, `"capabilities":{}`, `"capabilities":{"extensions":[{"uri":"`+a2a.SkillForms+`","params":{"skills":{
		"convert":{"input":{"type":"object","properties":{"amount":{"type":"string"}},"required":["amount"],"additionalProperties":false}},
		"price":{"input":{"type":"object","properties":{"at":{"type":"number","minimum":3},"code":{"type":"string","minLength":5}},"additionalProperties":false}}}}}]}`, 1)
	other := config.Agent{Name: "other", URL: newCardAgent(t, card).url, SkillsAsTools: true}
	r := newRigWith(t, func(c *config.Config) { c.Agents = []config.Agent{agent.Settings("tables"), other} })
	r.bridge.Tools.ReadSkills(t.Context())
	token := r.token("alice", oauth.ScopeTools)

	var list struct{ Tools []listedTool }
	r.rpc(token, "tools/list", "", &list)
	shown := map[string][]string{}
	for _, tool := range list.Tools {
		all := r.examplesOf(token, tool)
		shown[tool.Name] = all
		for _, arguments := range all {
			if arguments == "{}" {
				t.Errorf("%s: an example is {}", tool.Name)
			}
			if said := r.callText(token, tool.Name, arguments); strings.Contains(said, "Invalid arguments") {
				t.Errorf("%s: the example %s is refused: %s", tool.Name, arguments, said)
			}
		}
		takes := len(tool.InputSchema.Properties) > 0
		if takes && len(all) == 0 {
			t.Errorf("%s: there is no example in %q", tool.Name, tool.Description)
		}
	}

	for tool, want := range map[string]string{
		"convert": `{"amount":"ten miles in metres"}`,
		"price":   `{"code":"....."}`,
		"chat":    `{"message":"good \"morning\""}`,
		"schema":  `{"table":"claims"}`,
	} {
		if !slices.Contains(shown[tool], want) {
			t.Errorf("%s: got the examples %q, want %s", tool, shown[tool], want)
		}
	}
	for _, tool := range list.Tools { // those of the Table Expert do something
		_, arguments, is := bytes.Cut([]byte(tool.Description), []byte("For example: "))
		if !is || !strings.Contains(tool.Description, "agent tables") {
			continue
		}
		for _, example := range objects(string(arguments)) {
			got := r.do("POST", "/mcp/tools/call", token, `{"name":"`+tool.Name+`","arguments":`+example+`}`)
			if strings.Contains(got.body, `"isError":true`) || !strings.Contains(got.body, "completed") {
				t.Errorf("%s %s: got %.300s", tool.Name, example, got.body)
			}
		}
	}
}

// TestTheListOfToolsIsShort holds what every chat pays for the tools that do not depend on agents. A
// token is counted as four bytes: the tokenizer o200k_base makes 3,651 of 14,571 bytes.
func TestTheListOfToolsIsShort(t *testing.T) {
	const most = 4_000
	r := newRig(t)
	list := r.do("POST", "/mcp", r.token("alice", oauth.ScopeTools), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if n := len(list.body) / 4; n > most || n < most/2 {
		t.Errorf("the tools have %d tokens, want at most %d", n, most)
	}
}

// TestModelsLearnOfEvents reads the instructions and the tool that waits, with events and without.
func TestModelsLearnOfEvents(t *testing.T) {
	for _, with := range []bool{true, false} {
		r := newRigWith(t, func(c *config.Config) { c.MCP.Events = with })
		token := r.token("alice", oauth.ScopeTools)
		began := r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`)
		var list struct{ Tools []listedTool }
		r.rpc(token, "tools/list", "", &list)
		for where, text := range map[string]string{"the instructions": began.body, "get_task": described(list.Tools, "get_task")} {
			if strings.Contains(text, "task.changed") != with {
				t.Errorf("events %v: got %s in %s", with, text, where)
			}
		}
	}
}

// described returns the description of a tool.
func described(tools []listedTool, name string) string {
	for _, tool := range tools {
		if tool.Name == name {
			return tool.Description
		}
	}
	return ""
}
