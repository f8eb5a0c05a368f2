package bridge_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/tools"
	"rialto/internal/usage"
	"rialto/mcp"
)

// scoped is a bridge with an agent for the use case claims, and one for all of
// which one skill is for claims. Its caller can be changed.
func scoped(t *testing.T) (r *rig, caller *directory.Caller) {
	caller = &directory.Caller{User: "alice", Client: "app", AllUseCases: true}
	agents := map[string]peer{"open": skilled(t, nil, skill("public"), skill("secret")), "hidden": skilled(t, nil, skill("covert"))}
	r = withSkills(t, agents, func(b *bridge.Bridge) {
		b.Directory.Caller = func(context.Context) directory.Caller { return *caller }
		for i := range b.Directory.Initial {
			switch b.Directory.Initial[i].Name {
			case "open":
				b.Directory.Initial[i].Skills = []directory.SkillRule{{ID: "secret", UseCases: []string{"claims"}}}
			case "hidden":
				b.Directory.Initial[i].UseCases = []string{"claims"}
			}
		}
	})
	return r, caller
}

// Each door, for a caller that may see the agent and for one of another use case.
func TestUseCasesDecideAtEveryDoorWhatExists(t *testing.T) {
	r, caller := scoped(t)
	task := r.call("send_task", `{"agent":"hidden","message":"buried"}`)
	task.want(t, a2a.Completed, false)
	if _, err := r.db.Ledger.IndexTasks(t.Context(), 100); err != nil { // or the bridge was faster
		t.Fatal(err)
	}
	face := r.Proxy.Agent("hidden")
	open := r.Proxy.Agent("open")
	resource := func(uri, variable, value string) string {
		for _, template := range r.Documents.Resources().Templates() {
			if template.URITemplate == uri {
				c, err := template.Read(t.Context(), &mcp.Read{URI: uri, Variables: map[string]string{variable: value}})
				if err != nil {
					return err.Error()
				}
				return c[0].Text
			}
		}
		return "no template"
	}
	said := func(tool, args string) string { return r.call(tool, args).Text }
	failed := func(err error) string {
		if err != nil {
			return "not for you"
		}
		return "hidden secret"
	}
	visible := func(tools ...string) string {
		var all []string
		for _, name := range tools {
			if r.Tools.ToolVisible(t.Context(), name) {
				all = append(all, "tool "+name+" hidden secret")
			}
		}
		return strings.Join(all, " ")
	}
	follows := func(told bool) string {
		if told {
			return "hidden secret"
		}
		return "not for you"
	}
	doors := map[string]func() string{
		"tools of the skills":   func() string { return visible("covert", "secret") },
		"list_agents, agents":   func() string { return said("list_agents", `{}`) },
		"get_agent":             func() string { return said("get_agent", `{"agent":"open"}`) },
		"send_task to an agent": func() string { return said("send_task", `{"agent":"hidden","message":"hidden secret"}`) },
		"send_task for a skill": func() string { return said("send_task", `{"agent":"open","skill":"secret","message":"hidden secret"}`) },
		"get_task":              func() string { return said("get_task", `{"task_id":"`+task.TaskID+`"}`) },
		"list_tasks":            func() string { return said("list_tasks", `{"agent":"hidden"}`) },
		"cancel_task":           func() string { return said("cancel_task", `{"task_id":"`+task.TaskID+`"}`) },
		"search": func() string {
			return string(r.call("search", `{"query":"does"}`).raw) + string(r.call("search", `{"query":"buried"}`).raw)
		},
		"fetch of an agent":   func() string { return said("fetch", `{"id":"agent:open"}`) },
		"fetch of a task":     func() string { return said("fetch", `{"id":"task:`+task.TaskID+`"}`) },
		"resources of agents": func() string { return resource("rialto://agents/{agent}/card", "agent", "open") },
		"resources of tasks":  func() string { return resource("rialto://tasks/{task}", "task", task.TaskID) },
		"a message by A2A":    func() string { _, err := face.Send(t.Context(), say("x")); return failed(err) },
		"a task by A2A": func() string {
			_, err := face.Task(t.Context(), a2a.TaskQuery{ID: a2a.TaskID(task.TaskID)})
			return failed(err)
		},
		"a skill by A2A":       func() string { _, err := open.Send(t.Context(), sayWith("skillId", "secret")); return failed(err) },
		"the card of an agent": func() string { c, err := open.Card(t.Context()); return failed(err) + card(c) },
		"MCP tasks": func() string {
			_, err := (tools.Tasks{Tools: r.Bridge.Tools}).Task(t.Context(), "", task.TaskID)
			return failed(err)
		},
		"changes of tasks": func() string {
			return follows(r.Documents.Resources().MaySubscribe(t.Context(), documents.TaskURI(task.TaskID)+"/artifacts/a"))
		},
		"changes of cards": func() string {
			return follows(r.Documents.Resources().MaySubscribe(t.Context(), "rialto://agents/hidden/card"))
		},
		"the list of the resources": func() string {
			p, err := r.Documents.Resources().ListResources(t.Context(), "")
			return failed(err) + list(p)
		},
	}
	about := func(text string) bool {
		for _, word := range []string{"hidden", "secret", task.TaskID, "covert"} {
			if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(text, `"hidden"`, ""), "no skill secret", ""), word) {
				return true
			}
		}
		return false
	}
	for _, allowed := range []directory.Caller{{User: "alice", Client: "app", AllUseCases: true}, {User: "alice", Client: "app", UseCases: []string{"claims"}}} {
		*caller = allowed
		for door, ask := range doors {
			if got := ask(); !about(got) {
				t.Errorf("%s: to %+v it says %s", door, allowed, got)
			}
		}
	}
	*caller = directory.Caller{User: "alice", Client: "app", UseCases: []string{"sales"}}
	for door, ask := range doors {
		if door == "the list of the resources" || door == "the card of an agent" {
			continue // below: they are there, with less
		}
		if got := ask(); about(got) {
			t.Errorf("%s: it says %s", door, got)
		}
	}
	if c, err := open.Card(t.Context()); err != nil || strings.Contains(card(c), "secret") || !strings.Contains(card(c), "public") {
		t.Errorf("the card: got %s, %v", card(c), err)
	}
	if p, err := r.Documents.Resources().ListResources(t.Context(), ""); err != nil || strings.Contains(list(p), "hidden") || strings.Contains(list(p), task.TaskID) {
		t.Errorf("resources: got %s, %v", list(p), err)
	}
	r.Directory.ForceUseCase = "claims"
	if got := doors["send_task for a skill"](); !about(got) {
		t.Errorf("by the use case that is forced: got %s", got)
	}
	r.Directory.ForceUseCase, *caller = "sales", directory.Caller{User: "alice", Client: "app", AllUseCases: true}
	if got := doors["list_agents, agents"](); about(got) {
		t.Errorf("the use case that is forced opens more: %s", got)
	}
	if got := r.Directory.Titles(r.Directory.AccessOf(directory.Caller{AllUseCases: true})); !slices.Equal(got, []string{"Agent With Skills"}) {
		t.Errorf("the page that asks for consent names %q, want the one that is not hidden", got)
	}
	for _, a := range r.Directory.CachedInfos(t.Context(), r.Directory.Access(t.Context())) {
		if about(fmt.Sprint(a)) {
			t.Errorf("the start page tells %+v", a)
		}
	}
}

