package server

import (
	"bufio"
	"context"
	"crypto/rand"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// The agent vault, its tasks and its progress are for the use case claims. covert is a word
// in all that is said to it and by it.
const (
	vault  = "vault"
	covert = "covert"
)

// These are the states in which a task of vault is looked at: what its request says first.
const (
	running = "work"
	asking  = "ask"
	ended   = "end"
)

// vaulted is a server with the agents front, for everybody, and vault. vault is the primary
// agent, so that the doors that name none lead to it. Both know the skill undercover.
type vaulted struct {
	*doors
	received      atomic.Int64 // messages to either agent that claims did not send
	claims, sales string       // tokens of alice's
	hook          *receiver
}

func newVaulted(t *testing.T, set ...func(*config.Config)) *vaulted {
	v := &vaulted{hook: newReceiver(t)}
	agent := &a2aexec.Executor{Run: v.run}
	t.Cleanup(func() { agent.Close() })
	card := &a2a.Card{
		Name: "Scripted", Description: "Follows a script.", Version: "1",
		Capabilities: a2a.Capabilities{Streaming: true},
		Skills: []a2a.Skill{
			{ID: "plain", Name: "Plain", Description: "For all.", Tags: []string{"test"}},
			{ID: "undercover", Name: "Undercover", Description: "For some.", Tags: []string{"test"}},
		},
	}
	url := a2atest.Serve(t, agent, card, a2a.V10)
	v.doors = newDoors(t, func(c *config.Config) {
		front := config.Agent{Name: "front", URL: url}
		c.Agents = []config.Agent{front, {Name: vault, URL: url, UseCases: []string{"claims"}}}
		c.Calls.DefaultAgent, c.Push.AllowedHosts = vault, []string{v.hook.host}
		for _, set := range set {
			set(c)
		}
	})
	v.claims, v.sales = v.limitedTo("claims"), v.limitedTo("sales")
	return v
}

// eachLimit runs a test with a client that is limited to another use case than vault, and with one
// that is limited by its connector.
func eachLimit(t *testing.T, test func(*testing.T, *vaulted), set ...func(*config.Config)) {
	t.Run("use case", func(t *testing.T) { test(t, newVaulted(t, set...)) })
	t.Run("connector", func(t *testing.T) {
		v := newVaulted(t, append(set, func(c *config.Config) {
			var agents []string
			for _, a := range c.Agents {
				if a.Name != vault {
					agents = append(agents, a.Name)
				}
			}
			c.Calls.Connectors = []directory.Connector{{Name: "open", Agents: agents}}
		})...)
		v.sales = v.connectorToken("alice", "open", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
		test(t, v)
	})
}

// run works until it is canceled, asks, or ends, as the first word of the message says.
func (v *vaulted) run(ctx context.Context, turn *a2aexec.Turn) error {
	// A message of claims may arrive after the answer that its client stopped reading.
	if about(v.t, turn.Request, "usecase") != "claims" {
		v.received.Add(1)
	}
	switch verb, _, _ := strings.Cut(turn.Message.Text(), " "); verb {
	case running:
		turn.Working("the covert step")
		<-ctx.Done()
		return ctx.Err()
	case asking:
		turn.Ask("the covert question")
	default:
		turn.Working("the covert step")
		turn.Artifact(a2a.Artifact{ID: "result", Name: "covert.txt", Parts: []a2a.Part{
			a2a.TextPart("the covert result"),
			{Content: a2a.Raw("the covert file"), Filename: "covert.csv", MediaType: "text/csv"},
		}})
		turn.Complete("the covert end")
	}
	return nil
}

var taskInEvent = regexp.MustCompile(`"taskId":"([^"]+)"`)

// begin sends a message as a client for claims, and returns its task once it is in the state.
func (v *vaulted) begin(agent, state, metadata string) string {
	v.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{` +
		`"messageId":"` + rand.Text() + `","role":"ROLE_USER",` +
		`"parts":[{"text":"` + state + ` the covert request"}]` + metadata + `}}}`
	until := map[string]string{
		running: "the covert step", asking: "the covert question", ended: "the covert end",
	}[state]
	said, _ := v.read(v.claims, sent{"POST", "/a2a/" + agent, body, []string{"A2A-Version: 1.0"}}, until)
	id := taskInEvent.FindStringSubmatch(said)
	if id == nil || !strings.Contains(said, until) {
		v.t.Fatalf("got %s, want a task that says %q", said, until)
	}
	if state == running {
		v.written(id[1], until)
	} else {
		v.read(v.claims, toolCall(v.t, mcp2025, "get_task", `{"task_id":"`+id[1]+`"}`, "{}"), "")
	}
	if _, err := v.store.Ledger.IndexTasks(v.t.Context(), 100); err != nil { // or the server was faster
		v.t.Fatal(err)
	}
	return id[1]
}

// written waits until the ledger has what the agent says of a running task, and so its event.
func (v *vaulted) written(id, word string) {
	v.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		e, err := v.store.Ledger.AnyTask(v.t.Context(), id)
		if err != nil {
			v.t.Fatal(err)
		}
		if e.Task != nil && strings.Contains(e.Task.Status.Message.Text(), word) {
			return
		}
		<-tick.C
	}
	v.t.Fatalf("the ledger does not have %q of task %s after ten seconds", word, id)
}

// taskDoor is a door that shows a task, or does something with it: TASK in a request is its
// ID, AGENT the name of its agent.
type taskDoor struct {
	name string
	sent
	service, rpc string // of gRPC, whose request is in body

	pair    bool // the request goes beside the stream of 2024-11-05, which has the answer
	changes bool // what it does changes the task
	results bool // it has something of an ended task only
	blind   bool // it does not reach the task of any caller
}

// shows tells whether the door has an answer about a task in a state, for those who may see it.
func (d taskDoor) shows(state string) bool {
	early := d.results && state != ended
	return !d.blind && !early
}

// knock returns the answer about a task, and what of its headers should not be there. Of a
// stream it reads as much as ends with a word.
func (v *vaulted) knock(token string, door taskDoor, task, agent, word string) (said, beside string) {
	v.t.Helper()
	s := door.to("TASK", task, "AGENT", agent)
	if door.service != "" {
		return v.invoke(token, door.service, door.rpc, s.body, word), ""
	}
	if door.pair {
		return v.beside(token, s, word), ""
	}
	said, header := v.read(token, s, word)
	for name, values := range header {
		line := name + ": " + strings.Join(values, ", ")
		if strings.Contains(line, covert) || strings.Contains(line, vault) {
			beside += line
		}
	}
	return said, beside
}

// TestHiddenTasksAreHiddenAtEveryDoor knocks at each door with a client of the user's that is
// limited to another use case than the agent of the task. It knows the ID. It is answered as
// for an ID that does not exist, and no byte of the answer is of the task.
func TestHiddenTasksAreHiddenAtEveryDoor(t *testing.T) { eachLimit(t, hiddenAtEveryDoor) }

func hiddenAtEveryDoor(t *testing.T, v *vaulted) {
	began := v.cursor()
	for _, state := range []string{running, asking, ended} {
		task := v.begin(vault, state, "")
		for _, door := range v.doorsOfTasks(state, began) {
			t.Run(state+": "+door.name, func(t *testing.T) { v.checkHidden(t, door, task, state) })
		}
		v.unchanged(task, state)
	}
}

// varying is what differs between two answers to the same request.
var varying = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+Z|"(?:requestState|cursor)":"[^"]*"`)

