package v02

import (
	"context"
	"strings"
	"testing"
	"time"

	"trpc.group/trpc-go/trpc-a2a-go/client"
	theirs "trpc.group/trpc-go/trpc-a2a-go/protocol"

	"rialto/a2a/a2atest"
)

// theirClient is trpc-a2a-go's client of our scripted agent.
func theirClient(t *testing.T) *client.A2AClient {
	t.Helper()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	c, err := client.NewA2AClient(a2atest.Serve(t, agent, agent.Card()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func deadline(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(stop)
	return ctx
}

func ask(text string) theirs.SendMessageParams {
	return theirs.SendMessageParams{RPCID: "1", Message: theirs.NewMessage(theirs.MessageRoleUser, []theirs.Part{theirs.NewTextPart(text)})}
}

func textOf(parts []theirs.Part) string {
	var texts []string
	for _, p := range parts {
		switch p := p.(type) {
		case theirs.TextPart:
			texts = append(texts, p.Text)
		case *theirs.TextPart:
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
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
	c := theirClient(t)
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
	r, err := theirClient(t).SendMessage(deadline(t), ask("say hello"))
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := r.Result.(*theirs.Message); !ok || textOf(m.Parts) != "hello" {
		t.Errorf("got %+v", r.Result)
	}
}

func TestTheirClientStreamsAndCancels(t *testing.T) {
	c := theirClient(t)
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
	events, err = c.StreamMessage(deadline(t), ask("hang"))
	if err != nil {
		t.Fatal(err)
	}
	first, ok := (<-events).Result.(*theirs.Task)
	if !ok {
		t.Fatal("the stream does not begin with a task")
	}
	if got, err := c.CancelTasks(deadline(t), theirs.TaskIDParams{ID: first.ID, RPCID: "3"}); err != nil || got.Status.State != theirs.TaskStateCanceled {
		t.Errorf("got %+v, %v", got, err)
	}
	for range events { // its end
	}
	if _, err := c.GetTasks(deadline(t), theirs.TaskQueryParams{ID: "none", RPCID: "4"}); err == nil || !strings.Contains(err.Error(), "-32001") {
		t.Errorf("got %v, want the number of a task that is not there", err)
	}
}
