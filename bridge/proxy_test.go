package bridge_test

import (
	"context"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2atest"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/proxy"
)

// remints are the cases of the suites that a face does not pass on purpose: the
// ids of conversations and references are its own, and it always waits; what
// has ended stays so, whatever the agent would do.
var remints = []string{"the agent gets what was sent", "the agent gets the message", "an end can be taken up"}

// faceOf returns the face of an agent for alice.
func faceOf(t *testing.T, agent peer) *proxy.Agent {
	r := newRig(t, "", map[string]peer{"agent": agent})
	r.Directory.Caller = func(context.Context) directory.Caller { return directory.Caller{User: "alice", Client: "test"} }
	return r.Proxy.Agent("agent")
}

func dialed(t *testing.T, url string, g a2a.Generation) *a2aclient.Client {
	t.Helper()
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond, Protocol: g}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every generation of callers with every generation of agents, with the ledger between
// them.
func TestAProxiedAgentIsAnAgent(t *testing.T) {
	all := []a2a.Generation{a2a.V10, a2a.V03, a2a.V02, a2a.V01}
	for _, callers := range all {
		for _, agents := range all {
			t.Run("callers of "+string(callers)+" reach an agent of "+string(agents), func(t *testing.T) {
				t.Parallel() // most of it waits
				through := func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
					upstream := dialed(t, a2atest.Serve(t, agent, agent.Card(), agents), agents)
					face := faceOf(t, peer{upstream, upstream.Card()})
					return dialed(t, a2atest.Serve(t, face, agent.Card(), callers), callers)
				}
				switch {
				case callers == a2a.V01: // whose end is taken up as another task
					a2atest.TestFirstAgent(t, through, remints[1])
				case agents == a2a.V01:
					a2atest.TestFirstAgent(t, through, remints...)
				default:
					a2atest.TestAgent(t, through, remints...)
				}
			})
		}
	}
}

func TestFaceListsTasks(t *testing.T) {
	a2atest.TestLister(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
		return faceOf(t, peer{agent, agent.Card()})
	})
}

func say(text string) *a2a.SendRequest { return a2atest.Say(text) }

func sent(t *testing.T, f a2a.Agent, ctx context.Context, req *a2a.SendRequest) *a2a.Task {
	t.Helper()
	e, err := f.Send(ctx, req)
	task, ok := e.(*a2a.Task)
	if err != nil || !ok {
		t.Fatalf("got %T, %v, want a task", e, err)
	}
	return task
}

func TestAFaceShowsATaskToItsOwnerAlone(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	r := newRig(t, "", map[string]peer{"one": {agent, agent.Card()}, "two": {agent, agent.Card()}})
	alice, bob := as(t.Context(), "alice"), as(t.Context(), "bob")
	mine := sent(t, r.Proxy.Agent("one"), alice, say("ask which?"))
	reply := func() *a2a.SendRequest {
		req := say("echo this")
		req.Message.TaskID = mine.ID
		return req
	}
	refers := say("echo")
	refers.Message.ReferenceTaskIDs = []a2a.TaskID{mine.ID}
	for name, stranger := range map[string]struct {
		face *proxy.Agent
		ctx  context.Context
	}{"another user": {r.Proxy.Agent("one"), bob}, "another agent": {r.Proxy.Agent("two"), alice}, "nobody": {r.Proxy.Agent("one"), t.Context()}} {
		f, ctx := stranger.face, stranger.ctx
		for door, err := range map[string]error{
			"task":      last(f.Task(ctx, a2a.TaskQuery{ID: mine.ID})),
			"cancel":    last(f.Cancel(ctx, mine.ID)),
			"subscribe": FailureOf(f.Subscribe(ctx, mine.ID)),
			"send":      last(f.Send(ctx, reply())),
			"stream":    FailureOf(f.Stream(ctx, reply())),
			"reference": last(f.Send(ctx, refers)),
		} {
			if !a2a.Is(err, a2a.TaskNotFound) {
				t.Errorf("%s by %s: got %v, want TASK_NOT_FOUND", door, name, err)
			}
		}
		if page, err := f.Tasks(ctx, a2a.TaskFilter{ContextID: mine.ContextID}); err != nil || page.Total != 0 {
			t.Errorf("list by %s: got %+v, %v", name, page, err)
		}
	}
	if page, err := r.Proxy.Agent("one").Tasks(alice, a2a.TaskFilter{ContextID: mine.ContextID}); err != nil || page.Total != 1 {
		t.Errorf("list by the owner: got %+v, %v", page, err)
	}
	// The tools and the face show the same ledger.
	if got := r.call("get_task", `{"task_id":"`+string(mine.ID)+`","wait":0}`); got.State != a2a.InputRequired {
		t.Errorf("get_task: got %s", got.State)
	}
}

