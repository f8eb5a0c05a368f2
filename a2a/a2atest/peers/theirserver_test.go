package peers

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/a2a/a2atest/tour"
)

// theirServer serves their agent in way w and returns our client of it.
func theirServer(t *testing.T, w way) *a2aclient.Client {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	card := card10()
	iface := theirs.NewAgentInterface(web.URL+"/a2a", theirs.TransportProtocol(w.binding))
	handler := handler10(&tour.Gate{})
	if w.binding == a2a.GRPC {
		iface.URL = theirGRPC(t, w.generation, handler)
	}
	card.SupportedInterfaces = []*theirs.AgentInterface{iface}
	if w.generation == a2a.V03 {
		iface.ProtocolVersion = a2av0.Version
		mux.Handle("/a2a", a2av0.NewJSONRPCHandler(handler))
		mux.Handle("/a2a/", http.StripPrefix("/a2a", a2av0.NewRESTHandler(handler)))
		mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card)))
	} else {
		mux.Handle("/a2a", a2asrv.NewJSONRPCHandler(handler))
		mux.Handle("/a2a/", http.StripPrefix("/a2a", a2asrv.NewRESTHandler(handler)))
		mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	}
	c, err := dialer(t).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// eachServer runs test, which tries features, with our client of their server.
func eachServer(t *testing.T, test func(*testing.T, *a2aclient.Client), tried ...interop.Feature) {
	for _, w := range ways {
		t.Run(w.String(), func(t *testing.T) {
			table.Tries(t, w.theirServer(), tried...)
			c := theirServer(t, w)
			test(t, c)
			if got := c.Interface(); got.Version != w.generation || got.Binding != w.binding {
				t.Errorf("ended up speaking %s over %s, want %s", got.Version, got.Binding, w)
			}
		})
	}
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

func wantCode(t *testing.T, err error, want a2a.Code) {
	t.Helper()
	var e *a2a.Error
	if !errors.As(err, &e) || e.Code != want || !e.Remote {
		t.Errorf("got %#v, want the remote code %s", err, want)
	}
}

func TestWeSendToTheirServer(t *testing.T) {
	eachServer(t, func(t *testing.T, c *a2aclient.Client) {
		task := sendTask(t, c, a2atest.Say("echo hello there"))
		if task.Status.State != a2a.Completed || len(task.Artifacts) != 1 || task.Artifacts[0].Text() != "hello\nthere" {
			t.Errorf("got %+v", task)
		}
		e, err := c.Send(deadline(t), a2atest.Say("say hello"))
		if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() != "hello" {
			t.Errorf("got %+v, %v, want a message", e, err)
		}
	}, interop.Send)
}

func TestWeStreamFromTheirServer(t *testing.T) {
	eachServer(t, func(t *testing.T, c *a2aclient.Client) {
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
		if task.Status.State != a2a.Completed || task.Artifacts[0].Text() != "hello\nthere" {
			t.Errorf("got %+v", task)
		}
	}, interop.Stream)
}

func TestWeAnswerTheirQuestion(t *testing.T) {
	eachServer(t, func(t *testing.T, c *a2aclient.Client) {
		asked := sendTask(t, c, a2atest.Say("ask which?"))
		if asked.Status.State != a2a.InputRequired || asked.Status.Message.Text() != "which?" {
			t.Fatalf("got %+v", asked)
		}
		reply := a2atest.Say("echo this")
		reply.Message.TaskID, reply.Message.ContextID = asked.ID, asked.ContextID
		if task := sendTask(t, c, reply); task.ID != asked.ID || task.Status.State != a2a.Completed {
			t.Errorf("got %+v", task)
		}
	}, interop.MultiTurn)
}

func TestWeGetFollowAndCancelTheirTask(t *testing.T) {
	eachServer(t, getFollowAndCancel, interop.Get, interop.Resubscribe, interop.Cancel)
}

func getFollowAndCancel(t *testing.T, c *a2aclient.Client) {
	req := a2atest.Say("hang")
	req.ReturnImmediately = true
	task := sendTask(t, c, req)
	if got, err := c.Task(deadline(t), a2a.TaskQuery{ID: task.ID}); err != nil || got.Status.State.Idle() {
		t.Fatalf("got %+v, %v, want it at work", got, err)
	}
	canceled := make(chan error, 1)
	var last a2a.State
	for e, err := range c.Subscribe(deadline(t), task.ID) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *a2a.Task:
			if last == "" {
				go func() { _, err := c.Cancel(t.Context(), task.ID); canceled <- err }()
			}
			last = e.Status.State
		case *a2a.StatusUpdate:
			last = e.Status.State
		}
	}
	if err := <-canceled; err != nil || last != a2a.Canceled {
		t.Errorf("got %v, and the task %s", err, last)
	}
}

func TestWeUnderstandTheirErrors(t *testing.T) {
	eachServer(t, func(t *testing.T, c *a2aclient.Client) {
		ended := sendTask(t, c, a2atest.Say("echo x"))
		_, err := c.Task(deadline(t), a2a.TaskQuery{ID: "there-is-none"})
		wantCode(t, err, a2a.TaskNotFound)
		_, err = c.Cancel(deadline(t), ended.ID)
		wantCode(t, err, a2a.TaskNotCancelable)
		_, err = c.Send(deadline(t), a2atest.Say("refuse"))
		wantCode(t, err, a2a.ContentTypeNotSupported)
		for _, err = range c.Stream(deadline(t), a2atest.Say("refuse")) {
		}
		wantCode(t, err, a2a.ContentTypeNotSupported)
	}, interop.Error)
}
