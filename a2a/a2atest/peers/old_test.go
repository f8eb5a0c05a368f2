package peers

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	old "github.com/a2aproject/a2a-go/a2a"
	oldclient "github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
)

// oldClient is the client of a2a-go 0.3.15, which knows nothing of 1.0.
func oldClient(t *testing.T, url string) *oldclient.Client {
	t.Helper()
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), url)
	if err != nil {
		t.Fatalf("resolving our card: %v", err)
	}
	c, err := oldclient.NewFromCard(t.Context(), card, oldclient.WithGRPCTransport(plain))
	if err != nil {
		t.Fatalf("dialling by our card: %v", err)
	}
	t.Cleanup(func() { c.Destroy() })
	return c
}

func oldAsk(text string) *old.MessageSendParams {
	wait := true // in gRPC what is not said is false
	return &old.MessageSendParams{Message: old.NewMessage(old.MessageRoleUser, old.TextPart{Text: text}), Config: &old.MessageSendConfig{Blocking: &wait}}
}

func TestTheOldClientOfA2AGo(t *testing.T) {
	table.Tries(t, oldClientRow, interop.Send, interop.Stream, interop.Get, interop.Error)
	agent := scripted(t)
	testOldClient(t, oldClient(t, a2atest.Serve(t, agent, agent.Card())))
}

func testOldClient(t *testing.T, c *oldclient.Client) {
	t.Helper()
	ctx := deadline(t)
	r, err := c.SendMessage(ctx, oldAsk("echo hello"))
	got, ok := r.(*old.Task)
	if err != nil || !ok || got.Status.State != old.TaskStateCompleted || got.Artifacts[0].Parts[0].(old.TextPart).Text != "hello" {
		t.Fatalf("send: got %+v, %v", r, err)
	}
	if kept, err := c.GetTask(ctx, &old.TaskQueryParams{ID: got.ID}); err != nil || kept.ID != got.ID {
		t.Errorf("get: got %+v, %v", kept, err)
	}
	if _, err := c.CancelTask(ctx, &old.TaskIDParams{ID: got.ID}); !errors.Is(err, old.ErrTaskNotCancelable) {
		t.Errorf("cancel: got %v", err)
	}
	if _, err := c.GetTask(ctx, &old.TaskQueryParams{ID: "none"}); !errors.Is(err, old.ErrTaskNotFound) {
		t.Errorf("get: got %v", err)
	}
	for _, err := range c.ResubscribeToTask(ctx, &old.TaskIDParams{ID: got.ID}) {
		if !errors.Is(err, old.ErrUnsupportedOperation) {
			t.Errorf("resubscribe: got %v", err)
		}
	}
	var text string
	var last old.TaskState
	for e, err := range c.SendStreamingMessage(ctx, oldAsk("chunks")) {
		if err != nil {
			t.Fatalf("stream: %v", err)
		}
		switch e := e.(type) {
		case *old.TaskArtifactUpdateEvent:
			text += e.Artifact.Parts[0].(old.TextPart).Text
		case *old.TaskStatusUpdateEvent:
			last = e.Status.State
		}
	}
	if text != "chunk 1chunk 2chunk 3" || last != old.TaskStateCompleted {
		t.Errorf("stream: got %q, and then %s", text, last)
	}
}

func TestTheOldClientOfA2AGoAnswersCancelsAndFollows(t *testing.T) {
	table.Tries(t, oldClientRow, interop.MultiTurn, interop.Cancel, interop.Resubscribe)
	agent := scripted(t)
	c := oldClient(t, a2atest.Serve(t, agent, agent.Card()))
	ctx := deadline(t)
	say := func(req *old.MessageSendParams) *old.Task {
		r, err := c.SendMessage(ctx, req)
		got, ok := r.(*old.Task)
		if err != nil || !ok {
			t.Fatalf("got %T, %v, want a task", r, err)
		}
		return got
	}
	begin := func(text string) (id old.TaskID) {
		for e, err := range c.SendStreamingMessage(ctx, oldAsk(text)) {
			if err != nil {
				t.Fatal(err)
			}
			return e.(*old.Task).ID
		}
		return ""
	}
	asked, answer := say(oldAsk("ask which?")), oldAsk("echo this")
	answer.Message.TaskID, answer.Message.ContextID = asked.ID, asked.ContextID
	if got := say(answer); got.ID != asked.ID || got.Status.State != old.TaskStateCompleted {
		t.Errorf("multi-turn: got %+v", got)
	}
	if got, err := c.CancelTask(ctx, &old.TaskIDParams{ID: begin("hang")}); err != nil || got.Status.State != old.TaskStateCanceled {
		t.Errorf("cancel: got %+v, %v", got, err)
	}
	var last old.Event
	for e, err := range c.ResubscribeToTask(ctx, &old.TaskIDParams{ID: begin("wait over")}) {
		if err != nil {
			t.Fatalf("resubscribe: %v", err)
		}
		agent.Release()
		last = e
	}
	if u, ok := last.(*old.TaskStatusUpdateEvent); !ok || u.Status.State != old.TaskStateCompleted {
		t.Errorf("resubscribe: got %+v last", last)
	}
}

