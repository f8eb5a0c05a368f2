package v02

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

func (processor) ProcessMessage(_ context.Context, m theirs.Message, o taskmanager.ProcessOptions, h taskmanager.TaskHandler) (*taskmanager.MessageProcessingResult, error) {
	verb, words, _ := strings.Cut(textOf(m.Parts), " ")
	said := theirs.NewMessage(theirs.MessageRoleAgent, []theirs.Part{theirs.NewTextPart(words)})
	if verb == "say" && !o.Streaming {
		return &taskmanager.MessageProcessingResult{Result: &said}, nil
	}
	id, err := h.BuildTask(m.TaskID, m.ContextID)
	if err != nil {
		return nil, err
	}
	if !o.Streaming {
		if err := work(h, id, verb, &said); err != nil {
			return nil, err
		}
		task, err := h.GetTask(&id)
		if err != nil {
			return nil, err
		}
		return &taskmanager.MessageProcessingResult{Result: task.Task()}, nil
	}
	events, err := h.SubscribeTask(&id)
	if err != nil {
		return nil, err
	}
	go func() {
		defer events.Close()
		_ = work(h, id, verb, &said) // nobody is left to tell
	}()
	return &taskmanager.MessageProcessingResult{StreamingEvents: events}, nil
}

func work(h taskmanager.TaskHandler, id, verb string, said *theirs.Message) error {
	switch verb {
	case "ask":
		return h.UpdateTaskState(&id, theirs.TaskStateInputRequired, said)
	case "hang":
		return h.UpdateTaskState(&id, theirs.TaskStateWorking, said)
	}
	if err := h.UpdateTaskState(&id, theirs.TaskStateWorking, said); err != nil {
		return err
	}
	if err := h.AddArtifact(&id, theirs.Artifact{ArtifactID: "a", Parts: said.Parts}, true, false); err != nil {
		return err
	}
	return h.UpdateTaskState(&id, theirs.TaskStateCompleted, nil)
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
	yes := true
	card := server.AgentCard{Name: "theirs", URL: url, Version: "1", Capabilities: server.AgentCapabilities{Streaming: &yes}}
	s, err := server.NewA2AServer(card, tasks)
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = s.Handler()
	web.Start()
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	c, err := (&a2aclient.Dialer{Pause: 10 * time.Millisecond}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if got := c.Interface().Version; got != a2a.V02 {
			t.Errorf("ended up speaking %s, want 0.2", got)
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
	e, err := c.Send(deadline(t), a2atest.Say("say hello"))
	if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() != "hello" {
		t.Errorf("got %+v, %v, want a message", e, err)
	}
	asked := sendTask(t, c, a2atest.Say("ask which?"))
	if asked.Status.State != a2a.InputRequired || asked.Status.Message.Text() != "which?" {
		t.Fatalf("got %+v", asked)
	}
}

func TestWeStreamFromTheirServer(t *testing.T) {
	c := theirServer(t)
	var task *a2a.Task
	for e, err := range c.Stream(deadline(t), a2atest.Say("echo hello")) {
		if err != nil {
			t.Fatal(err)
		}
		if task == nil {
			task = e.(*a2a.Task).Clone()
		} else {
			task.Apply(e)
		}
	}
	if task.Status.State != a2a.Completed || len(task.Artifacts) != 1 || task.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v", task)
	}
}

func TestWeCancelTheirTask(t *testing.T) {
	c := theirServer(t)
	req := a2atest.Say("hang")
	req.ReturnImmediately = true
	task := sendTask(t, c, req)
	if got, err := c.Cancel(deadline(t), task.ID); err != nil || got.Status.State != a2a.Canceled {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := c.Task(deadline(t), a2a.TaskQuery{ID: "none"})
	if !a2a.Is(err, a2a.TaskNotFound) {
		t.Errorf("got %v, want that it is not found", err)
	}
}
