package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// These tests require that alice's tasks do not exist for bob, through any endpoint:
// the answers are exactly those for an unknown ID, and his requests change nothing. The
// endpoints come from the server's own lists, so that a new one without a case fails.

const (
	nobodys = "01a1fd00-0000-7000-8000-000000000000" // the id of a task that does not exist
	hidden  = "penguins"                             // what alice's tasks hold
)

// owners is a server that lets people share, with tasks of alice's.
type owners struct {
	*rig
	done, waits string // her tasks
	share       string // the share_id of one
	alice, bob  string // tokens for everything
}

func newOwners(t *testing.T) *owners {
	agents, _ := agentsOf(t)
	r := newRigWith(t, func(c *config.Config) {
		c.Agents, c.Calls.DefaultAgent, c.Links.ShareLinks, c.Serving.GRPC.Listen = agents, name(a2a.V10), time.Hour, "127.0.0.1:0"
	})
	o := &owners{rig: r}
	all := []string{oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish}
	o.alice, o.bob = r.token("alice", all...), r.token("bob", all...)
	o.done = r.create(o.alice, name(a2a.V10), `{"message":"echo `+hidden+`","wait":20}`).ID
	o.waits = o.waiting()
	if _, err := o.store.Ledger.IndexTasks(t.Context(), 100); err != nil { // or the server was faster
		t.Fatal(err)
	}
	var made struct {
		ID string `json:"share_id"`
	}
	r.do("POST", "/api/v1/shares", o.alice, `{"id":"task:`+o.done+`"}`).decode(t, &made)
	if o.share = made.ID; o.share == "" {
		t.Fatal("alice cannot share")
	}
	return o
}

// waiting makes a task of alice's that waits for input.
func (o *owners) waiting() string {
	return o.create(o.alice, name(a2a.V10), `{"message":"ask which `+hidden+`?","wait":20}`).ID
}

// untouched requires that bob's requests have changed nothing.
func (o *owners) untouched() {
	var status struct{ State a2a.State }
	o.do("GET", "/api/v1/tasks/"+o.waits, o.alice, "").decode(o.t, &status)
	if status.State != a2a.InputRequired {
		o.t.Errorf("alice's task is %s by now", status.State)
	}
	if got := o.do("GET", "/api/v1/shares", o.alice, ""); !strings.Contains(got.body, o.share) {
		o.t.Errorf("alice's share is gone: %s", got.body)
	}
}

// alike requires that ask answers about alice's id as about an unknown one, and not as it
// answers alice.
func alike(t *testing.T, id, nobodys string, ask func(id string) string, alices string) {
	t.Helper()
	about, about0 := ask(id), ask(nobodys)
	if got := strings.ReplaceAll(about, id, nobodys); got != about0 {
		t.Errorf("bob got\n%s\nfor alice's, and for an unknown one\n%s", got, about0)
	}
	if strings.Contains(about, hidden) {
		t.Errorf("bob got %s", about)
	}
	if alices == about {
		t.Errorf("alice got the same: %s", about)
	}
}

// nothing requires that bob gets an answer without alice's data.
func (o *owners) nothing(door, said string) {
	o.t.Helper()
	hers := slices.ContainsFunc([]string{o.done, o.waits, o.share, hidden}, func(s string) bool { return strings.Contains(said, s) })
	if hers || !strings.HasPrefix(said, "200 ") {
		o.t.Errorf("%s tells bob %s", door, said)
	}
}

func (a reply) said() string { return fmt.Sprint(a.status, " ", a.body) }

// TestNoToolReachesAnothersTask makes the first of callsOfTools for each tool, and searches for what
// alice's task has.
func TestNoToolReachesAnothersTask(t *testing.T) {
	o := newOwners(t)
	defer o.untouched()
	arguments := map[string]string{"search": `{"query":"` + hidden[:5] + `"}`}
	for _, c := range slices.Backward(callsOfTools) {
		if c.tool != "search" {
			arguments[c.tool] = strings.ReplaceAll(c.arguments, "AGENT", name(a2a.V10))
		}
	}
	var list struct{ Tools []struct{ Name string } }
	o.do("POST", "/mcp/tools/list", o.bob, "{}").decode(t, &list)
	if len(list.Tools) < 8 {
		t.Fatalf("got %v", list)
	}
	call := func(token, tool, arguments string) string {
		return o.do("POST", "/mcp/tools/call", token, `{"name":"`+tool+`","arguments":`+arguments+`}`).said()
	}
	for _, tool := range list.Tools {
		args, known := arguments[tool.Name]
		switch {
		case !known:
			t.Errorf("callsOfTools has no call of %s", tool.Name)
		case !strings.Contains(args, "TASK"):
			o.nothing(tool.Name, call(o.bob, tool.Name, args))
			if alices := call(o.alice, tool.Name, args); (tool.Name == "search" || tool.Name == "list_tasks") && !strings.Contains(alices, o.done) {
				t.Errorf("%s tells alice %s", tool.Name, alices)
			}
		default:
			with := func(id string) string { return strings.ReplaceAll(args, "TASK", id) }
			alices := o.waiting()
			if tool.Name == "share" {
				alices = o.done
			}
			alike(t, o.waits, nobodys, func(id string) string { return call(o.bob, tool.Name, with(id)) }, call(o.alice, tool.Name, with(alices)))
		}
	}
}