// oldExecutor is an agent in the manner of a2a-go 0.3.15.
type oldExecutor struct{}

func (oldExecutor) Execute(ctx context.Context, x *a2asrv.RequestContext, q eventqueue.Queue) error {
	verb, words, _ := strings.Cut(x.Message.Parts[0].(old.TextPart).Text, " ")
	said := old.NewMessage(old.MessageRoleAgent, old.TextPart{Text: words})
	switch verb {
	case "say":
		return q.Write(ctx, said)
	case "ask":
		u := old.NewStatusUpdateEvent(x, old.TaskStateInputRequired, said)
		u.Final = true
		return q.Write(ctx, u)
	}
	done := old.NewStatusUpdateEvent(x, old.TaskStateCompleted, nil)
	done.Final = true
	for _, e := range []old.Event{old.NewStatusUpdateEvent(x, old.TaskStateWorking, said), old.NewArtifactEvent(x, old.TextPart{Text: words}), done} {
		if err := q.Write(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (oldExecutor) Cancel(ctx context.Context, x *a2asrv.RequestContext, q eventqueue.Queue) error {
	return q.Write(ctx, old.NewStatusUpdateEvent(x, old.TaskStateCanceled, nil))
}

// oldServer is a2a-go 0.3.15's; its errors have objects as data, and its JSON
// says that it is text.
func oldServer(t *testing.T) *a2aclient.Client {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(oldExecutor{})))
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(&old.AgentCard{Name: "old", URL: web.URL + "/rpc",
		PreferredTransport: old.TransportProtocolJSONRPC, Capabilities: old.AgentCapabilities{Streaming: true}}))
	c, err := (&a2aclient.Dialer{Pause: 10 * time.Millisecond}).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheOldServerOfA2AGo(t *testing.T) {
	table.Tries(t, oldServerRow, interop.Send, interop.Get, interop.Stream, interop.MultiTurn, interop.Error)
	table.Without(oldServerRow, "Not tried: the agent that this server runs in the tests has no task that stays at work.", interop.Cancel, interop.Resubscribe)
	testOldServer(t, oldServer(t))
}

func testOldServer(t *testing.T, c *a2aclient.Client) {
	t.Helper()
	task := sendTask(t, c, a2atest.Say("echo hello"))
	if task.Status.State != a2a.Completed || task.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v", task)
	}
	e, err := c.Send(deadline(t), a2atest.Say("say hello"))
	if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() != "hello" {
		t.Errorf("got %+v, %v, want a message", e, err)
	}
	asked, answer := sendTask(t, c, a2atest.Say("ask which?")), a2atest.Say("echo this")
	answer.Message.TaskID, answer.Message.ContextID = asked.ID, asked.ContextID
	if got := sendTask(t, c, answer); asked.Status.State != a2a.InputRequired || got.ID != asked.ID || got.Status.State != a2a.Completed {
		t.Errorf("got %+v, and then %+v", asked, got)
	}
	var streamed *a2a.Task
	for e, err := range c.Stream(deadline(t), a2atest.Say("echo hello")) {
		if err != nil {
			t.Fatal(err)
		}
		if streamed == nil {
			streamed = e.(*a2a.Task).Clone()
		} else {
			streamed.Apply(e)
		}
	}
	if streamed.Status.State != a2a.Completed || streamed.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v", streamed)
	}
	if again, err := c.Task(deadline(t), a2a.TaskQuery{ID: task.ID}); err != nil || again.Status.State != a2a.Completed {
		t.Errorf("got %+v, %v", again, err)
	}
	_, err = c.Task(deadline(t), a2a.TaskQuery{ID: "none"})
	wantCode(t, err, a2a.TaskNotFound)
	_, err = c.Cancel(deadline(t), task.ID)
	wantCode(t, err, a2a.TaskNotCancelable)
	if got := c.Interface().Version; got != a2a.V03 {
		t.Errorf("ended up speaking %s, want 0.3", got)
	}
}
