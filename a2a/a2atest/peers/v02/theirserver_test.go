package v02

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/a2a/a2atest/tour"
)

// theirServer serves their agent and returns our client of it, and what opens
// its gate.
func theirServer(t *testing.T) (*a2aclient.Client, func()) {
	t.Helper()
	gate := &tour.Gate{}
	t.Cleanup(gate.Open)
	web := httptest.NewUnstartedServer(nil)
	url := "http://" + web.Listener.Addr().String()
	agent, err := Serve(url, gate)
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = agent
	web.Start()
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	c, err := (&a2aclient.Dialer{Pause: 10 * time.Millisecond, IdleTimeout: 640 * time.Millisecond}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if got := c.Interface().Version; got != a2a.V02 {
			t.Errorf("ended up speaking %s, want 0.2", got)
		}
	})
	return c, gate.Open
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
	table.Tries(t, serverRow, interop.Send, interop.MultiTurn, interop.Get)
	c, _ := theirServer(t)
	task := sendTask(t, c, a2atest.Say("echo hello"))
	if task.Status.State != a2a.Completed || len(task.Artifacts) != 1 || task.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v", task)
	}
	if kept, err := c.Task(deadline(t), a2a.TaskQuery{ID: task.ID}); err != nil || kept.Status.State != a2a.Completed || kept.Artifacts[0].Text() != "hello" {
		t.Errorf("get: got %+v, %v", kept, err)
	}
	e, err := c.Send(deadline(t), a2atest.Say("say hello"))
	if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() != "hello" {
		t.Errorf("got %+v, %v, want a message", e, err)
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
	table.Tries(t, serverRow, interop.Stream)
	c, _ := theirServer(t)
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

func TestWeFollowTheirTask(t *testing.T) {
	table.Tries(t, serverRow, interop.Resubscribe)
	c, open := theirServer(t)
	begun := make(chan a2a.TaskID, 1)
	go func() {
		for e, err := range c.Stream(t.Context(), a2atest.Say("wait over")) {
			if task, ok := e.(*a2a.Task); ok && err == nil {
				begun <- task.ID
			}
		}
	}()
	var last a2a.State
	id := <-begun
	for e, err := range c.Subscribe(deadline(t), id) {
		if errors.Is(err, a2a.ErrStreamEnded) { // it may not tell a subscriber of the end
			e, err = c.Task(deadline(t), a2a.TaskQuery{ID: id})
		}
		if err != nil {
			t.Fatal(err)
		}
		open()
		switch e := e.(type) {
		case *a2a.Task:
			last = e.Status.State
		case *a2a.StatusUpdate:
			last = e.Status.State
		}
	}
	if last != a2a.Completed {
		t.Errorf("got %s last", last)
	}
}

func TestWeCancelTheirTask(t *testing.T) {
	table.Tries(t, serverRow, interop.Cancel, interop.Error)
	table.Without(serverRow, "Its server cancels a task that has ended, too, and then forgets it (taskmanager/memory.go, OnCancelTask).", interop.Error)
	c, _ := theirServer(t)
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

// TestWeSetWebhooksOfTheirServer has their server keep a webhook; it leaves it to
// its agent to tell it.
func TestWeSetWebhooksOfTheirServer(t *testing.T) {
	table.Tries(t, serverRow, interop.Push)
	c, _ := theirServer(t)
	asked := sendTask(t, c, a2atest.Say("ask which?"))
	kept, err := c.SetPush(deadline(t), &a2a.PushConfig{TaskID: asked.ID, URL: "https://hooks.example/", Token: "secret"})
	if err != nil || kept.TaskID != asked.ID || kept.Token != "secret" {
		t.Errorf("set: got %+v, %v", kept, err)
	}
	if kept, err = c.Push(deadline(t), asked.ID, ""); err != nil || kept.URL != "https://hooks.example/" {
		t.Errorf("get: got %+v, %v", kept, err)
	}
}
