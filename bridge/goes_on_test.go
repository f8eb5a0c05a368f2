package bridge_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"rialto/a2a"
)

// goingOn is an agent that waits on its stream until it is released, and then goes on by itself.
func goingOn(pause a2a.State) (agent peer, release func()) {
	released := make(chan struct{})
	s := &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(more func(a2a.Event, error) bool) {
			question := &a2a.Message{ID: "q", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("sign in")}}
			if !more(&a2a.Task{ID: "t", Status: a2a.Status{State: pause, Message: question}}, nil) {
				return
			}
			select {
			case <-released:
			case <-ctx.Done():
				return
			}
			result := a2a.Artifact{ID: "result", Parts: []a2a.Part{a2a.TextPart("it is done")}}
			_ = more(&a2a.ArtifactUpdate{TaskID: "t", Artifact: result}, nil) &&
				more(&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Completed}}, nil)
		}
	}}
	return peer{s, &a2a.Card{Name: "Goes on", Capabilities: a2a.Capabilities{Streaming: true}}}, func() { close(released) }
}

// TestAnAgentThatGoesOnByItselfIsFollowed: the stream of a paused task was closed, so that what came on it
// was lost; and a subscription to a paused task ended at once.
func TestAnAgentThatGoesOnByItselfIsFollowed(t *testing.T) {
	for pause, streamed := range map[a2a.State][]a2a.State{
		a2a.AuthRequired:  {a2a.AuthRequired, a2a.Working, "", a2a.Completed},
		a2a.InputRequired: {a2a.InputRequired}, // the turn is over (A2A 1.0 section 11.7)
	} {
		t.Run(string(pause), func(t *testing.T) {
			agent, release := goingOn(pause)
			f := faceOf(t, agent)
			first := make(chan a2a.TaskID, 1)
			done := make(chan []a2a.State)
			go func() {
				var got []a2a.State
				for e, err := range f.Stream(t.Context(), say("go")) {
					if task, ok := e.(*a2a.Task); ok && len(got) == 0 {
						first <- task.ID
					}
					if err != nil {
						t.Error(err)
					}
					got = append(got, a2a.StateOf(e))
				}
				done <- got
			}()
			id := <-first
			if task, err := f.Settled(t.Context(), id); err != nil || task.Status.State != pause {
				t.Errorf("got %+v, %v", task, err)
			}
			var subscribed []a2a.State
			for e, err := range f.Subscribe(t.Context(), id) {
				if err != nil {
					t.Error(err)
				}
				if len(subscribed) == 0 {
					release()
				}
				subscribed = append(subscribed, a2a.StateOf(e))
			}
			if want := []a2a.State{pause, a2a.Working, "", a2a.Completed}; !slices.Equal(subscribed, want) {
				t.Errorf("the subscription has %q, want %q", subscribed, want)
			}
			if got := <-done; !slices.Equal(got, streamed) {
				t.Errorf("the stream of the message has %q, want %q", got, streamed)
			}
			task, err := f.Task(t.Context(), a2a.TaskQuery{ID: id})
			if err != nil || task.Status.State != a2a.Completed || len(task.Artifacts) != 1 {
				t.Errorf("got %+v, %v", task, err)
			}
		})
	}
}

// TestAnAnswerEndsAPauseThatTheAgentCouldHaveEnded sends an answer while the stream of the question is
// still open. What comes on that stream then belongs to no turn.
func TestAnAnswerEndsAPauseThatTheAgentCouldHaveEnded(t *testing.T) {
	agent, release := goingOn(a2a.InputRequired)
	asks := agent.Agent.(*scripted).answer
	agent.Agent.(*scripted).answer = func(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		if req.Message.TaskID == "" {
			return asks(ctx, req)
		}
		return yield(in(a2a.Working, ""), in(a2a.Rejected, "no"))
	}
	f := faceOf(t, agent)
	answer := say("blue")
	answer.Message.TaskID = sent(t, f, t.Context(), say("go")).ID
	if task := sent(t, f, t.Context(), answer); task.Status.State != a2a.Rejected {
		t.Errorf("got %+v", task)
	}
	release()
	task, err := f.Task(t.Context(), a2a.TaskQuery{ID: answer.Message.TaskID})
	if err != nil || task.Status.State != a2a.Rejected || len(task.Artifacts) != 0 {
		t.Errorf("got %+v, %v", task, err)
	}
}
