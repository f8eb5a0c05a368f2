package bridgebench

import (
	"context"
	"iter"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
)

// agent is an A2A agent that echoes at once; a message that begins
// with "wait" it keeps until it is released.
type agent struct {
	*httptest.Server

	waiting  atomic.Int64
	mu       sync.Mutex
	released chan struct{}
}

func newAgent(streaming bool) *agent {
	a := &agent{released: make(chan struct{})}
	face := &a2aserver.Server{Agent: echo{a}, Card: &a2a.Card{
		Name: "Echo", Description: "Echoes the message.", Version: "1", Capabilities: a2a.Capabilities{Streaming: streaming},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.Skill{{ID: "echo", Name: "Echo", Description: "Echoes", Tags: []string{"echo"}}},
	}}
	a.Server = httptest.NewServer(face)
	face.URL = a.URL
	return a
}

// release answers the waiting messages.
func (a *agent) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.released)
	a.released = make(chan struct{})
}

func (a *agent) hold(ctx context.Context) {
	a.mu.Lock()
	released := a.released
	a.mu.Unlock()
	a.waiting.Add(1)
	defer a.waiting.Add(-1)
	select {
	case <-released:
	case <-ctx.Done():
	}
}

// echo is what an agent does.
type echo struct{ *agent }

func (e echo) Send(ctx context.Context, r *a2a.SendRequest) (a2a.Event, error) {
	if strings.HasPrefix(r.Message.Text(), "wait") {
		e.hold(ctx)
	}
	return &a2a.Task{
		ID: a2a.TaskID(uuid.NewString()), ContextID: uuid.NewString(), Status: a2a.Status{State: a2a.Completed},
		Artifacts: []a2a.Artifact{{ID: "echo", Parts: r.Message.Parts}},
	}, nil
}

func (e echo) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(e.Send(ctx, r)) }
}

func (echo) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) { return nil, gone() }

func (echo) Cancel(context.Context, a2a.TaskID) (*a2a.Task, error) { return nil, gone() }

func (echo) Subscribe(context.Context, a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, gone()) }
}

func gone() error { return a2a.Errorf(a2a.TaskNotFound, "an echo does not last") }