// TestNoMethodOfMCPReachesAnothersTask reads what is no tool: resources, of which
// each template has a line, and tasks.
func TestNoMethodOfMCPReachesAnothersTask(t *testing.T) {
	o := newOwners(t)
	defer o.untouched()
	ask := o.askMCP
	cases := []struct{ revision, method, params string }{
		{"2025-11-25", "tasks/get", `"taskId":"ID"`},
		{"2025-11-25", "tasks/result", `"taskId":"ID"`},
		{"2025-11-25", "tasks/cancel", `"taskId":"ID"`},
		{"2026-07-28", "tasks/get", `"taskId":"ID"`},
		{"2026-07-28", "tasks/update", `"taskId":"ID","inputResponses":{"x":{"action":"accept","content":{"answer":"y"}}}`},
		{"2026-07-28", "tasks/cancel", `"taskId":"ID"`},
		{"2025-11-25", "completion/complete", `"ref":{"type":"ref/resource","uri":"` + artifactForm + `"},"argument":{"name":"artifact","value":""},"context":{"arguments":{"task":"ID"}}`},
	}
	for _, uri := range o.resources() {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			cases = append(cases, struct{ revision, method, params string }{revision, "resources/read", `"uri":"` + uri + `"`})
		}
	}
	tried := map[string]bool{}
	for _, c := range cases {
		tried[c.method] = true
	}
	everyMethod(t, tried)
	o.subscribing()
	for _, c := range cases {
		t.Run(c.revision+" "+c.method+" "+c.params, func(t *testing.T) {
			mine := o.done
			if strings.HasPrefix(c.method, "tasks/") {
				mine = o.waits
			}
			call := func(token, id string) string {
				return ask(token, c.revision, c.method, strings.ReplaceAll(c.params, "ID", id))
			}
			alices := mine
			if c.method == "tasks/cancel" || c.method == "tasks/update" {
				alices = o.waiting()
			}
			alike(t, mine, nobodys, func(id string) string { return call(o.bob, id) }, call(o.alice, alices))
		})
	}
	o.nothing("resources/list", ask(o.bob, "2025-11-25", "resources/list", ""))
	o.nothing("completion/complete", ask(o.bob, "2025-11-25", "completion/complete", `"ref":{"type":"ref/resource","uri":"rialto://tasks/{task}"},"argument":{"name":"task","value":""}`))
}

// artifactForm is the template of artifacts.
const artifactForm = "rialto://tasks/{task}/artifacts/{artifact}"

// resources returns the URIs of a task's resources, by all templates,
// with ID for the task.
func (o *owners) resources() (all []string) {
	o.t.Helper()
	var artifact struct {
		Artifacts []struct{ ID string }
	}
	o.do("GET", "/api/v1/tasks/"+o.done, o.alice, "").decode(o.t, &artifact)
	below := "rialto://tasks/ID/artifacts/" + artifact.Artifacts[0].ID
	uris := map[string]string{
		"rialto://tasks/{task}":        "rialto://tasks/ID",
		artifactForm:                   below,
		artifactForm + "/parts/{part}": below + "/parts/0",
		"rialto://agents/{agent}/card": "",
	}
	_, listed, _ := strings.Cut(o.askMCP(o.bob, "2025-11-25", "resources/templates/list", ""), " ")
	var templates struct {
		Result struct {
			Templates []struct{ URITemplate string } `json:"resourceTemplates"`
		}
	}
	if err := json.Unmarshal([]byte(listed), &templates); err != nil || len(templates.Result.Templates) == 0 {
		o.t.Fatalf("got %s, %v", listed, err)
	}
	for _, form := range templates.Result.Templates {
		uri, known := uris[form.URITemplate]
		switch {
		case !known:
			o.t.Errorf("the template %s has no line here", form.URITemplate)
		case uri != "":
			all = append(all, uri)
		}
	}
	return all
}

