package bridge_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/tools"
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

// TestTheDoorsTellAlikeWhatCannotBeCanceled: an MCP task that its agent had not confirmed was left
// running, and its client was not told.
func TestTheDoorsTellAlikeWhatCannotBeCanceled(t *testing.T) {
	silent := &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(func(a2a.Event, error) bool) { <-ctx.Done() }
	}}
	r := newRig(t, "", map[string]peer{"silent": {silent, &a2a.Card{Name: "Silent"}}, "agent": {newCancelable(), &a2a.Card{Name: "Agent"}}})
	ctx := as(t.Context(), "alice")
	access := r.Directory.Access(ctx)
	for agent, want := range map[string]struct {
		why                    string
		tool, task, page, face bool // refused
	}{
		"silent": {"has not confirmed", true, true, true, true},
		"agent":  {"has ended (canceled)", false, false, false, true}, // the others are idempotent
	} {
		id := r.call("send_task", `{"message":"work","agent":"`+agent+`","wait":0}`).TaskID
		if agent == "agent" {
			r.call("cancel_task", `{"task_id":"`+id+`"}`).want(t, a2a.Canceled, false)
		}
		_, face := r.Proxy.Agent(agent).Cancel(ctx, a2a.TaskID(id))
		if !a2a.Is(face, a2a.TaskNotCancelable) {
			t.Errorf("%s: A2A got %v, want TASK_NOT_CANCELABLE", agent, face)
		}
		for door, got := range map[string]struct {
			err     error
			refused bool
		}{
			"A2A":      {face, want.face},
			"MCP task": {tools.Tasks{Tools: r.Tools}.CancelTask(ctx, "alice", id), want.task},
			"page":     {r.Documents.CancelTask(ctx, access, id), want.page},
		} {
			said := got.err != nil && strings.Contains(got.err.Error(), want.why)
			if said != got.refused || said != (got.err != nil) {
				t.Errorf("%s: %s got %v", agent, door, got.err)
			}
		}
		tool := r.call("cancel_task", `{"task_id":"`+id+`"}`)
		if want.tool {
			tool.refused(t, want.why)
			continue
		}
		tool.want(t, a2a.Canceled, false)
	}
}
