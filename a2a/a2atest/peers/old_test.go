package peers

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	old "github.com/a2aproject/a2a-go/a2a"
	oldclient "github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/a2a/a2atest/tour"
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
	for row, binding := range map[interop.Row]a2a.Binding{oldClientRow: a2a.JSONRPC, oldClientRowGRPC: a2a.GRPC} {
		t.Run(row.Spoken, func(t *testing.T) {
			table.Tries(t, row, interop.MultiTurn, interop.Cancel, interop.Resubscribe)
			agent := scripted(t)
			testOldTurns(t, agent, oldClient(t, serveOver(t, agent, agent.Card(), way{binding, a2a.V03})))
		})
	}
}

func testOldTurns(t *testing.T, agent *a2atest.Agent, c *oldclient.Client) {
	t.Helper()
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

func oldServer(t *testing.T) *a2aclient.Client {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	url := "http://" + web.Listener.Addr().String()
	agent, err := Serve03(url, &tour.Gate{})
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = agent
	web.Start()
	t.Cleanup(web.Close)
	c, err := (&a2aclient.Dialer{Pause: 10 * time.Millisecond, IdleTimeout: time.Second}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheOldServerOfA2AGo(t *testing.T) {
	table.Tries(t, oldServerRow, interop.Send, interop.Get, interop.Stream, interop.MultiTurn, interop.Error)
	testOldServer(t, oldServer(t))
}

func TestWeFollowAndCancelATaskOfTheOldServer(t *testing.T) {
	for name, c := range map[string]struct {
		row  interop.Row
		dial func(*testing.T) *a2aclient.Client
	}{"JSON-RPC": {oldServerRow, oldServer}, "gRPC": {oldServerRowGRPC, oldGRPCServer}} {
		t.Run(name, func(t *testing.T) {
			table.Tries(t, c.row, interop.Cancel, interop.Resubscribe)
			getFollowAndCancel(t, c.dial(t))
		})
	}
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