func last[T any](_ T, err error) error { return err }

func FailureOf(events func(func(a2a.Event, error) bool)) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestTwoUsersWithTheSameWordsHaveTwoTasks(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	r := newRig(t, "", map[string]peer{"agent": {agent, agent.Card()}})
	f := r.Proxy.Agent("agent")
	req := say("ask which?")
	req.Message.ContextID = "1"
	alices, bobs := sent(t, f, as(t.Context(), "alice"), req), sent(t, f, as(t.Context(), "bob"), req)
	if alices.ContextID != "1" || bobs.ContextID != "1" {
		t.Errorf("got conversations %q and %q, want the callers' own words", alices.ContextID, bobs.ContextID)
	}
	got := agent.Received()
	if got[0].Message.ContextID == got[1].Message.ContextID {
		t.Errorf("both are in conversation %q at the agent", got[0].Message.ContextID)
	}
	answer := say("echo bob's")
	answer.Message.TaskID = bobs.ID
	sent(t, f, as(t.Context(), "bob"), answer)
	if still, err := f.Task(as(t.Context(), "alice"), a2a.TaskQuery{ID: alices.ID}); err != nil || still.Status.State != a2a.InputRequired {
		t.Errorf("got %+v, %v: bob's answer went to alice's task", still, err)
	}
}

func TestAConversationGoesOnUnderItsName(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	f := faceOf(t, peer{agent, agent.Card()})
	first := sent(t, f, t.Context(), say("echo 1"))
	again := say("echo 2")
	again.Message.ContextID = first.ContextID
	second := sent(t, f, t.Context(), again)
	got := agent.Received()
	if second.ContextID != first.ContextID || got[1].Message.ContextID != got[0].Message.ContextID {
		t.Errorf("got conversation %q after %q, at the agent %q after %q", second.ContextID, first.ContextID, got[1].Message.ContextID, got[0].Message.ContextID)
	}
}

func TestUseCasesHideAgents(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	r := newRig(t, "", map[string]peer{"open": {agent, agent.Card()}, "claims": {agent, agent.Card()}})
	for i := range r.Directory.Initial {
		if r.Directory.Initial[i].Name == "claims" {
			r.Directory.Initial[i].UseCases = []string{"claims", "audit"}
		}
	}
	r.Close()
	r.Start() // with the agents as they are now
	caller := directory.Caller{User: "alice"}
	r.Directory.Caller = func(context.Context) directory.Caller { return caller }
	for name, c := range map[string]struct {
		caller directory.Caller
		sees   bool
	}{
		"without a use case": {directory.Caller{User: "alice"}, false},
		"of another":         {directory.Caller{User: "alice", UseCases: []string{"sales"}}, false},
		"of one of them":     {directory.Caller{User: "alice", UseCases: []string{"sales", "audit"}}, true},
		"of all":             {directory.Caller{User: "alice", AllUseCases: true}, true},
	} {
		caller = c.caller
		_, err := r.Proxy.Agent("claims").Send(t.Context(), say("echo x"))
		if c.sees != (err == nil) || err != nil && !a2a.Is(err, a2a.TaskNotFound) {
			t.Errorf("%s: send got %v", name, err)
		}
		if _, err := r.Proxy.Agent("open").Send(t.Context(), say("echo x")); err != nil {
			t.Errorf("%s: an agent for all got %v", name, err)
		}
		names := []string{}
		for _, a := range r.Directory.Infos(t.Context(), r.Directory.Access(t.Context())) {
			names = append(names, a.Name)
		}
		if slices.Contains(names, "claims") != c.sees || !slices.Contains(names, "open") {
			t.Errorf("%s: list_agents has %v", name, names)
		}
		if got := r.call("send_task", `{"agent":"claims","message":"echo x"}`); got.IsError == c.sees {
			t.Errorf("%s: send_task got %s", name, got.Text)
		}
	}
}

