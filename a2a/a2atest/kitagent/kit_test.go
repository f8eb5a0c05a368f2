package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
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
		"anything else":               {a2a.Completed, 0},
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