// askMCP calls a method and returns what is answered.
func (o *owners) askMCP(token, revision, method, params string) string {
	o.t.Helper()
	if revision == "2026-07-28" {
		params += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	}
	headers := []string{"Accept: application/json, text/event-stream", "MCP-Protocol-Version: " + revision, "Mcp-Method: " + method}
	var about struct{ URI, TaskID string }
	if err := json.Unmarshal([]byte("{"+params+"}"), &about); err != nil {
		o.t.Fatal(err)
	}
	headers = append(headers, "Mcp-Name: "+about.URI+about.TaskID)
	return o.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`, headers...).said()
}

// everyMethod holds that each method of MCP that could name a task was tried.
func everyMethod(t *testing.T, tried map[string]bool) {
	t.Helper()
	for _, method := range methodsOfMCP(t) {
		if !tried[method] && !ownNothing[method] {
			t.Errorf("the method %s has no line here", method)
		}
	}
}

// subscribing asks what everybody gets the same answer to.
func (o *owners) subscribing() {
	o.t.Helper()
	for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} { // to which everybody gets the same answer
		hers, none := o.askMCP(o.bob, "2025-11-25", method, `"uri":"rialto://tasks/`+o.waits+`"`), o.askMCP(o.bob, "2025-11-25", method, `"uri":"rialto://tasks/`+nobodys+`"`)
		if strings.ReplaceAll(hers, o.waits, nobodys) != none {
			o.t.Errorf("%s: bob got %s, and for an unknown one %s", method, hers, none)
		}
	}
}

// ownNothing are the methods of MCP that name nothing of a user, or that are
// tried elsewhere.
var ownNothing = map[string]bool{
	"initialize": true, "ping": true, "logging/setLevel": true, "server/discover": true,
	"tools/list": true, "prompts/list": true, "prompts/get": true, "resources/templates/list": true,
	"tools/call":     true,                                                             // TestNoToolReachesAnothersTask
	"resources/list": true, "resources/subscribe": true, "resources/unsubscribe": true, // below
	"subscriptions/listen": true, "notifications/cancelled": true, // mcp: streams and calls are of their principal
}

var methodOfMCP = regexp.MustCompile(`Method == "([a-zA-Z/]+)"|case "((?:tasks|tools|prompts|resources|completion)/[a-zA-Z/]+)"|"((?:tasks|tools|prompts|resources|completion|subscriptions|server)/[a-zA-Z/]+)":`)

// methodsOfMCP returns the methods that package mcp knows, by its source.
func methodsOfMCP(t *testing.T) (methods []string) {
	t.Helper()
	files, err := filepath.Glob("../../../../mcp/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, found := range methodOfMCP.FindAllStringSubmatch(string(source), -1) {
			methods = append(methods, cmp.Or(found[1], found[2], found[3]))
		}
	}
	slices.Sort(methods)
	if methods = slices.Compact(methods); len(methods) < 10 {
		t.Fatalf("the source knows only %v", methods)
	}
	return methods
}

// TestNoAddressReachesAnothersTask asks at each documented address that names a
// task, or something else of one user.
func TestNoAddressReachesAnothersTask(t *testing.T) {
	o := newOwners(t)
	defer o.untouched()
	d := o.document()
	notOwned := map[string]bool{ // what else addresses name
		"agent": true, "config": true, "file": true, "provider": true, "id": true, // id: of clients, and of documents, which take a browser
		"page": true, "client_id": true, // of the console, which takes a browser
		"link": true, "secret": true, "piece": true, "proof": true, // which are the right to what they name
	}
	asked := 0
	for _, op := range d.operations() {
		if slices.Contains(op.about["tags"].([]any), any("admin")) {
			continue // an operator's: TestOnlyOperatorsReachTheOperatorsAPI
		}
		kind := ""
		for _, v := range variable.FindAllString(op.path, -1) {
			switch v := strings.Trim(v, "{}"); {
			case v == "task", v == "share":
				kind = v
			case !notOwned[v]:
				t.Errorf("%s: say of {%s} whose it is", op.path, v)
			}
		}
		if kind == "" || strings.HasPrefix(op.path, "/hooks/") {
			continue
		}
		asked++
		t.Run(op.method+" "+op.path, func(t *testing.T) {
			mine, alices := o.waits, ""
			if kind == "share" {
				mine, alices = o.share, o.share
			} else {
				alices = o.waiting()
			}
			at := func(token, id string) string {
				path := strings.NewReplacer("{"+kind+"}", id, "{agent}", name(a2a.V10), "{config}", "none").Replace(op.path)
				media, body := "", ""
				content, _ := d.at(op.about["requestBody"])["content"].(map[string]any)
				for media = range content {
					body = written(media, content[media].(map[string]any)["example"])
				}
				got := o.try(op.method, path, token, media, body)
				return timestamp.ReplaceAllString(got.said(), "TIME")
			}
			hers := "" // asking about a config that is not there, she learns no more than bob
			if kind == "task" && !strings.Contains(op.path, "{config}") {
				hers = at(o.alice, alices)
			}
			alike(t, mine, nobodys, func(id string) string { return at(o.bob, id) }, hers)
		})
	}
	if asked < 20 {
		t.Errorf("asked at %d addresses", asked)
	}
	for _, path := range []string{"/api/v1/tasks", "/a2a/tasks", "/tasks", "/api/v1/shares"} {
		o.nothing(path, o.do("GET", path, o.bob, "").said())
	}
}

var timestamp = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+Z`)