func TestATaskOfTheFaceSurvivesARestart(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	r := newRig(t, "", map[string]peer{"agent": {agent, agent.Card()}})
	f, ctx := r.Proxy.Agent("agent"), as(t.Context(), "alice")
	req := say("wait over")
	req.ReturnImmediately = true
	task := sent(t, f, ctx, req)
	r.Close()
	agent.Release()
	r.Start()
	var end a2a.State
	for e, err := range f.Subscribe(ctx, task.ID) {
		if err != nil {
			break // it has ended already
		}
		if u, ok := e.(*a2a.StatusUpdate); ok {
			end = u.Status.State
		}
	}
	got, err := f.Task(ctx, a2a.TaskQuery{ID: task.ID})
	if err != nil || got.Status.State != a2a.Completed || len(got.Artifacts) != 1 {
		t.Errorf("got %+v, %v after %q", got, err, end)
	}
}

func TestAStreamEndsWhenTheServerStops(t *testing.T) {
	r := newRig(t, "", map[string]peer{"agent": running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		turn.Working("on it")
		<-ctx.Done()
		return nil
	})})
	f, ctx := r.Proxy.Agent("agent"), as(t.Context(), "alice")
	var err error
	for e, broke := range f.Stream(ctx, say("go")) {
		if err = broke; e != nil {
			r.Runner.EndWaits()
		}
	}
	if !a2a.Is(err, a2a.Unavailable) {
		t.Errorf("got %v, want a retry", err)
	}
}

// TestAStreamOfAMessageHasNothingElse answers a question, and the agent replies without a task.
// Clients refuse a message that comes after a task (A2A 1.0 section 3.1.2).
func TestAStreamOfAMessageHasNothingElse(t *testing.T) {
	agent := &scripted{answer: func(_ context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		if req.Message.TaskID == "" {
			return yield(in(a2a.InputRequired, "which?"))
		}
		return yield(&a2a.Message{ID: "reply", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("thanks")}})
	}}
	card := &a2a.Card{Name: "Replies", Capabilities: a2a.Capabilities{Streaming: true}}
	f := faceOf(t, peer{agent, card})
	answer := say("this one")
	answer.Message.TaskID = sent(t, f, t.Context(), say("ask")).ID
	var got []a2a.Event
	for e, err := range f.Stream(t.Context(), answer) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if m, ok := got[0].(*a2a.Message); len(got) != 1 || !ok || m.Text() != "thanks" {
		t.Errorf("got %d events, the first %+v; want the message alone", len(got), got[0])
	}
}

// TestAUseCaseNamedAroundAMessageIsThatOfTheMessage continues a task that was begun with another one.
func TestAUseCaseNamedAroundAMessageIsThatOfTheMessage(t *testing.T) {
	var got *a2a.SendRequest
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		got = turn.Request
		turn.Ask("which?")
		return nil
	})
	r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) {
		b.Directory.Caller = func(context.Context) directory.Caller {
			return directory.Caller{User: "alice", Client: "app", AllUseCases: true}
		}
	})
	f := r.Proxy.Agent("one")
	first := say("ask")
	first.Message.Metadata = a2a.Metadata{"usecase": "claims"}
	answer := say("this one")
	answer.Message.TaskID = sent(t, f, t.Context(), first).ID
	answer.Metadata = a2a.Metadata{"usecase": "sales"}
	sent(t, f, t.Context(), answer)
	if inside, around := got.Message.Metadata["usecase"], got.Metadata["usecase"]; inside != "sales" || around != "sales" {
		t.Errorf("got the use case %v inside and %v around, want sales", inside, around)
	}
	answer.Message.Metadata = a2a.Metadata{"usecase": "claims"}
	if _, err := f.Send(t.Context(), answer); !a2a.Is(err, a2a.InvalidParams) {
		t.Errorf("two use cases: got %v", err)
	}
}

func TestNamesThatCallersGiveOutliveTheServer(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	face := faceOf(t, peer{agent, agent.Card()})
	call := func(method, params string) string {
		// A server each time, as after a restart.
		url := a2atest.Serve(t, face, agent.Card())
		resp, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	if got := call("tasks/send", `{"id":"mine","message":{"role":"user","parts":[{"type":"text","text":"ask which?"}]}}`); !strings.Contains(got, `"state":"input-required"`) {
		t.Fatalf("got %s", got)
	}
	if got := call("tasks/get", `{"id":"mine"}`); !strings.Contains(got, `"id":"mine"`) || !strings.Contains(got, `"type":"text"`) {
		t.Errorf("got %s, want the task under its name, in 0.1", got)
	}
	if got := call("tasks/send", `{"id":"mine","message":{"role":"user","parts":[{"type":"text","text":"echo x"}]}}`); !strings.Contains(got, `"state":"completed"`) {
		t.Errorf("got %s, want the task to go on", got)
	}
}
