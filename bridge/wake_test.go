package bridge_test

import (
	"context"
	"iter"
	"testing"

	"rialto/a2a"
)

// mute is an agent whose stream says nothing after the beginning. Its task is
// shown as it stands.
type mute struct {
	*scripted
	now chan *a2a.Task
}

func (m *mute) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) { return <-m.now, nil }

func newMute(state a2a.State) (*mute, peer) {
	m := &mute{now: make(chan *a2a.Task, 1), scripted: &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(more func(a2a.Event, error) bool) {
			if more(&a2a.Task{ID: "t", Status: a2a.Status{State: state}}, nil) {
				<-ctx.Done()
				more(nil, ctx.Err())
			}
		}
	}}}
	return m, peer{m, &a2a.Card{Name: "Mute", Capabilities: a2a.Capabilities{Streaming: true, PushNotifications: true}}}
}

func hooked(r *rig) { r.Runner.Inbox = inbox{} }

type inbox struct{}

// Config implements runner.Inbox.
func (inbox) Config(agent, handle string) *a2a.PushConfig {
	return &a2a.PushConfig{ID: handle, URL: "https://rialto.test/hooks/" + agent + "/" + handle}
}

// A wakeup for a task with an open, silent stream: the state that the agent shows then
// counts.
func TestAWakeupEndsAWait(t *testing.T) {
	m, p := newMute(a2a.Working)
	r := newRig(t, "", map[string]peer{"agent": p})
	hooked(r)
	task := r.call("send_task", `{"message":"work","wait":0}`)
	task.want(t, a2a.Working, false)
	if got := m.got[0].Push; got == nil || got.URL != "https://rialto.test/hooks/agent/"+task.TaskID {
		t.Fatalf("the agent was given %+v", got)
	}
	done := make(chan *answer)
	go func() { done <- r.call("get_task", `{"task_id":"`+task.TaskID+`"}`) }()
	m.now <- &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}} // a wakeup without a change
	r.Runner.Wake(task.TaskID)
	m.now <- &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}
	r.Runner.Wake(task.TaskID)
	(<-done).want(t, a2a.Completed, false)
}

// TestAnAgentThatWantsNoWebhookGetsTheMessageWithout holds that a card which
// promises too much does not cost the message, and that it is sent once.
func TestAnAgentThatWantsNoWebhookGetsTheMessageWithout(t *testing.T) {
	s := &scripted{}
	s.answer = func(_ context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		if req.Push != nil {
			return yield(&a2a.Error{Code: a2a.PushNotSupported, Message: "no", Remote: true})
		}
		return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}})
	}
	r := newRig(t, "", map[string]peer{"agent": {s, &a2a.Card{Capabilities: a2a.Capabilities{Streaming: true, PushNotifications: true}}}})
	hooked(r)
	r.call("send_task", `{"message":"work"}`).want(t, a2a.Completed, false)
	if s.sent() != 2 {
		t.Errorf("the agent was asked %d times, want twice", s.sent())
	}
}
