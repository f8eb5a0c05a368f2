package server

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/tools"
	"rialto/cmd/rialto/internal/config"
	"rialto/mcp"
	"rialto/oauth"
)

// appsClient declares MCP Apps as the specification says.
const appsClient = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`

// asks is a client of one era. It returns results as they came.
type asks func(method, params string) string

// clients returns a client of each era with the capabilities and a name.
func (r *rig) clients(token, name, capabilities string) map[string]asks {
	info := fmt.Sprintf(`{"name":%q,"version":"1"}`, name)
	accept := "Accept: application/json, text/event-stream"
	begun := r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":`+info+`}}`, accept)
	session := begun.header.Get("Mcp-Session-Id")
	result := func(answer reply) string {
		var a struct{ Result json.RawMessage }
		line := answer.body
		if _, data, ok := strings.Cut(line, "data: {"); ok {
			line = "{" + data
		}
		(reply{body: line}).decode(r.t, &a)
		if a.Result == nil {
			r.t.Fatalf("got %s", answer.body)
		}
		return string(a.Result)
	}
	return map[string]asks{
		"2025-11-25": func(method, params string) string {
			if method == "server/discover" {
				return result(begun)
			}
			return result(r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+strings.TrimSuffix(params, ",")+`}}`,
				accept, "MCP-Protocol-Version: 2025-11-25", "Mcp-Session-Id: "+session))
		},
		"2026-07-28": func(method, params string) string {
			var named struct{ Name, URI string }
			_ = json.Unmarshal([]byte("{"+strings.TrimSuffix(params, ",")+"}"), &named)
			return result(r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+
				`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":`+info+`,"io.modelcontextprotocol/clientCapabilities":`+capabilities+`}}}`,
				accept, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: "+method, "Mcp-Name: "+named.Name+named.URI))
		},
	}
}

func newCardRig(t *testing.T, card string) *rig {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	url := a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	return newRigWith(t, func(c *config.Config) {
		c.MCP.TaskCard = card
		a := config.Agent{}
		a.Name, a.URL, a.SkillsAsTools = "echo", url, true
		c.Agents = []config.Agent{a}
	})
}

type toolsList struct {
	Tools []struct {
		Name string
		Meta map[string]json.RawMessage `json:"_meta"`
	}
}

func TestOnlyClientsThatShowAppsSeeTheTaskCard(t *testing.T) {
	with, without := newCardRig(t, config.TaskCardAuto), newCardRig(t, config.TaskCardNever)
	always := newCardRig(t, config.TaskCardAlways)
	lists := func(r *rig, name, capabilities string) map[string]string {
		all := map[string]string{}
		for era, ask := range r.clients(r.token("alice", oauth.ScopeTools), name, capabilities) {
			all[era] = strings.ReplaceAll(ask("tools/list", ""), r.cfg.Load().URL, "https://rialto.example.com")
		}
		return all
	}
	plain := lists(without, "other", "{}")
	for era, list := range lists(with, "other", "{}") {
		if list != plain[era] {
			t.Errorf("%s: without Apps the list has %d bytes, want the %d of a server without the card", era, len(list), len(plain[era]))
		}
	}
	for era, list := range lists(without, "openai-mcp", appsClient) {
		if list != plain[era] {
			t.Errorf("%s: with mcp.task_card never, the list differs", era)
		}
	}
	for what, all := range map[string]map[string]string{
		"declared": lists(with, "other", appsClient), "ChatGPT": lists(with, "openai-mcp", "{}"), "claude.ai": lists(with, "Anthropic/ClaudeAI", "{}"), "always": lists(always, "other", "{}"),
	} {
		for era, list := range all {
			t.Run(what+" "+era, func(t *testing.T) { checkCardTools(t, list) })
		}
	}
}

func checkCardTools(t *testing.T, list string) {
	var got toolsList
	if err := json.Unmarshal([]byte(list), &got); err != nil {
		t.Fatal(err)
	}
	var shown, hidden []string
	for _, tool := range got.Tools {
		var ui struct {
			ResourceURI string
			Visibility  []string
		}
		_ = json.Unmarshal(tool.Meta["ui"], &ui)
		if ui.ResourceURI != "" {
			shown = append(shown, tool.Name)
			for _, name := range []string{"ui/resourceUri", "openai/outputTemplate"} {
				if string(tool.Meta[name]) != `"`+tools.TaskCardURI+`"` || ui.ResourceURI != tools.TaskCardURI {
					t.Errorf("%s: %s is %s, and ui has %q", tool.Name, name, tool.Meta[name], ui.ResourceURI)
				}
			}
		}
		if slices.Equal(ui.Visibility, []string{"app"}) {
			hidden = append(hidden, tool.Name)
		}
		if tool.Meta["securitySchemes"] == nil {
			t.Errorf("%s has lost its login", tool.Name)
		}
	}
	if len(shown) < 3 || shown[0] != "send_task" || shown[1] != "get_task" {
		t.Errorf("the card is linked from %v, want send_task, get_task and skills", shown)
	}
	if !slices.Equal(hidden, []string{"task_view", "answer_task"}) {
		t.Errorf("for the card only: got %v", hidden)
	}
}