// TestAListTellsNothingOfWhatIsNotInIt pages through tasks of which most are of an agent
// that is not for the caller: pages without tasks, and cursors, told of them.
func TestAListTellsNothingOfWhatIsNotInIt(t *testing.T) {
	r, caller := scoped(t)
	var mine []string
	for i := range 24 {
		agent := "hidden"
		if i == 0 || i == 11 {
			agent = "open"
		}
		id := r.call("send_task", `{"agent":"`+agent+`","message":"x"}`).TaskID
		if agent == "open" {
			mine = append([]string{id}, mine...)
		}
	}
	*caller = directory.Caller{User: "alice", Client: "app", UseCases: []string{"sales"}}
	var got []string
	cursor := ""
	for {
		tasks, next, err := r.Runner.Summaries(t.Context(), r.Directory.Access(t.Context()), ledger.Filter{Limit: 1}, cursor)
		if err != nil || len(tasks) != 1 {
			t.Fatalf("got %v, %v, want one task", tasks, err)
		}
		if got = append(got, tasks[0].TaskID); next == "" {
			break
		}
		cursor = next
	}
	if !slices.Equal(got, mine) {
		t.Errorf("got %v, want %v", got, mine)
	}
	if tasks, next, err := r.Runner.Summaries(t.Context(), r.Directory.Access(t.Context()), ledger.Filter{Limit: 1, Agent: "hidden"}, ""); err != nil || len(tasks) != 0 || next != "" {
		t.Errorf("got %v, %q, %v", tasks, next, err)
	}
}