// callsOfAgents has a call for each method of an agent, about a task.
func callsOfAgents(t *testing.T) map[string]func(c a2a.Agent, id a2a.TaskID) (any, error) {
	t.Helper()
	message := func(id a2a.TaskID) *a2a.SendRequest {
		m := a2atest.Say("that one")
		m.Message.TaskID = id
		return m
	}
	first := func(events iter.Seq2[a2a.Event, error]) (any, error) {
		for e, err := range events {
			return e, err
		}
		return nil, nil
	}
	calls := map[string]func(c a2a.Agent, id a2a.TaskID) (any, error){
		"Send":      func(c a2a.Agent, id a2a.TaskID) (any, error) { return c.Send(t.Context(), message(id)) },
		"Stream":    func(c a2a.Agent, id a2a.TaskID) (any, error) { return first(c.Stream(t.Context(), message(id))) },
		"Task":      func(c a2a.Agent, id a2a.TaskID) (any, error) { return c.Task(t.Context(), a2a.TaskQuery{ID: id}) },
		"Cancel":    func(c a2a.Agent, id a2a.TaskID) (any, error) { return c.Cancel(t.Context(), id) },
		"Subscribe": func(c a2a.Agent, id a2a.TaskID) (any, error) { return first(c.Subscribe(t.Context(), id)) },
		"SetPush": func(c a2a.Agent, id a2a.TaskID) (any, error) {
			return c.(a2a.Pusher).SetPush(t.Context(), &a2a.PushConfig{TaskID: id, ID: "x", URL: "https://hooks.example/x"})
		},
		"Push":   func(c a2a.Agent, id a2a.TaskID) (any, error) { return c.(a2a.Pusher).Push(t.Context(), id, "x") },
		"Pushes": func(c a2a.Agent, id a2a.TaskID) (any, error) { return c.(a2a.Pusher).Pushes(t.Context(), id) },
		"DropPush": func(c a2a.Agent, id a2a.TaskID) (any, error) {
			return nil, c.(a2a.Pusher).DropPush(t.Context(), id, "x")
		},
	}
	for _, of := range []reflect.Type{reflect.TypeFor[a2a.Agent](), reflect.TypeFor[a2a.Pusher](), reflect.TypeFor[a2a.Lister]()} {
		for i := range of.NumMethod() {
			if name := of.Method(i).Name; calls[name] == nil && name != "Tasks" { // which is tried below
				t.Errorf("the method %s has no line here", name)
			}
		}
	}
	return calls
}

// TestNoGenerationReachesAnothersTask calls each method of an agent, in each
// generation and over each binding.
func TestNoGenerationReachesAnothersTask(t *testing.T) {
	o := newOwners(t)
	defer o.untouched()
	calls := callsOfAgents(t)
	for _, g := range generations {
		for _, binding := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON, a2a.GRPC} {
			if binding != a2a.JSONRPC && g != a2a.V10 && g != a2a.V03 {
				continue
			}
			c := a2a.Agent(o.client(whereFor(g, binding), o.bob, g, binding))
			for method, call := range calls {
				if _, can := c.(a2a.Pusher); !can && strings.Contains(method, "Push") {
					continue
				}
				if g == a2a.V01 && (method == "Send" || method == "Stream") {
					continue // there the caller names the task, so it is a new one of the caller's own
				}
				if lister, can := c.(a2a.Lister); can && method == "Task" {
					if page, err := lister.Tasks(t.Context(), a2a.TaskFilter{}); err == nil && len(page.Tasks) > 0 {
						t.Errorf("%s, %s: bob is shown %+v", g, binding, page.Tasks)
					}
				}
				_, about := call(c, a2a.TaskID(o.waits))
				_, about0 := call(c, nobodys)
				if about == nil || about0 == nil || strings.ReplaceAll(about.Error(), o.waits, nobodys) != about0.Error() {
					t.Errorf("%s, %s, %s: got %v about alice's, and %v about an unknown one", g, binding, method, about, about0)
				}
			}
		}
	}
}

// whereFor is where an agent is served: 0.3 over gRPC has room for one.
func whereFor(g a2a.Generation, b a2a.Binding) string {
	if g == a2a.V03 && b == a2a.GRPC {
		return ""
	}
	return directory.AgentPath + name(a2a.V10)
}
