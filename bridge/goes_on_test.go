package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

// goingOn is an agent that waits on its stream until it is released, and then continues without a message.
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
			if task, err := f.AwaitTask(t.Context(), a2a.TaskQuery{ID: id}, time.Minute); err != nil || task.Status.State != pause {
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

// asksTwice is an agent that asks, repeats its question, and asks another when it is released.
func asksTwice() (agent peer, release func()) {
	released := make(chan struct{})
	asks := func(text string, repeated int) a2a.Event {
		question := &a2a.Message{ID: fmt.Sprint(text, repeated), Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}
		return &a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.InputRequired, Message: question}}
	}
	s := &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(more func(a2a.Event, error) bool) {
			_ = more(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}}, nil) &&
				more(asks("which color?", 0), nil) && more(asks("which color?", 1), nil) && more(asks("which color?", 2), nil)
			select {
			case <-released:
				_ = more(asks("which size?", 0), nil)
			case <-ctx.Done():
			}
			<-ctx.Done()
		}
	}}
	return peer{s, &a2a.Card{Name: "Asks twice", Capabilities: a2a.Capabilities{Streaming: true}}}, func() { close(released) }
}

// TestAnAnswerIsForTheQuestionThatWasShown: an agent that continued without a message and asked something else got the
// answer to its question before. A question that it repeats is the same question: the task did not go on.
func TestAnAnswerIsForTheQuestionThatWasShown(t *testing.T) {
	agent, release := asksTwice()
	r := newRig(t, "", map[string]peer{"agent": agent})
	ctx := as(t.Context(), "alice")
	access := r.Directory.Access(ctx)
	handle := r.call("send_task", `{"agent":"agent","message":"go","wait_seconds":5}`).TaskID
	shown, err := r.Runner.Task(ctx, access, handle)
	if err != nil || !shown.AwaitsInput() {
		t.Fatalf("got %+v, %v", shown, err)
	}
	release()
	now := shown
	for now.Task.Status.Message.Text() != "which size?" || !now.Idle {
		now, err = r.Runner.NextChange(ctx, access, handle, now.Updated)
		if err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	for _, m := range now.Task.History {
		if m.Text() == "which color?" {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("the first question is in the history %d times", asked)
	}
	answer := runner.Reply{Pause: shown.MessageID, Once: "1", Content: json.RawMessage(`{"answer":"blue"}`)}
	if err := r.Runner.Answer(ctx, access, now, answer); !errors.Is(err, ledger.ErrTaskBusy) {
		t.Errorf("an answer to the question before: got %v, want that the task is busy", err)
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

// TestAPauseThatIsOverIsNotWaitedFor waits for a task that has paused, continued without a message, and works: the
// wait ended at the pause, with a task at work.
func TestAPauseThatIsOverIsNotWaitedFor(t *testing.T) {
	signedIn, finish := make(chan struct{}), make(chan struct{})
	s := &scripted{answer: func(_ context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(more func(a2a.Event, error) bool) {
			if !more(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.AuthRequired}}, nil) {
				return
			}
			<-signedIn
			if !more(&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working}}, nil) {
				return
			}
			<-finish
			more(&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Completed}}, nil)
		}
	}}
	r := newRig(t, "", map[string]peer{"agent": {s, &a2a.Card{Name: "Goes on", Capabilities: a2a.Capabilities{Streaming: true}}}})
	access := r.Directory.AccessOf(directory.Caller{User: "alice", Client: "test", AllUseCases: true})
	sent, err := r.Runner.SendRequest(t.Context(), access, &runner.Request{Agent: "agent", Message: "go"})
	if err != nil {
		t.Fatal(err)
	}
	paused := false
	for c, err := range sent.Watch(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		e := c.Record()
		if e.State() == a2a.AuthRequired && !paused {
			paused = true
			close(signedIn)
		}
		if e.State() == a2a.Working && paused {
			break
		}
	}
	working, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if e, err := r.Runner.AwaitIdle(working, access, sent.Handle, nil); err != nil || e.State() != a2a.Working || working.Err() == nil {
		t.Errorf("got %v, %v before the wait was over, want the task at work when it is", e.State(), err)
	}
	close(finish)
	if e, err := r.Runner.AwaitIdle(t.Context(), access, sent.Handle, nil); err != nil || e.State() != a2a.Completed {
		t.Errorf("got %v, %v, want it completed", e.State(), err)
	}
}

// TestAnAnswerThatComesTooLateWaitsForTheTask: the agent has left its pause when the client repeats the
// call with the answer. The repeated call returned the task at work, as after some sign-ins.
func TestAnAnswerThatComesTooLateWaitsForTheTask(t *testing.T) {
	leave, finish := make(chan struct{}), make(chan struct{})
	s := &scripted{answer: func(_ context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(more func(a2a.Event, error) bool) {
			asked := a2a.Status{State: a2a.InputRequired, Message: &a2a.Message{ID: "q", Parts: []a2a.Part{a2a.TextPart("Which?")}}}
			if !more(&a2a.Task{ID: "t", Status: asked}, nil) {
				return
			}
			<-leave
			if !more(&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working}}, nil) {
				return
			}
			<-finish
			more(&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Completed}}, nil)
		}
	}}
	r := newRig(t, "", map[string]peer{"agent": {s, &a2a.Card{Name: "Goes on", Capabilities: a2a.Capabilities{Streaming: true}}}})
	send := asking(t, r)
	got := send(`{"message":"go"}`, nil, "")
	answers := map[string]any{}
	handle := ""
	for key := range got.InputRequests {
		handle, _, _ = strings.Cut(key, "/")
		answers[key] = map[string]any{"action": "accept", "content": map[string]any{"answer": "this"}}
	}
	access := r.Directory.AccessOf(directory.Caller{User: "alice", Client: "test", AllUseCases: true})
	close(leave)
	for c, err := range r.Runner.Watch(t.Context(), access, handle, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Record().State() == a2a.Working {
			break
		}
	}
	done := make(chan reply, 1)
	go func() { done <- send(`{"message":"go"}`, answers, got.RequestState) }()
	select {
	case early := <-done:
		t.Errorf("got %s while the agent works", early.Structured.State)
		done <- early
	case <-time.After(200 * time.Millisecond):
	}
	close(finish)
	if got := (<-done).Structured; got.State != string(a2a.Completed) || s.sent() != 1 {
		t.Errorf("got %s after %d messages, want it completed after one", got.State, s.sent())
	}
}

// TestAPausedTaskHoldsLittleMemory: limits.memory counts no paused task, so one whose stream stayed open held
// up to 16 MiB beyond it. The stream of a large task ends with the pause, and its agent is polled.
func TestAPausedTaskHoldsLittleMemory(t *testing.T) {
	left := make(chan struct{})
	s := &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(more func(a2a.Event, error) bool) {
			defer close(left)
			large := a2a.Artifact{ID: "large", Parts: []a2a.Part{{Content: a2a.Raw(make([]byte, 1<<20))}}}
			if more(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.AuthRequired}, Artifacts: []a2a.Artifact{large}}, nil) {
				<-ctx.Done()
			}
		}
	}}
	f := faceOf(t, peer{s, &a2a.Card{Name: "Large", Capabilities: a2a.Capabilities{Streaming: true}}})
	if task := sent(t, f, t.Context(), say("go")); task.Status.State != a2a.AuthRequired {
		t.Fatalf("got %+v", task)
	}
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("the stream of the paused task is still read")
	}
}