// TestAnAgentThatIsGoneOpensItsTasksToNobody takes an agent away that was for one use
// case: what it did is not for the clients of another.
func TestAnAgentThatIsGoneOpensItsTasksToNobody(t *testing.T) {
	r, caller := scoped(t)
	id := r.call("send_task", `{"agent":"hidden","message":"buried"}`).TaskID
	r.Directory.SetAgents(r.Directory.Initial[:0])
	for name, test := range map[string]struct {
		directory.Caller
		sees bool
	}{
		"an app for another use case": {directory.Caller{User: "alice", Client: "app", UseCases: []string{"sales"}}, false},
		"an app for all":              {directory.Caller{User: "alice", Client: "app", AllUseCases: true}, true},
		"a person":                    {directory.Caller{User: "alice"}, true},
	} {
		*caller = test.Caller
		if got := r.call("get_task", `{"task_id":"`+id+`"}`); got.IsError == test.sees {
			t.Errorf("%s: got %s", name, got.Text)
		}
		if got := r.call("list_tasks", `{}`); strings.Contains(got.Text, id) != test.sees {
			t.Errorf("%s: got the list %s", name, got.Text)
		}
	}
}

// Calls that name agents that do not exist.
func TestUseIsOfAgentsThatThereAre(t *testing.T) {
	var uses calls
	r := newRigWith(t, "", map[string]peer{"one": running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Complete("done")
		return nil
	})}, func(b *bridge.Bridge) { b.Calls.Sink = &uses })
	r.call("send_task", `{"agent":"one","message":"x"}`)
	r.call("send_task", `{"agent":"invented","message":"x"}`)
	r.call("get_agent", `{"agent":"invented-too"}`)
	var agents []string
	for _, u := range uses {
		agents = append(agents, u.Agent)
	}
	if !slices.Equal(agents, []string{"one", "", ""}) {
		t.Errorf("recorded the agents %q", agents)
	}
}

func card(c *a2a.Card) (all string) {
	if c == nil {
		return ""
	}
	for _, s := range c.Skills {
		all += s.ID + " "
	}
	return all
}

func list(resources []mcp.Resource) (all string) {
	for _, r := range resources {
		all += r.URI + " " + r.Name + " "
	}
	return all
}

// sayWith returns a message with one member of metadata.
func sayWith(key, value string) *a2a.SendRequest {
	m := say("hidden secret")
	m.Message.Metadata = a2a.Metadata{key: value}
	return m
}

func TestAnA2ACallerNamesNoUseCaseThatIsNotTheirs(t *testing.T) {
	var got a2a.Metadata
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		got = turn.Message.Metadata
		turn.Complete("done")
		return nil
	})
	caller := directory.Caller{User: "alice", Client: "app", UseCases: []string{"sales"}}
	r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) {
		b.Directory.Caller = func(context.Context) directory.Caller { return caller }
		b.Directory.Topic = "topic"
	})
	face := r.Proxy.Agent("one")
	if _, err := face.Send(t.Context(), sayWith("usecase", "claims")); !a2a.Is(err, a2a.InvalidParams) {
		t.Errorf("got %v", err)
	}
	sent(t, face, t.Context(), sayWith("trace", "7"))
	if got["usecase"] != "sales" || got["trace"] != "7" || got["topic"] != "topic" {
		t.Errorf("got %v", got)
	}
	r.Directory.ForceUseCase = "forced"
	sent(t, face, t.Context(), sayWith("usecase", "claims"))
	if got["usecase"] != "forced" {
		t.Errorf("got %v", got)
	}
}

