package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
)

// ways are the generations and bindings whose messages have ids: in 0.1 there
// are none, so nothing that the kit sends can be said in it.
var ways = []a2a.Interface{
	{Version: a2a.V10, Binding: a2a.JSONRPC}, {Version: a2a.V10, Binding: a2a.HTTPJSON}, {Version: a2a.V10, Binding: a2a.GRPC},
	{Version: a2a.V03, Binding: a2a.JSONRPC}, {Version: a2a.V03, Binding: a2a.HTTPJSON}, {Version: a2a.V03, Binding: a2a.GRPC},
	{Version: a2a.V02, Binding: a2a.JSONRPC},
}

// dial serves the agent and calls it in the way given, alone or through a server
// around a client, as the bridge stands before an agent.
func dial(t *testing.T, way a2a.Interface, behind bool) a2a.Agent {
	t.Helper()
	k := newKit()
	t.Cleanup(func() { k.Close() })
	if behind {
		return connect(t, connect(t, k, ways[0]), way)
	}
	return connect(t, k, way)
}

func connect(t *testing.T, agent a2a.Agent, way a2a.Interface) *a2aclient.Client {
	t.Helper()
	own := card()
	s := &a2aserver.Server{Agent: agent, Card: own}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	s.URL = web.URL
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stopped, err := serveGRPC(ctx, s, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); <-stopped })
	own.Interfaces = slices.DeleteFunc(s.Interfaces(), func(i a2a.Interface) bool { return i.Binding != way.Binding || i.Version != way.Version })
	over := &a2agrpc.Transport{}
	t.Cleanup(func() { over.Close() })
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond, GRPC: over, Protocol: way.Version, Binding: way.Binding}).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func message(id string) *a2a.SendRequest {
	return &a2a.SendRequest{Message: &a2a.Message{ID: id, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hello")}}}
}

func TestTheIDOfAMessageSaysWhatBecomesOfIt(t *testing.T) {
	for name, behind := range map[string]bool{"alone": false, "behind a translator": true} {
		for _, way := range ways {
			t.Run(name+" in "+string(way.Version)+" over "+string(way.Binding), func(t *testing.T) {
				tryKit(t, dial(t, way, behind))
			})
		}
	}
}

func tryKit(t *testing.T, a a2a.Agent) {
	t.Helper()
	for id, want := range map[string]struct {
		state     a2a.State
		artifacts int
	}{
		"tck-complete-task-1":         {a2a.Completed, 0},
		"tck-artifact-text-1":         {a2a.Completed, 1},
		"tck-artifact-file-1":         {a2a.Completed, 1},
		"tck-artifact-file-url-1":     {a2a.Completed, 1},
		"tck-artifact-data-1":         {a2a.Completed, 1},
		"tck-input-required-1":        {a2a.InputRequired, 0},
		"tck-reject-task-1":           {a2a.Rejected, 0},
		"tck-stream-001-1":            {a2a.Completed, 1},
		"tck-stream-002-1":            {a2a.Completed, 1},
		"tck-stream-003-1":            {a2a.Completed, 1},
		"tck-stream-ordering-001-1":   {a2a.Completed, 3},
		"tck-stream-artifact-text-1":  {a2a.Completed, 1},
		"tck-stream-artifact-file-1":  {a2a.Completed, 1},
		"tck-stream-artifact-chunked": {a2a.Completed, 1},
		"tck-auth-required-1":         {a2a.AuthRequired, 0},
		"anything else":               {a2a.InputRequired, 0},
	} {
		var task *a2a.Task
		for e, err := range a.Stream(t.Context(), message(id)) {
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			if task == nil {
				task = e.(*a2a.Task).Clone()
			} else {
				task.Apply(e)
			}
		}
		if task.Status.State != want.state || len(task.Artifacts) != want.artifacts {
			t.Errorf("%s: got %+v, want %s with %d artifacts", id, task, want.state, want.artifacts)
		}
	}
	e, err := a.Send(t.Context(), message("tck-message-response-1"))
	if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() == "" {
		t.Errorf("got %+v, %v, want a message", e, err)
	}
}

// TestATaskIsContinuedCanceledAndReported sends ids that the kit makes up. The agent completed
// their tasks at once, which left nothing to continue or cancel, and it took no webhooks.
func TestATaskIsContinuedCanceledAndReported(t *testing.T) {
	for _, way := range ways {
		t.Run(string(way.Version)+" over "+string(way.Binding), func(t *testing.T) {
			told := make(chan string, 10)
			hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer secret" {
					t.Errorf("the notification has the authorization %q", r.Header.Get("Authorization"))
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				told <- string(body)
			}))
			t.Cleanup(hook.Close)
			a := dial(t, way, false)
			task := send(t, a, hook.URL, &a2a.Message{ID: "test-continue-1"}, a2a.InputRequired)
			wantTold(t, told, task.ID, "input")
			again := send(t, a, "", &a2a.Message{ID: "test-continue-2", TaskID: task.ID}, a2a.Completed)
			wantTold(t, told, again.ID, "completed")
			task = send(t, a, hook.URL, &a2a.Message{ID: "test-cancel-1"}, a2a.InputRequired)
			wantTold(t, told, task.ID, "input")
			if task, err := a.Cancel(t.Context(), task.ID); err != nil || task.Status.State != a2a.Canceled {
				t.Errorf("cancel: got %+v, %v", task, err)
			}
			wantTold(t, told, task.ID, "cancel")
		})
	}
}