// checkHidden compares the answer about a task with that about an unknown one, and with that
// for a client that may see it.
func (v *vaulted) checkHidden(t *testing.T, door taskDoor, task, state string) {
	received := v.received.Load()
	said, beside := v.knock(v.sales, door, task, vault, covert)
	unknown, _ := v.knock(v.sales, door, nobodys, "unknown", covert)
	same := strings.NewReplacer(task, nobodys)
	if strings.Contains(door.path+door.body, "AGENT") {
		same = strings.NewReplacer(task, nobodys, vault, "unknown")
	}
	got, want := varying.ReplaceAllString(same.Replace(said), ""), varying.ReplaceAllString(unknown, "")
	if strings.Contains(got, covert) || strings.Contains(got, vault) || beside != "" {
		t.Errorf("the client learns of the task: %.600s %s", said, beside)
	}
	if got != want {
		t.Errorf("got %.600s, want as for an unknown task: %.600s", got, want)
	}
	if v.received.Load() != received {
		t.Error("the agent got a message")
	}
	if !door.shows(state) {
		return
	}
	if door.changes {
		task = v.begin(vault, state, "")
	}
	if hers, _ := v.knock(v.claims, door, task, vault, covert); varying.ReplaceAllString(hers, "") == want {
		t.Errorf("a client for the use case gets the same: %.600s", hers)
	}
}

