package server

import (
	"context"
	"iter"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
)

// curt is an agent that shows a task with the request alone in its history, as several agents do.
type curt struct{ *a2atest.Agent }

func (c curt) shown(e a2a.Event) a2a.Event {
	t, whole := e.(*a2a.Task)
	if !whole || len(t.History) < 2 {
		return e
	}
	short := *t
	short.History = t.History[:1]
	return &short
}

func (c curt) shownTask(t *a2a.Task, err error) (*a2a.Task, error) {
	if err != nil {
		return nil, err
	}
	return c.shown(t).(*a2a.Task), nil
}

// Stream answers each message with the whole task, once it is idle.
func (c curt) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		e, err := c.Send(ctx, req)
		if err == nil {
			e = c.shown(e)
		}
		yield(e, err)
	}
}

func (c curt) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return c.shownTask(c.Agent.Task(ctx, q))
}

func (c curt) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return c.shownTask(c.Agent.Cancel(ctx, id))
}

// TestWhatWasSaidStaysSaid has a conversation with an agent that shows only the request: each
// question and each answer was gone from the task after the next answer, and all after Cancel.
func TestWhatWasSaidStaysSaid(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	url := a2atest.Serve(t, curt{agent}, agent.Card(), a2a.V10)
	r := newRig(t, config.Agent{Name: "curt", URL: url})
	client := r.client(directory.AgentPath+"curt", r.full("alice"), a2a.V10, "")

	said := []string{"ask which size?", "ask which colour?", "ask which street?", "ask which day?"}
	var task *a2a.Task
	for _, text := range said {
		req := a2atest.Say(text)
		if task != nil {
			req.Message.TaskID = task.ID
		}
		e, err := client.Send(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		task = e.(*a2a.Task)
	}
	canceled, err := client.Cancel(t.Context(), task.ID)
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for i := range canceled.History {
		got = append(got, canceled.History[i].Text())
	}
	var want []string
	for _, text := range said {
		want = append(want, text, strings.TrimPrefix(text, "ask "))
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("after the cancellation got %q, want %q", got, want)
	}
}