func TestTheTaskCardIsAResource(t *testing.T) {
	r := newCardRig(t, config.TaskCardAuto)
	token := r.token("alice", oauth.ScopeTools)
	for _, capabilities := range []string{"{}", appsClient} {
		for era, ask := range r.clients(token, "other", capabilities) {
			if offered := ask("server/discover", ""); !strings.Contains(offered, `"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}`) {
				t.Errorf("%s: the extension is not declared: %s", era, offered)
			}
			if listed := strings.Contains(ask("resources/list", ""), tools.TaskCardURI); listed != (capabilities == appsClient) {
				t.Errorf("%s, %s: the card is listed: %v", era, capabilities, listed)
			}
			var got struct {
				Contents []struct {
					URI, MIMEType, Text string
					Meta                struct {
						UI struct {
							CSP    map[string][]string
							Domain *string
						}
					} `json:"_meta"`
				}
			}
			if err := json.Unmarshal([]byte(ask("resources/read", `"uri":"`+tools.TaskCardURI+`",`)), &got); err != nil || len(got.Contents) != 1 {
				t.Fatalf("%s: %v, %+v", era, err, got)
			}
			c := got.Contents[0]
			if c.URI != tools.TaskCardURI || c.MIMEType != mcp.AppMIMEType || c.Meta.UI.Domain != nil || !slices.Equal(c.Meta.UI.CSP["connectDomains"], []string{r.cfg.Load().URL}) || len(c.Meta.UI.CSP["resourceDomains"]) > 0 {
				t.Errorf("%s: got %s %s %+v", era, c.URI, c.MIMEType, c.Meta)
			}
			if !strings.HasPrefix(c.Text, "<!doctype html>") || len(c.Text) > 60<<10 || strings.Contains(c.Text, "src=") || strings.Contains(c.Text, "innerHTML") {
				t.Errorf("%s: the card has %d bytes, or asks for more than itself", era, len(c.Text))
			}
		}
	}
	if got := r.do("POST", "/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+tools.TaskCardURI+`"}}`); got.status != 401 {
		t.Errorf("without a token: got %d", got.status)
	}
}

// view is what the card reads of a task.
type view struct {
	State, Asked, Pause string
	TaskID              string `json:"task_id"`
	Page                string `json:"page_url"`
	Updated             string
	Form                *struct{ Properties map[string]json.RawMessage }
	Artifacts           []struct {
		Parts []struct{ Text string }
	}
	Error json.RawMessage
}

// call calls a tool, and returns its view or the text of its error.
func (ask asks) call(t *testing.T, name, arguments string) (v view, problem string) {
	t.Helper()
	var r struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal([]byte(ask("tools/call", `"name":"`+name+`","arguments":{`+arguments+`},`)), &r); err != nil {
		t.Fatal(err)
	}
	if r.StructuredContent == nil {
		return v, r.Content[0].Text
	}
	if err := json.Unmarshal(r.StructuredContent, &v); err != nil {
		t.Fatal(err)
	}
	return v, ""
}

func TestTheCardFollowsAndAnswersATask(t *testing.T) {
	r := newCardRig(t, config.TaskCardAuto)
	bob := r.clients(r.token("bob", oauth.ScopeTools), "other", appsClient)
	for era, ask := range r.clients(r.token("alice", oauth.ScopeTools), "other", appsClient) {
		t.Run(era, func(t *testing.T) {
			begun, _ := ask.call(t, "send_task", `"agent":"echo","message":"form {\"type\":\"object\",\"required\":[\"size\"],\"properties\":{\"size\":{\"type\":\"integer\"}}}"`)
			task := `"task_id":"` + begun.TaskID + `"`
			v, problem := ask.call(t, "task_view", task)
			if problem != "" || v.State != "input-required" || v.Pause == "" || v.Form == nil || v.Form.Properties["size"] == nil || !strings.HasPrefix(v.Asked, "form") || !strings.HasPrefix(v.Page, r.cfg.Load().URL) {
				t.Fatalf("got %+v %s", v, problem)
			}
			if _, problem := bob[era].call(t, "task_view", task); !strings.HasPrefix(problem, "There is no such task.") {
				t.Errorf("another user's: got %q", problem)
			}
			answer := task + `,"pause":"` + v.Pause + `","once":"a","answer":{"size":`
			if _, problem := bob[era].call(t, "answer_task", answer+`3}`); !strings.HasPrefix(problem, "There is no such task.") {
				t.Errorf("another user's answer: got %q", problem)
			}
			wrong := ask("tools/call", `"name":"answer_task","arguments":{`+answer+`"large"}},`)
			if !strings.Contains(wrong, `"isError":true`) || !strings.Contains(wrong, `"problems":{"size":{"sentence":"This must be a number."}}`) {
				t.Errorf("an answer that does not fit the form: got %s, want what is wrong with the field", wrong)
			}
			for range 2 { // the same is sent once
				if after, problem := ask.call(t, "answer_task", answer+`3}`); problem != "" || after.TaskID != begun.TaskID {
					t.Fatalf("got %+v %s", after, problem)
				}
			}
			seen := ""
			for range 20 {
				if v, problem = ask.call(t, "task_view", task+seen); v.State == "completed" || problem != "" {
					break
				}
				seen = `,"wait":5,"seen":"` + v.Updated + `"`
			}
			if v.State != "completed" || v.Form != nil || v.Error != nil || len(v.Artifacts) != 1 {
				t.Errorf("got %+v %s", v, problem)
			}
			if _, problem := ask.call(t, "answer_task", task+`,"pause":"`+v.Pause+`","once":"b","answer":{"size":4}`); !strings.HasPrefix(problem, "The task has ended") {
				t.Errorf("a late answer: got %q", problem)
			}
		})
	}
}

// TestTheCardDoesNotAskTwice: get_task asks by the client's own forms, which would open one with
// each look of the card.
func TestTheCardDoesNotAskTwice(t *testing.T) {
	r := newCardRig(t, config.TaskCardAuto)
	both := `{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/ui":{}}}`
	ask := r.clients(r.token("alice", oauth.ScopeTools), "other", both)["2026-07-28"]
	var asked struct {
		InputRequests map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(ask("tools/call", `"name":"send_task","arguments":{"agent":"echo","message":"ask which?"},`)), &asked); err != nil || len(asked.InputRequests) != 1 {
		t.Fatalf("got %+v, %v", asked, err)
	}
	for key := range asked.InputRequests {
		handle, _, _ := strings.Cut(key, "/")
		if v, problem := ask.call(t, "task_view", `"task_id":"`+handle+`"`); v.State != "input-required" || v.Form == nil {
			t.Errorf("got %+v %s", v, problem)
		}
	}
}

