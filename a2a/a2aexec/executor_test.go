package a2aexec_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

var _ a2a.Agent = (*a2aexec.Executor)(nil)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func executor(run func(context.Context, *a2aexec.Turn) error) *a2aexec.Executor {
	return &a2aexec.Executor{Run: run, Log: quiet()}
}

func say(text string) *a2a.SendRequest {
	return &a2a.SendRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}}
}

func reply(text string, to *a2a.Task) *a2a.SendRequest {
	req := say(text)
	req.Message.TaskID = to.ID
	return req
}

func send(t *testing.T, e *a2aexec.Executor, req *a2a.SendRequest) *a2a.Task {
	t.Helper()
	ev, err := e.Send(t.Context(), req)
	if err != nil {
		t.Fatalf("Send: %v", err)
	}
	task, ok := ev.(*a2a.Task)
	if !ok {
		t.Fatalf("Send answered a %T, want a task", ev)
	}
	return task
}

// words spells events briefly: "task submitted", "working: half done",
// "artifact a 'x'", "artifact a + 'y'".
func words(seq func(func(a2a.Event, error) bool)) []string {
	var out []string
	for ev, err := range seq {
		out = append(out, word(ev, err))
	}
	return out
}

func word(ev a2a.Event, err error) string {
	switch ev := ev.(type) {
	case nil:
		return fmt.Sprint("error ", err)
	case *a2a.Task:
		return fmt.Sprint("task ", ev.Status.State)
	case *a2a.StatusUpdate:
		return strings.TrimSuffix(fmt.Sprintf("%s: %s", ev.Status.State, ev.Status.Message.Text()), ": ")
	case *a2a.ArtifactUpdate:
		plus := ""
		if ev.Append {
			plus = "+ "
		}
		return fmt.Sprintf("artifact %s %s'%s'", ev.Artifact.ID, plus, ev.Artifact.Text())
	default:
		return fmt.Sprintf("%T", ev)
	}
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func wantCode(t *testing.T, err error, code a2a.Code) {
	t.Helper()
	if !a2a.Is(err, code) {
		t.Errorf("got error %v, want %s", err, code)
	}
}

func echo(_ context.Context, t *a2aexec.Turn) error {
	t.Working("thinking")
	t.Append(a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("you said")}}, false)
	t.Append(a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(t.Message.Text())}}, true)
	t.Complete("done")
	return nil
}

// guess asks until it hears "seven".
func guess(_ context.Context, t *a2aexec.Turn) error {
	if t.Message.Text() != "seven" {
		t.Ask("which number?")
		return nil
	}
	t.Complete(fmt.Sprintf("yes, after %d messages", len(t.Task().History)))
	return nil
}

// hang works until its context ends.
func hang(ctx context.Context, t *a2aexec.Turn) error {
	t.Working("hanging")
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestSendAnswersWithTheEndedTask(t *testing.T) {
	task := send(t, executor(echo), say("hello"))
	if task.Status.State != a2a.Completed || task.Status.Message.Text() != "done" {
		t.Errorf("got status %+v, want completed with \"done\"", task.Status)
	}
	if len(task.Artifacts) != 1 || task.Artifacts[0].Text() != "you said\nhello" {
		t.Errorf("got artifacts %+v, want one of two chunks", task.Artifacts)
	}
	if task.ID == "" || task.ContextID == "" {
		t.Errorf("got ids %q and %q, want both made", task.ID, task.ContextID)
	}
	if m := task.History[0]; m.Text() != "hello" || m.TaskID != task.ID || m.ContextID != task.ContextID {
		t.Errorf("got first message %+v, want the caller's, with the task's ids", m)
	}
}

func TestStreamTellsEverythingOnce(t *testing.T) {
	e := executor(echo)
	equal(t, words(e.Stream(t.Context(), say("hello"))), []string{
		"task submitted", "working: thinking", "artifact a 'you said'", "artifact a + 'hello'", "completed: done",
	})
}

func TestWhatAFunctionReturnsSettlesTheTask(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(context.Context, *a2aexec.Turn) error
		want string
	}{
		{"nothing is completion", func(context.Context, *a2aexec.Turn) error { return nil }, "completed"},
		{"an error is failure with its text", func(context.Context, *a2aexec.Turn) error { return errors.New("no such table") }, "failed: no such table"},
		{"a panic is failure without its text", func(context.Context, *a2aexec.Turn) error { panic("secret") }, "failed: The agent broke while working on this. What happened is in its log."},
		{"an error after completion changes nothing", func(_ context.Context, t *a2aexec.Turn) error { t.Complete("ok"); return errors.New("late") }, "completed: ok"},
		{"a rejection stays one", func(_ context.Context, t *a2aexec.Turn) error { t.Reject("no"); return nil }, "rejected: no"},
		{"a request to authorize stays one", func(_ context.Context, t *a2aexec.Turn) error { t.AskAuth("log in"); return nil }, "auth-required: log in"},
		{"nothing follows the first end", func(_ context.Context, t *a2aexec.Turn) error {
			t.Fail("first")
			t.Working("more")
			t.Artifact(a2a.Artifact{})
			t.Complete("second")
			return nil
		}, "failed: first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := send(t, executor(c.run), say("go"))
			got := word(&a2a.StatusUpdate{Status: task.Status}, nil)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(task.Artifacts) != 0 {
				t.Errorf("got artifacts %+v after the end", task.Artifacts)
			}
		})
	}
}