// unchanged requires that a task is as it began, and that its agent got nothing more.
func (v *vaulted) unchanged(task, state string) {
	v.t.Helper()
	want := map[string]string{running: "working", asking: "input-required", ended: "completed"}[state]
	got := v.do("GET", "/api/v1/tasks/"+task+"/status", v.claims, "")
	if !strings.Contains(got.body, `"state":"`+want+`"`) {
		v.t.Errorf("got %s, want the task %s as before", got.said(), want)
	}
}

// TestAHiddenDefaultAgentIsNotNamed sends a message without an agent where the default one is
// hidden from the client, which has the choice of two others.
func TestAHiddenDefaultAgentIsNotNamed(t *testing.T) {
	eachLimit(t, hiddenDefaultAgent, func(c *config.Config) {
		c.Agents = append(c.Agents, config.Agent{Name: "back", URL: c.Agents[0].URL})
	})
}

func hiddenDefaultAgent(t *testing.T, v *vaulted) {
	for _, revision := range mcpRevisions {
		s := toolCall(t, revision, "send_task", `{"message":"end it","wait":5}`, "{}")
		said, _ := v.read(v.sales, s, "")
		if strings.Contains(said, vault) || !strings.Contains(said, "front") {
			t.Errorf("%s: got %.600s, want the choice of the others", revision, said)
		}
		if v.received.Load() > 0 {
			t.Errorf("%s: an agent got the message", revision)
		}
	}
}

// TestHiddenTasksNotifyNobody has a client that is limited to another use case subscribe to all
// that it can. Then a hidden task ends, and after it one that the client may see.
func TestHiddenTasksNotifyNobody(t *testing.T) { eachLimit(t, hiddenNotifyNobody) }

