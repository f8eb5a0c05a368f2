package v01

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	theirs "trpc.group/trpc-go/trpc-a2a-go/protocol"
	"trpc.group/trpc-go/trpc-a2a-go/server"
	"trpc.group/trpc-go/trpc-a2a-go/taskmanager"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// processor is an agent in the manner of trpc-a2a-go: the first word of a
// message says what it does.
type processor struct{}

func (processor) Process(ctx context.Context, _ string, m theirs.Message, h taskmanager.TaskHandle) error {
	verb, words, _ := strings.Cut(textOf(m.Parts), " ")
	said := theirs.NewMessage(theirs.MessageRoleAgent, []theirs.Part{theirs.NewTextPart(words)})
	switch verb {
	case "ask":
		return h.UpdateStatus(theirs.TaskStateInputRequired, &said)
	case "hang":
		if err := h.UpdateStatus(theirs.TaskStateWorking, &said); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	if err := h.UpdateStatus(theirs.TaskStateWorking, &said); err != nil {
		return err
	}
	yes := true
	for i, word := range strings.Fields(words) {
		a := theirs.Artifact{Index: 0, Parts: []theirs.Part{theirs.NewTextPart(word)}, LastChunk: &yes}
		if i > 0 {
			a.Append = &yes
		}
		if err := h.AddArtifact(a); err != nil {
			return err
		}
	}
	return h.UpdateStatus(theirs.TaskStateCompleted, nil)
}

// theirServer serves processor as trpc-a2a-go does and returns our client of it.
func theirServer(t *testing.T) *a2aclient.Client {
	t.Helper()
	tasks, err := taskmanager.NewMemoryTaskManager(processor{})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(nil)
	url := "http://" + web.Listener.Addr().String() + "/"
	card := server.AgentCard{Name: "theirs", URL: url, Version: "1", Capabilities: server.AgentCapabilities{Streaming: true}}
	s, err := server.NewA2AServer(card, tasks)
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = s.Handler()
	web.Start()
	t.Cleanup(func() {
		web.CloseClientConnections() // it leaves streams open after their end
		web.Close()
	})
	c, err := (&a2aclient.Dialer{Pause: 10 * time.Millisecond}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if got := c.Interface().Version; got != a2a.V01 {
			t.Errorf("ended up speaking %s, want 0.1", got)
		}
	})
	return c
}

func sendTask(t *testing.T, c *a2aclient.Client, req *a2a.SendRequest) *a2a.Task {
	t.Helper()
	e, err := c.Send(deadline(t), req)
	task, ok := e.(*a2a.Task)
	if err != nil || !ok {
		t.Fatalf("got %T, %v, want a task", e, err)
	}
	return task
}

func TestWeSendToTheirServerAndAnswerItsQuestion(t *testing.T) {
	c := theirServer(t)
	task := sendTask(t, c, a2atest.Say("echo hello"))
	if task.Status.State != a2a.Completed || len(task.Artifacts) != 1 || task.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v", task)
	}
	asked := sendTask(t, c, a2atest.Say("ask which?"))
	if asked.Status.State != a2a.InputRequired || asked.Status.Message.Text() != "which?" {
		t.Fatalf("got %+v", asked)
	}
	reply := a2atest.Say("echo this")
	reply.Message.TaskID, reply.Message.ContextID = asked.ID, asked.ContextID
	if task := sendTask(t, c, reply); task.ID != asked.ID || task.Status.State != a2a.Completed {
		t.Errorf("got %+v", task)
	}
}

func TestWeStreamFromTheirServer(t *testing.T) {
	c := theirServer(t)
	var task *a2a.Task
	for e, err := range c.Stream(deadline(t), a2atest.Say("echo hello there")) {
		if err != nil {
			t.Fatal(err)
		}
		if task == nil {
			task = e.(*a2a.Task).Clone()
		} else {
			task.Apply(e)
		}
	}
	if task.Status.State != a2a.Completed || len(task.Artifacts) == 0 || task.Artifacts[0].Text() != "hello\nthere" {
		t.Errorf("got %+v", task)
	}
}

func TestWeFollowAndCancelTheirTask(t *testing.T) {
	c := theirServer(t)
	req := a2atest.Say("hang")
	req.ReturnImmediately = true
	task := sendTask(t, c, req)
	if task.Status.State.Settled() {
		t.Fatalf("got %+v, want it at work", task)
	}
	if got, err := c.Cancel(deadline(t), task.ID); err != nil || got.Status.State != a2a.Canceled {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := c.Task(deadline(t), a2a.TaskQuery{ID: "none"})
	if !a2a.Is(err, a2a.TaskNotFound) {
		t.Errorf("got %v, want that it is not found", err)
	}
}
