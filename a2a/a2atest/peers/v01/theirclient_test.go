package v01

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

func ask(id, text string) theirs.SendTaskParams {
	return theirs.SendTaskParams{ID: id, Message: theirs.NewMessage(theirs.MessageRoleUser, []theirs.Part{theirs.NewTextPart(text)})}
}

func TestTheirClientSendsGetsAndAnswers(t *testing.T) {
	table.Tries(t, clientRow, interop.Send, interop.Get, interop.MultiTurn)
	c, _ := theirClient(t)
	ctx := deadline(t)
	got, err := c.SendTasks(ctx, ask("t-1", "echo hello"))
	if err != nil || got.ID != "t-1" || got.Status.State != theirs.TaskStateCompleted || textOf(got.Artifacts[0].Parts) != "hello" {
		t.Fatalf("send: got %+v, %v", got, err)
	}
	history := 5
	got, err = c.GetTasks(ctx, theirs.TaskQueryParams{ID: "t-1", HistoryLength: &history})
	if err != nil || got.Status.State != theirs.TaskStateCompleted || len(got.History) == 0 {
		t.Errorf("get: got %+v, %v", got, err)
	}
	got, err = c.SendTasks(ctx, ask("t-2", "ask which?"))
	if err != nil || got.Status.State != theirs.TaskStateInputRequired || textOf(got.Status.Message.Parts) != "which?" {
		t.Fatalf("question: got %+v, %v", got, err)
	}
	got, err = c.SendTasks(ctx, ask("t-2", "echo this"))
	if err != nil || got.Status.State != theirs.TaskStateCompleted || textOf(got.Artifacts[0].Parts) != "this" {
		t.Errorf("answer: got %+v, %v", got, err)
	}
}

func TestTheirClientStreams(t *testing.T) {
	table.Tries(t, clientRow, interop.Stream)
	c, _ := theirClient(t)
	events, err := c.StreamTask(deadline(t), ask("t-1", "chunks"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for e := range events {
		switch e := e.(type) {
		case theirs.TaskStatusUpdateEvent:
			told = append(told, string(e.Status.State))
		case theirs.TaskArtifactUpdateEvent:
			told = append(told, textOf(e.Artifact.Parts))
		}
	}
	if got, want := strings.Join(told, ", "), "submitted, chunk 1, chunk 2, chunk 3, completed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheirClientCancels(t *testing.T) {
	table.Tries(t, clientRow, interop.Cancel, interop.Error)
	table.Without(clientRow, "Its client has no call for it.", interop.Resubscribe)
	c, _ := theirClient(t)
	ctx := deadline(t)
	events, err := c.StreamTask(ctx, ask("t-1", "hang"))
	if err != nil {
		t.Fatal(err)
	}
	<-events // it has begun
	if got, err := c.CancelTasks(ctx, theirs.TaskIDParams{ID: "t-1"}); err != nil || got.ID != "t-1" || got.Status.State != theirs.TaskStateCanceled {
		t.Errorf("got %+v, %v", got, err)
	}
	for range events { // its end
	}
	if _, err := c.CancelTasks(ctx, theirs.TaskIDParams{ID: "t-1"}); err == nil || !strings.Contains(err.Error(), "-32002") {
		t.Errorf("got %v, want the number of a task that cannot be canceled", err)
	}
	if _, err := c.GetTasks(ctx, theirs.TaskQueryParams{ID: "none"}); err == nil || !strings.Contains(err.Error(), "-32001") {
		t.Errorf("got %v, want the number of a task that is not there", err)
	}
}
