package bridge_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"rialto/a2a"
)

// cancelable is an agent that stays silent after its first word, also once its task is canceled.
type cancelable struct {
	*scripted
	left chan struct{} // closed when the stream has been left
}

func newCancelable() *cancelable {
	c := &cancelable{left: make(chan struct{})}
	c.scripted = &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(yield func(a2a.Event, error) bool) {
			yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}}, nil)
			<-ctx.Done()
			close(c.left)
		}
	}}
	return c
}

func (c *cancelable) Cancel(context.Context, a2a.TaskID) (*a2a.Task, error) {
	return &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Canceled}}, nil
}

// TestTheStreamOfACanceledTaskIsLeft: it held a connection for as long as the agent was silent.
func TestTheStreamOfACanceledTaskIsLeft(t *testing.T) {
	agent := newCancelable()
	r := newRig(t, "", map[string]peer{"agent": {agent, &a2a.Card{Name: "Silent", Capabilities: a2a.Capabilities{Streaming: true}}}})
	id := r.call("send_task", `{"message":"work","wait":0}`).TaskID
	r.call("cancel_task", `{"task_id":"`+id+`"}`).want(t, a2a.Canceled, false)
	select {
	case <-agent.left:
	case <-time.After(10 * time.Second):
		t.Error("the stream is still read")
	}
}