// TestTheCardAsksForListsAsLists has a form with several choices and a list; other clients get both as text.
func TestTheCardAsksForListsAsLists(t *testing.T) {
	r := newCardRig(t, config.TaskCardAuto)
	ask := r.clients(r.token("alice", oauth.ScopeTools), "other", appsClient)["2025-11-25"]
	form := `{"type":"object","properties":{"colors":{"type":"array","minItems":2,"items":{"enum":["red","green","blue"]}},"sizes":{"type":"array","items":{"type":"integer"}}}}`
	begun, _ := ask.call(t, "send_task", `"agent":"echo","message":`+strconv.Quote("form "+form))
	v, _ := ask.call(t, "task_view", `"task_id":"`+begun.TaskID+`"`)
	if v.Form == nil || string(v.Form.Properties["colors"]) != `{"type":"array","default":[],"items":{"type":"string","enum":["red","green","blue"]},"minItems":2}` ||
		string(v.Form.Properties["sizes"]) != `{"type":"array","default":[],"items":{"type":"integer"}}` {
		t.Fatalf("got %+v", v.Form)
	}
	answer := `"task_id":"` + begun.TaskID + `","pause":"` + v.Pause + `","once":"a","answer":`
	if wrong := ask("tools/call", `"name":"answer_task","arguments":{`+answer+`{"colors":["red"],"sizes":["1","x"]}},`); !strings.Contains(wrong, `"colors":{"sentence":"Enter at least {} values.","value":"2"},"sizes":{"sentence":"This must be a number."}`) {
		t.Errorf("got %s", wrong)
	}
	if _, problem := ask.call(t, "answer_task", answer+`{"colors":["red","blue"],"sizes":["1","2"]}`); problem != "" {
		t.Fatal(problem)
	}
	for range 20 {
		v, _ = ask.call(t, "task_view", `"task_id":"`+begun.TaskID+`","wait":5,"seen":"`+v.Updated+`"`)
		if v.State == "completed" {
			break
		}
	}
	if len(v.Artifacts) != 1 || !strings.HasPrefix(v.Artifacts[0].Parts[0].Text, "colors: red, blue\nsizes: 1, 2") {
		t.Errorf("the agent got %+v", v.Artifacts)
	}
}

// TestACardThatChangesHasAnotherURI: chat apps keep what they have read, and the tools that name it.
func TestACardThatChangesHasAnotherURI(t *testing.T) {
	r := newCardRig(t, config.TaskCardAuto)
	card := tools.TaskCard("https://rialto.example.com")
	if ok, err := regexp.MatchString(`^ui://rialto/task-[0-9a-f]{8}$`, card.URI); err != nil || !ok {
		t.Errorf("got %s", card.URI)
	}
	ask := r.clients(r.token("alice", oauth.ScopeTools), "other", appsClient)["2026-07-28"]
	for _, uri := range []string{card.URI, "ui://rialto/task", "ui://rialto/task-00000000"} {
		if got := ask("resources/read", `"uri":"`+uri+`",`); !strings.Contains(got, `"uri":"`+uri+`"`) || !strings.Contains(got, "<!doctype html>") && !strings.Contains(got, `\u003c!doctype html`) {
			t.Errorf("%s: got %.200s", uri, got)
		}
	}
}