func send(t *testing.T, a a2a.Agent, hook string, m *a2a.Message, want a2a.State) *a2a.Task {
	t.Helper()
	m.Role, m.Parts = a2a.RoleUser, []a2a.Part{a2a.TextPart("hello")}
	req := &a2a.SendRequest{Message: m}
	if hook != "" {
		req.Push = &a2a.PushConfig{ID: "mine", URL: hook, Authentication: &a2a.PushAuthentication{Schemes: []string{"Bearer"}, Credentials: "secret"}}
	}
	e, err := a.Send(t.Context(), req)
	task, ok := e.(*a2a.Task)
	if err != nil || !ok || task.Status.State != want || m.TaskID != "" && task.ID != m.TaskID {
		t.Fatalf("%s: got %+v, %v, want %s", m.ID, e, err, want)
	}
	return task
}

func wantTold(t *testing.T, told <-chan string, task a2a.TaskID, state string) {
	t.Helper()
	select {
	case body := <-told:
		if !strings.Contains(body, string(task)) || !strings.Contains(strings.ToLower(body), state) {
			t.Errorf("got %s, want task %s as %s", body, task, state)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("no notification of task %s as %s", task, state)
	}
}

func TestTheAgentKeepsWebhooks(t *testing.T) {
	a := dial(t, ways[0], false)
	task := send(t, a, "", &a2a.Message{ID: "tck-complete-task-1"}, a2a.Completed)
	p := a.(a2a.Pusher)
	for _, id := range []string{"one", "two", "one"} {
		if c, err := p.SetPush(t.Context(), &a2a.PushConfig{TaskID: task.ID, ID: id, URL: "https://example.com/hook"}); err != nil || c.ID != id {
			t.Fatalf("set: got %+v, %v", c, err)
		}
	}
	if all, err := p.Pushes(t.Context(), task.ID); err != nil || len(all) != 2 || all[0].ID != "one" {
		t.Errorf("list: got %+v, %v", all, err)
	}
	for range 2 {
		if err := p.DropPush(t.Context(), task.ID, "one"); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
	if c, err := p.Push(t.Context(), task.ID, "one"); !a2a.Is(err, a2a.TaskNotFound) {
		t.Errorf("get: got %+v, %v", c, err)
	}
	if _, err := p.SetPush(t.Context(), &a2a.PushConfig{TaskID: "none", URL: "https://example.com/hook"}); !a2a.Is(err, a2a.TaskNotFound) {
		t.Errorf("set for no task: got %v", err)
	}
	if _, err := p.SetPush(t.Context(), &a2a.PushConfig{TaskID: task.ID, URL: "file:///etc/passwd"}); !a2a.Is(err, a2a.InvalidParams) {
		t.Errorf("set for a file: got %v", err)
	}
}

func TestThereIsTimeToComeBackToATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit()
		defer k.Close()
		req := message("test-resubscribe-message-id-1")
		req.ReturnImmediately = true
		e, err := k.Send(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		var last a2a.Event
		for e, err := range k.Subscribe(context.WithoutCancel(t.Context()), e.(*a2a.Task).ID) {
			if err != nil {
				t.Fatal(err)
			}
			last = e
		}
		if u, ok := last.(*a2a.StatusUpdate); !ok || u.Status.State != a2a.Completed {
			t.Errorf("got %+v last", last)
		}
	})
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := serve(ctx, "127.0.0.1:0", "", "127.0.0.1:0"); err != nil {
		t.Error(err)
	}
}