func hiddenNotifyNobody(t *testing.T, v *vaulted) {
	session := v.session(v.sales, mcp2025, "{}")
	for _, c := range []struct {
		name, ready, news string // what the stream says when it is open, and of the task that is shown
		stream            func(hiddenTask, shown string) sent
	}{
		{
			"the stream of a session that subscribed to both", ": open", "notifications/resources/updated",
			func(hiddenTask, shown string) sent {
				for _, task := range []string{hiddenTask, shown} {
					uri := `"uri":"rialto://tasks/` + task + `"`
					s := mcpRequest(t, mcp2025, "resources/subscribe", uri, "{}")
					s.headers = append(s.headers, session)
					if said, _ := v.read(v.sales, s, ""); !strings.HasPrefix(said, "200") {
						t.Fatalf("got %s", said)
					}
				}
				revision := "MCP-Protocol-Version: " + mcp2025
				return sent{"GET", "/mcp", "", []string{"Accept: text/event-stream", revision, session}}
			},
		},
		{
			"subscriptions/listen to both", "acknowledged", "notifications/resources/updated",
			func(hiddenTask, shown string) sent {
				uris := `["rialto://tasks/` + hiddenTask + `","rialto://tasks/` + shown + `"]`
				wanted := `"notifications":{"resourceSubscriptions":` + uris + `}`
				return mcpRequest(t, mcp2026, "subscriptions/listen", wanted, "{}")
			},
		},
		{
			"subscriptions/listen to both as tasks", "acknowledged", `"status":"completed"`,
			func(hiddenTask, shown string) sent {
				return mcpRequest(t, mcp2026, "subscriptions/listen",
					`"notifications":{"taskIds":["`+hiddenTask+`","`+shown+`"]}`,
					`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
			},
		},
		{
			"events/stream before 2026-07-28", "events/active", "events/event",
			func(string, string) sent { return mcpRequest(t, mcp2025, "events/stream", completions, "{}") },
		},
		{
			"events/stream", "events/active", "events/event",
			func(string, string) sent { return mcpRequest(t, mcp2026, "events/stream", completions, "{}") },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			hiddenTask, shown := v.begin(vault, asking, ""), v.begin("front", asking, "")
			resp := v.open(v.sales, c.stream(hiddenTask, shown))
			defer resp.Body.Close()
			late := time.AfterFunc(10*time.Second, func() { resp.Body.Close() })
			defer late.Stop()
			lines := bufio.NewScanner(resp.Body)
			until(t, lines, c.ready)
			v.finish(hiddenTask)
			v.finish(shown)
			said := until(t, lines, c.news)
			for !strings.Contains(said, shown) {
				said += until(t, lines, c.news)
			}
			if strings.Contains(said, hiddenTask) || strings.Contains(said, vault) {
				t.Errorf("the client learns of the hidden task: %s", said)
			}
		})
	}
}

const completions = `"name":"task.completed","arguments":{},"cursor":null`

// TestHiddenTasksAreDeliveredToNobody is the same for a webhook.
func TestHiddenTasksAreDeliveredToNobody(t *testing.T) { eachLimit(t, hiddenDeliveredToNobody) }

func hiddenDeliveredToNobody(t *testing.T, v *vaulted) {
	a := v.mcp(v.sales, "events/subscribe", hookTo("task.completed", v.hook.url, hookSecret, object{}))
	if a.Error != nil {
		t.Fatal(a.raw)
	}
	hiddenTask, shown := v.begin(vault, ended, ""), v.begin("front", ended, "")
	for _, got := range v.hook.wait(1) {
		told := strings.Contains(got.raw, hiddenTask) || strings.Contains(got.raw, vault)
		if told || got.Data.Task != shown {
			t.Errorf("got %s, want the task of the other agent", got.raw)
		}
	}
}

// finish answers a task as a client for the use case, and waits for its end.
func (v *vaulted) finish(task string) {
	v.t.Helper()
	s := toolCall(v.t, mcp2025, "send_task", `{"task_id":"`+task+`","message":"end","wait":9}`, "{}")
	if said, _ := v.read(v.claims, s, ""); !strings.Contains(said, `"completed"`) {
		v.t.Fatalf("got %s, want the end of the task", said)
	}
}

// until reads the lines of a stream up to the first with a word, and returns them.
func until(t *testing.T, lines *bufio.Scanner, word string) (said string) {
	t.Helper()
	for lines.Scan() {
		said += lines.Text() + "\n"
		if strings.Contains(lines.Text(), word) {
			return said
		}
	}
	t.Fatalf("the stream ended without %q: %s %v", word, said, lines.Err())
	return ""
}

// TestPeopleSeeAllOfTheirTasks opens what a browser shows of a task whose agent is hidden from
// the person's client.
func TestPeopleSeeAllOfTheirTasks(t *testing.T) {
	v := newVaulted(t)
	alice := v.browser("alice")
	link := regexp.MustCompile(`/downloads/[^"\\<& ]+`)
	for _, state := range []string{running, asking, ended} {
		task := v.begin(vault, state, "")
		pages := map[string]string{ // and what stands on each
			"/answer/" + task:                     covert,
			"/answer/" + task + "/events?since=0": "event: ",
			"/account/tasks":                      task,
			"/account/tasks?q=covert":             task,
			"/documents/task:" + task:             covert,
		}
		if state == ended {
			said, _ := v.read(v.claims, toolCall(t, mcp2025, "get_task", `{"task_id":"`+task+`"}`, "{}"), "")
			pages[link.FindString(said)] = "the covert file"
		}
		for path, want := range pages {
			t.Run(state+": "+path, func(t *testing.T) {
				resp, err := alice.Get(v.cfg.Load().URL + path)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				late := time.AfterFunc(10*time.Second, func() { resp.Body.Close() })
				defer late.Stop()
				if said := until(t, bufio.NewScanner(resp.Body), want); resp.StatusCode != http.StatusOK {
					t.Errorf("got %d %s", resp.StatusCode, said)
				}
			})
		}
	}
}
