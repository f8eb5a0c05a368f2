package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2atest"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/mcp"
)

// reply is what a client of the current revision gets for a tools/call.
type reply struct {
	ResultType    string `json:"resultType"`
	InputRequests map[string]struct {
		Params struct{ Message string }
	} `json:"inputRequests"`
	RequestState string `json:"requestState"`
	Content      []struct{ Text string }
	Structured   struct {
		TaskID    string `json:"task_id"`
		State     string `json:"state"`
		Message   string `json:"message"`
		AnswerURL string `json:"answer_url"`
	} `json:"structuredContent"`
	IsError bool `json:"isError"`
}

// alice is the principal of all requests.
type alice struct{ mcp.Anyone }

func (alice) Principal(*http.Request) string { return "alice" }

// serving serves the tools of a rig to alice, over HTTP.
func serving(t *testing.T, r *rig) *httptest.Server {
	s := &mcp.Server{
		Info: mcp.Implementation{Name: "test", Version: "1"}, Tools: r.Tools.List(), SessionKey: []byte("0123456789abcdef0123456789abcdef"), Now: time.Now, Log: r.Runner.Log,
		Access: alice{},
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.ServeHTTP(w, req.WithContext(as(req.Context(), "alice")))
	}))
	t.Cleanup(srv.Close)
	return srv
}

// asking returns what calls send_task of a rig as a client that declared elicitation
// does.
func asking(t *testing.T, r *rig) func(args string, answers map[string]any, state string) reply {
	srv := serving(t, r)
	return func(args string, answers map[string]any, state string) reply {
		t.Helper()
		params := map[string]any{"name": "send_task", "arguments": json.RawMessage(args), "_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{"form": map[string]any{}}},
		}}
		if answers != nil {
			params["inputResponses"] = answers
		}
		if state != "" {
			params["requestState"] = state
		}
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequest("POST", srv.URL, strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "send_task"} {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var got struct {
			Result reply
			Error  any
		}
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.Error != nil {
			t.Fatalf("got %d, %v, %v", resp.StatusCode, got.Error, err)
		}
		return got.Result
	}
}

// TestThePersonAtTheClientIsAsked answers two questions of one task: the
// repeated call must not send its message again.
func TestThePersonAtTheClientIsAsked(t *testing.T) {
	var heard []string
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		heard = append(heard, turn.Message.Text())
		switch turn.Message.Text() {
		case "order":
			turn.Ask("Which size?")
		case "large":
			turn.Ask("Which colour?")
		default:
			turn.Complete("Ordered.")
		}
		return nil
	})
	send := asking(t, newRig(t, "", map[string]peer{"one": agent}))
	const args = `{"message":"order"}`
	got := send(args, nil, "")
	for _, step := range []struct{ question, answer string }{{"Which size?", "large"}, {"Which colour?", "blue"}} {
		if got.ResultType != "input_required" || len(got.InputRequests) != 1 {
			t.Fatalf("got %+v, want the question %q", got, step.question)
		}
		answers := map[string]any{}
		for key, q := range got.InputRequests {
			if q.Params.Message != step.question {
				t.Errorf("asked %q, want %q", q.Params.Message, step.question)
			}
			answers[key] = map[string]any{"action": "accept", "content": map[string]string{"answer": step.answer}}
		}
		got = send(args, answers, got.RequestState)
	}
	if got.ResultType != "complete" || got.Structured.State != "completed" || got.Structured.Message != "Ordered." {
		t.Errorf("got %+v", got)
	}
	if strings.Join(heard, ", ") != "order, large, blue" {
		t.Errorf("the agent heard %q", heard)
	}
}

// TestACallThatIsRepeatedWithoutItsAnswersSendsNothingAgain comes back with the state
// and without what was asked for: it is asked again, about the task that it began.
func TestACallThatIsRepeatedWithoutItsAnswersSendsNothingAgain(t *testing.T) {
	var heard atomic.Int32
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		heard.Add(1)
		turn.Ask("Which size?")
		return nil
	})
	send := asking(t, newRig(t, "", map[string]peer{"one": agent}))
	first := send(`{"message":"order"}`, nil, "")
	for name, answers := range map[string]map[string]any{
		"no answers": nil, "none in the object": {}, "one to something else": {"size": map[string]any{"action": "accept"}},
	} {
		again := send(`{"message":"order"}`, answers, first.RequestState)
		if again.ResultType != "input_required" || !maps.Equal(again.InputRequests, first.InputRequests) {
			t.Errorf("%s: got %+v, want the same question again", name, again)
		}
	}
	if n := heard.Load(); n != 1 {
		t.Errorf("the agent heard %d messages, want 1", n)
	}
}

