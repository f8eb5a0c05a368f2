package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aserver"
)

// dial serves the agent and calls it, alone or through a server around a client,
// as the bridge stands before an agent.
func dial(t *testing.T, behind bool) a2a.Agent {
	t.Helper()
	k := newKit()
	t.Cleanup(func() { k.Close() })
	c := connect(t, k)
	if behind {
		c = connect(t, c)
	}
	return c
}

func connect(t *testing.T, agent a2a.Agent) *a2aclient.Client {
	t.Helper()
	s := &a2aserver.Server{Agent: agent, Card: card()}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	s.URL = web.URL
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(t.Context(), web.URL)
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
		t.Run(name, func(t *testing.T) {
			a := dial(t, behind)
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
		})
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
	if err := serve(ctx, "127.0.0.1:0", ""); err != nil {
		t.Error(err)
	}
}