// TestWhatIsSaidAroundAMessageIsScopedToo names what is not the caller's in the
// request instead of the message, and as what is no string.
func TestWhatIsSaidAroundAMessageIsScopedToo(t *testing.T) {
	got := make(chan *a2a.SendRequest, 1)
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		got <- turn.Request
		turn.Complete("done")
		return nil
	})
	caller := directory.Caller{User: "alice", Client: "app", UseCases: []string{"sales"}}
	r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) {
		b.Directory.Caller = func(context.Context) directory.Caller { return caller }
		b.Directory.Initial[0].Skills = []directory.SkillRule{{ID: "secret", UseCases: []string{"claims"}}}
	})
	face := r.Proxy.Agent("one")
	for name, m := range map[string]a2a.Metadata{
		"a skill":                  {"skillId": "secret"},
		"a list of skills":         {"skillId": []any{"secret"}},
		"a use case":               {"usecase": "claims"},
		"a list of use cases":      {"usecase": []any{"claims"}},
		"a use case without words": {"usecase": ""},
	} {
		around, inside := say("x"), say("x")
		around.Metadata, inside.Message.Metadata = m, m
		for where, req := range map[string]*a2a.SendRequest{"around": around, "inside": inside} {
			if _, err := face.Send(t.Context(), req); !a2a.Is(err, a2a.InvalidParams) {
				t.Errorf("%s, %s the message: got %v", name, where, err)
			}
		}
	}
	req := say("x")
	req.Metadata, req.Message.Metadata = a2a.Metadata{"usecase": nil, "trace": "7"}, a2a.Metadata{"usecase": nil}
	sent(t, face, t.Context(), req)
	if g := <-got; g.Metadata["usecase"] != "sales" || g.Metadata["trace"] != "7" || g.Message.Metadata["usecase"] != "sales" {
		t.Errorf("got %v around, %v inside", g.Metadata, g.Message.Metadata)
	}
	r.Directory.ForceUseCase = "forced"
	req = say("x")
	req.Metadata = a2a.Metadata{"usecase": "claims"}
	req.Message.Parts = append(req.Message.Parts, a2a.Part{Content: a2a.Data(`{"usecase":"claims","limit":5}`)})
	sent(t, face, t.Context(), req)
	g := <-got
	if data := string(g.Message.Parts[1].Content.(a2a.Data)); g.Metadata["usecase"] != "forced" || data != `{"limit":5,"usecase":"forced"}` {
		t.Errorf("got %v and the data %s, want the use case that is forced", g.Metadata, data)
	}
	if string(req.Message.Parts[1].Content.(a2a.Data)) != `{"usecase":"claims","limit":5}` {
		t.Error("the caller's message was written to")
	}
}

// TestACallThatCrashesIsRecorded has the index panic under a search.
func TestACallThatCrashesIsRecorded(t *testing.T) {
	var uses calls
	r := newRigWith(t, "", map[string]peer{"one": running(t, nil)}, func(b *bridge.Bridge) {
		b.Calls.Sink = &uses
		b.Documents.Index = crashing{b.Documents.Index}
	})
	server := &mcp.Server{Info: mcp.Implementation{Name: "x", Version: "1"}, Tools: r.Tools.List(), Observers: []mcp.Observer{r.Tools}}
	req := httptest.NewRequestWithContext(as(t.Context(), "alice"), http.MethodPost, "/",
		strings.NewReader(`{"name":"search","arguments":{"query":"x"}}`))
	req.Header.Set("Content-Type", "application/json")
	server.MethodHandler("tools/call", http.MethodPost).ServeHTTP(httptest.NewRecorder(), req)
	if len(uses) != 1 || uses[0].Outcome != usage.Failed || uses[0].Tool != "search" || uses[0].BytesIn == 0 {
		t.Errorf("got %+v, want a call that failed", uses)
	}
}

type crashing struct{ ledger.Index }

func (crashing) FindTasks(context.Context, string, []string, int) ([]ledger.Summary, error) {
	panic("no index")
}