func TestSkillComesFromTheMessageThenTheRequest(t *testing.T) {
	e := executor(func(_ context.Context, t *a2aexec.Turn) error { t.Complete(t.Skill); return nil })
	req := say("go")
	req.Metadata = a2a.Metadata{"skillId": "from request"}
	if got := send(t, e, req).Status.Message.Text(); got != "from request" {
		t.Errorf("got skill %q, want the request's", got)
	}
	req = say("go")
	req.Metadata = a2a.Metadata{"skillId": "from request"}
	req.Message.Metadata = a2a.Metadata{"skillId": "from message"}
	if got := send(t, e, req).Status.Message.Text(); got != "from message" {
		t.Errorf("got skill %q, want the message's", got)
	}
}

func TestAnAnswerContinuesTheTask(t *testing.T) {
	e := executor(guess)
	asked := send(t, e, say("start"))
	if asked.Status.State != a2a.InputRequired {
		t.Fatalf("got state %s, want input-required", asked.Status.State)
	}
	done := send(t, e, reply("seven", asked))
	if done.ID != asked.ID || done.ContextID != asked.ContextID {
		t.Errorf("got task %s in %s, want %s in %s", done.ID, done.ContextID, asked.ID, asked.ContextID)
	}
	if got, want := done.Status.Message.Text(), "yes, after 3 messages"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var history []string
	for _, m := range done.History {
		history = append(history, string(m.Role)+" "+m.Text())
	}
	equal(t, history, []string{"user start", "agent which number?", "user seven"})
}

func TestAStreamOfAnAnswerStartsWithTheTask(t *testing.T) {
	e := executor(guess)
	asked := send(t, e, say("start"))
	equal(t, words(e.Stream(t.Context(), reply("eight", asked))), []string{"task working", "input-required: which number?"})
	events := []string{}
	for ev, err := range e.Subscribe(t.Context(), asked.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			go e.Send(t.Context(), reply("seven", asked))
		}
		events = append(events, string(a2a.StateOf(ev)))
	}
	if len(events) < 2 || events[0] != "input-required" || events[len(events)-1] != "completed" {
		t.Errorf("a subscription to a task that waits has %v, want what comes until its end", events)
	}
}

func TestMessagesThatCannotBeDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(func(ctx context.Context, turn *a2aexec.Turn) error {
			if turn.Message.Text() == "hang" {
				return hang(ctx, turn)
			}
			return guess(ctx, turn)
		})
		defer e.Close()
		hanging := say("hang")
		hanging.ReturnImmediately = true
		running, asked, ended := send(t, e, hanging), send(t, e, say("?")), send(t, e, say("seven"))
		elsewhere := reply("seven", asked)
		elsewhere.Message.ContextID = "elsewhere"
		for _, c := range []struct {
			name string
			req  *a2a.SendRequest
			want a2a.Code
		}{
			{"no message", &a2a.SendRequest{}, a2a.InvalidParams},
			{"no parts", &a2a.SendRequest{Message: &a2a.Message{}}, a2a.InvalidParams},
			{"an unknown task", reply("seven", &a2a.Task{ID: "nope"}), a2a.TaskNotFound},
			{"a task that has ended", reply("seven", ended), a2a.UnsupportedOperation},
			{"a task that is working", reply("seven", running), a2a.UnsupportedOperation},
			{"another context", elsewhere, a2a.InvalidParams},
		} {
			_, err := e.Send(t.Context(), c.req)
			if !a2a.Is(err, c.want) {
				t.Errorf("%s: got %v, want %s", c.name, err, c.want)
			}
			for ev, err := range e.Stream(t.Context(), c.req) {
				if ev != nil || !a2a.Is(err, c.want) {
					t.Errorf("%s: streamed %v, %v, want %s", c.name, ev, err, c.want)
				}
			}
		}
	})
}

func TestReturnImmediatelyDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(func(context.Context, *a2aexec.Turn) error { time.Sleep(time.Minute); return nil })
		req := say("go")
		req.ReturnImmediately = true
		start := time.Now()
		task := send(t, e, req)
		if task.Status.State.Idle() || time.Since(start) > 0 {
			t.Errorf("got %s after %v, want a running task at once", task.Status.State, time.Since(start))
		}
		equal(t, words(e.Subscribe(t.Context(), task.ID)), []string{"task submitted", "completed"})
	})
}

func TestTheEndOfACallDoesNotEndTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(func(ctx context.Context, turn *a2aexec.Turn) error {
			select {
			case <-time.After(time.Minute):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var id a2a.TaskID
		var last error
		for ev, err := range e.Stream(ctx, say("go")) {
			if task, ok := ev.(*a2a.Task); ok {
				id = task.ID
			}
			last = err
		}
		if !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("the stream ended with %v, want the deadline", last)
		}
		if _, err := e.Send(ctx, say("again")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Send answered %v, want the deadline", err)
		}
		time.Sleep(2 * time.Minute)
		task, err := e.Task(t.Context(), a2a.TaskQuery{ID: id})
		if err != nil || task.Status.State != a2a.Completed {
			t.Errorf("got %+v, %v, want a completed task", task, err)
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan error, 1)
		e := executor(func(ctx context.Context, turn *a2aexec.Turn) error {
			err := hang(ctx, turn)
			turn.Complete("too late")
			stopped <- err
			return err
		})
		req := say("go")
		req.ReturnImmediately = true
		task := send(t, e, req)
		got, err := e.Cancel(t.Context(), task.ID)
		if err != nil || got.Status.State != a2a.Canceled {
			t.Fatalf("got %+v, %v, want a canceled task", got, err)
		}
		if err := <-stopped; err == nil {
			t.Error("the function was not told")
		}
		synctest.Wait()
		if got, _ = e.Task(t.Context(), a2a.TaskQuery{ID: task.ID}); got.Status.State != a2a.Canceled {
			t.Errorf("got %s in the end, want canceled", got.Status.State)
		}
		_, err = e.Cancel(t.Context(), task.ID)
		wantCode(t, err, a2a.TaskNotCancelable)
		_, err = e.Cancel(t.Context(), "nope")
		wantCode(t, err, a2a.TaskNotFound)
		equal(t, words(e.Subscribe(t.Context(), task.ID)), []string{"error task " + string(task.ID) + " has ended; there is nothing to follow"})
	})
}

func TestATaskThatWaitsForInputCanBeCanceled(t *testing.T) {
	e := executor(guess)
	asked := send(t, e, say("start"))
	if got, err := e.Cancel(t.Context(), asked.ID); err != nil || got.Status.State != a2a.Canceled {
		t.Errorf("got %+v, %v, want a canceled task", got, err)
	}
	_, err := e.Send(t.Context(), reply("seven", asked))
	wantCode(t, err, a2a.UnsupportedOperation)
}

func TestTheSameMessageSentAgainRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		e := executor(func(ctx context.Context, turn *a2aexec.Turn) error {
			runs++
			time.Sleep(time.Minute)
			return guess(ctx, turn)
		})
		first := say("seven")
		first.Message.ID = "m1"
		again := *first
		again.ReturnImmediately = true
		early := send(t, e, &again)
		late := send(t, e, first)
		if early.ID != late.ID || late.Status.State != a2a.Completed || runs != 1 {
			t.Errorf("got tasks %s and %s (%s) in %d runs, want one completed", early.ID, late.ID, late.Status.State, runs)
		}
		equal(t, words(e.Stream(t.Context(), first)), []string{"task completed"})
		other := say("another text")
		other.Message.ID = "m1"
		if task := send(t, e, other); task.ID == late.ID || runs != 2 {
			t.Errorf("got task %s in %d runs, want another message of the same id to be another task", task.ID, runs)
		}
	})
}

func TestAnAnswerSentAgainRunsOnce(t *testing.T) {
	e := executor(guess)
	answer := reply("seven", send(t, e, say("start")))
	answer.Message.ID = "m2"
	first, second := send(t, e, answer), send(t, e, answer)
	if first.ID != second.ID || len(second.History) != len(first.History) {
		t.Errorf("got histories of %d and %d messages, want the same", len(first.History), len(second.History))
	}
}