// An answer names a task of another user: the call is then an ordinary one with its own
// task.
func TestAnotherUsersQuestionIsNotAnswered(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		if turn.Message.Text() == "stolen" {
			t.Error("the agent heard the answer of a stranger")
		}
		turn.Ask("more?")
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	bobs := r.callAs("bob", "send_task", `{"message":"go"}`, func(string) {})
	entry, err := r.Runner.Ledger.Task(t.Context(), "bob", bobs.TaskID)
	if err != nil {
		t.Fatal(err)
	}
	got := asking(t, r)(`{"message":"mine"}`, map[string]any{
		bobs.TaskID + "/" + entry.MessageID: map[string]any{"action": "accept", "content": map[string]string{"answer": "stolen"}},
	}, "")
	if got.ResultType != "input_required" {
		t.Errorf("got %+v, want the question of alice's own task", got)
	}
	for key := range got.InputRequests {
		if strings.HasPrefix(key, bobs.TaskID) {
			t.Error("alice was asked bob's question")
		}
	}
}

// givesUp is an agent that stops waiting for an answer: a message to a task is refused,
// and the task is then as it says.
type givesUp struct {
	a2a.Agent
	now a2a.State
}

func (g givesUp) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	if r.Message.TaskID != "" {
		return yield(&a2a.Error{Code: a2a.UnsupportedOperation, Message: "Not now", Remote: true})
	}
	return g.Agent.Stream(ctx, r)
}

func (g givesUp) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	t, err := g.Agent.Task(ctx, q)
	if err == nil && t.Status.State != g.now {
		told := *t
		told.Status = a2a.Status{State: g.now, Message: &a2a.Message{ID: "end", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("Too late.")}}}
		t = &told
	}
	return t, err
}

// The agent has given up the question that is answered: the user gets the state of the
// task, not the same question forever. If the agent still waits, the user learns why it
// did not take the answer.
func TestAnAnswerThatTheAgentRefusesIsNotAskedForAgain(t *testing.T) {
	for state, want := range map[a2a.State]string{
		a2a.Failed: "Too late.", a2a.Completed: "Too late.", a2a.InputRequired: "Not now",
	} {
		agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
			turn.Ask("Which size?")
			return nil
		})
		agent.Agent = givesUp{agent.Agent, state}
		r := newRig(t, "", map[string]peer{"one": agent})
		send := asking(t, r)
		got := send(`{"message":"order"}`, nil, "")
		answers, handle := map[string]any{}, ""
		for key := range got.InputRequests {
			handle, _, _ = strings.Cut(key, "/")
			answers[key] = map[string]any{"action": "accept", "content": map[string]string{"answer": "large"}}
		}
		got = send(`{"message":"order"}`, answers, got.RequestState)
		if got.ResultType != "complete" || !strings.Contains(fmt.Sprint(got.Content), want) || !strings.Contains(fmt.Sprint(got.Content), handle) {
			t.Errorf("%s: got %+v, want %q and the handle %s", state, got, want, handle)
		}
		if e, err := r.Runner.Ledger.Task(t.Context(), "alice", handle); err != nil || e.State() != state || !e.Idle {
			t.Errorf("%s: the ledger has %+v, %v", state, e, err)
		}
	}
}

// An app of the older era shows a question while its task is answered on the page: the
// app gets the result, and the question is withdrawn.
func TestAQuestionIsTakenBackWhenItIsAnsweredElsewhere(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		if turn.Message.Text() == "order" {
			turn.Ask("Which size?")
			return nil
		}
		turn.Complete("Ordered " + turn.Message.Text())
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	post := session(t, r)
	lines := bufio.NewScanner(post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_task","arguments":{"message":"order"}}}`).Body)
	await := func(words string) string {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				return lines.Text()
			}
		}
		t.Fatalf("the stream ended without %q", words)
		return ""
	}
	await("elicitation/create")
	page, err := r.Runner.Lists.Summaries(t.Context(), "alice", ledger.Filter{Limit: 1})
	if err != nil || len(page) != 1 {
		t.Fatalf("got %v, %v", page, err)
	}
	ctx := as(t.Context(), "alice")
	task, err := r.Documents.TaskView(ctx, r.Directory.Access(ctx), page[0].TaskID)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Documents.AnswerTask(ctx, r.Directory.Access(ctx), task.Record.Handle, runner.Reply{Pause: task.Pause, Once: "x", Content: json.RawMessage(`{"answer":"large"}`)}); err != nil {
		t.Fatal(err)
	}
	await("notifications/cancelled")
	if got := await(`"id":2`); !strings.Contains(got, "Ordered large") {
		t.Errorf("got %s", got)
	}
}

// TestWhatIsNoFormIsSaidInTheQuestion is the same in an app.
func TestWhatIsNoFormIsSaidInTheQuestion(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	send := asking(t, newRig(t, "", map[string]peer{"one": {Agent: agent, card: agent.Card()}}))
	got := send(`{"message":"form {\"type\":\"object\",\"properties\":{\"people\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}}"}`, nil, "")
	for _, q := range got.InputRequests {
		if !strings.Contains(q.Params.Message, `"people"`) {
			t.Errorf("asked %q, want what the agent wants to know in it", q.Params.Message)
		}
	}
	if len(got.InputRequests) != 1 {
		t.Errorf("got %+v", got)
	}
}
