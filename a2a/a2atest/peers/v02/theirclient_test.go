package v02

import (
	"context"
	"strings"
	"testing"
	"time"

	"trpc.group/trpc-go/trpc-a2a-go/client"
	theirs "trpc.group/trpc-go/trpc-a2a-go/protocol"

	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
)

// theirClient is trpc-a2a-go's client of our scripted agent.
func theirClient(t *testing.T) (*client.A2AClient, *a2atest.Agent) {
	t.Helper()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	c, err := client.NewA2AClient(a2atest.Serve(t, agent, agent.Card()))
	if err != nil {
		t.Fatal(err)
	}
	return c, agent
}

func deadline(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	return ctx
}

func ask(text string) theirs.SendMessageParams {
	return theirs.SendMessageParams{RPCID: "1", Message: theirs.NewMessage(theirs.MessageRoleUser, []theirs.Part{theirs.NewTextPart(text)})}
}

func send(t *testing.T, c *client.A2AClient, text string, task *theirs.Task) *theirs.Task {
	t.Helper()
	req := ask(text)
	if task != nil {
		req.Message.TaskID, req.Message.ContextID = &task.ID, &task.ContextID
	}
	r, err := c.SendMessage(deadline(t), req)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := r.Result.(*theirs.Task)
	if !ok {
		t.Fatalf("got %T, want a task", r.Result)
	}
	return got
}

func TestTheirClientSendsGetsAndAnswers(t *testing.T) {
	table.Tries(t, clientRow, interop.Send, interop.Get, interop.MultiTurn)
	c, _ := theirClient(t)
	got := send(t, c, "echo hello", nil)
	if got.Status.State != theirs.TaskStateCompleted || textOf(got.Artifacts[0].Parts) != "hello" {
		t.Fatalf("send: got %+v", got)
	}
	kept, err := c.GetTasks(deadline(t), theirs.TaskQueryParams{ID: got.ID, RPCID: "2"})
	if err != nil || kept.Status.State != theirs.TaskStateCompleted {
		t.Errorf("get: got %+v, %v", kept, err)
	}
	asked := send(t, c, "ask which?", nil)
	if asked.Status.State != theirs.TaskStateInputRequired || textOf(asked.Status.Message.Parts) != "which?" {
		t.Fatalf("question: got %+v", asked)
	}
	if got := send(t, c, "echo this", asked); got.ID != asked.ID || got.Status.State != theirs.TaskStateCompleted {
		t.Errorf("answer: got %+v", got)
	}
}

func TestTheirClientGetsAMessage(t *testing.T) {
	table.Tries(t, clientRow, interop.Send)
	c, _ := theirClient(t)
	r, err := c.SendMessage(deadline(t), ask("say hello"))
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := r.Result.(*theirs.Message); !ok || textOf(m.Parts) != "hello" {
		t.Errorf("got %+v", r.Result)
	}
}

func TestTheirClientStreamsFollowsAndCancels(t *testing.T) {
	table.Tries(t, clientRow, interop.Stream, interop.Cancel, interop.Resubscribe, interop.Error)
	c, agent := theirClient(t)
	events, err := c.StreamMessage(deadline(t), ask("chunks"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for e := range events {
		switch e := e.Result.(type) {
		case *theirs.Task:
			told = append(told, string(e.Status.State))
		case *theirs.TaskStatusUpdateEvent:
			told = append(told, string(e.Status.State))
		case *theirs.TaskArtifactUpdateEvent:
			told = append(told, textOf(e.Artifact.Parts))
		}
	}
	if got, want := strings.Join(told, ", "), "submitted, chunk 1, chunk 2, chunk 3, completed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	begin := func(text string) *theirs.Task {
		if events, err = c.StreamMessage(deadline(t), ask(text)); err != nil {
			t.Fatal(err)
		}
		first, ok := (<-events).Result.(*theirs.Task)
		if !ok {
			t.Fatal("the stream does not begin with a task")
		}
		return first
	}
	waiting := begin("wait over")
	again, err := c.ResubscribeTask(deadline(t), theirs.TaskIDParams{ID: waiting.ID, RPCID: "2"})
	if err != nil {
		t.Fatal(err)
	}
	var last theirs.TaskState
	for e := range again { // the first is the task as it stands
		agent.Release()
		if u, ok := e.Result.(*theirs.TaskStatusUpdateEvent); ok {
			last = u.Status.State
		}
	}
	if last != theirs.TaskStateCompleted {
		t.Errorf("resubscribe: got %q last", last)
	}
	hanging := begin("hang")
	if got, err := c.CancelTasks(deadline(t), theirs.TaskIDParams{ID: hanging.ID, RPCID: "3"}); err != nil || got.Status.State != theirs.TaskStateCanceled {
		t.Errorf("got %+v, %v", got, err)
	}
	for range events { // its end
	}
	if _, err := c.CancelTasks(deadline(t), theirs.TaskIDParams{ID: hanging.ID, RPCID: "4"}); err == nil || !strings.Contains(err.Error(), "-32002") {
		t.Errorf("got %v, want the number of a task that cannot be canceled", err)
	}
	if _, err := c.GetTasks(deadline(t), theirs.TaskQueryParams{ID: "none", RPCID: "5"}); err == nil || !strings.Contains(err.Error(), "-32001") {
		t.Errorf("got %v, want the number of a task that is not there", err)
	}
}
