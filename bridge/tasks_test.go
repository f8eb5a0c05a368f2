package bridge_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/tools"
	"rialto/mcp"
)

// taking returns the tasks of a rig, for a client that takes tasks, and what
// begins one.
func taking(t *testing.T, r *rig) (tools.Tasks, func(args, revision string) *mcp.Result) {
	tasks := tools.Tasks{Tools: r.Bridge.Tools}
	return tasks, func(args, revision string) *mcp.Result {
		t.Helper()
		c := call(args)
		c.TakesTask, c.Client.Revision = true, revision
		res, err := sendTool(r).Call(as(t.Context(), "alice"), c)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
}

// until follows a task, as a subscription does, to a status.
func until(t *testing.T, tasks tools.Tasks, id string, status mcp.TaskStatus) *mcp.Task {
	t.Helper()
	task, err := tasks.Task(as(t.Context(), "alice"), "alice", id)
	for err == nil && task.Status != status && !task.Status.Final() {
		task, err = tasks.Next(as(t.Context(), "alice"), "alice", id, task.Updated)
	}
	if err != nil || task.Status != status {
		t.Fatalf("got %+v, %v, want %s", task, err, status)
	}
	return task
}

func TestAnMCPTaskIsTheLedgers(t *testing.T) {
	finish := make(chan struct{})
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		turn.Working("on it")
		<-finish
		turn.Complete("done")
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	tasks, begin := taking(t, r)
	begun := begin(`{"message":"go"}`, mcp.Revision20251125)
	if begun.Task == nil || begun.Task.Status != mcp.Working {
		t.Fatalf("got %+v, want a working task", begun)
	}
	close(finish)
	done := until(t, tasks, begun.Task.ID, mcp.Completed)
	read(t, done.Result).want(t, "completed", false)
	r.call("get_task", `{"task_id":"`+begun.Task.ID+`"}`).want(t, "completed", false)

	for name, err := range map[string]error{
		"Task":       second(tasks.Task(as(t.Context(), "bob"), "bob", begun.Task.ID)),
		"Next":       second(tasks.Next(as(t.Context(), "bob"), "bob", begun.Task.ID, done.Updated)),
		"AnswerTask": tasks.AnswerTask(as(t.Context(), "bob"), "bob", begun.Task.ID, nil),
		"CancelTask": tasks.CancelTask(as(t.Context(), "bob"), "bob", begun.Task.ID),
	} {
		if !errors.Is(err, mcp.ErrNoTask) {
			t.Errorf("%s for another user: got %v, want ErrNoTask", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAFastAnswerIsNoTask(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error { return nil })
	_, begin := taking(t, newRig(t, "", map[string]peer{"one": agent}))
	if got := begin(`{"message":"go"}`, mcp.Revision20260728); got.Task != nil {
		t.Errorf("2026-07-28: got a task, want the result")
	}
	if got := begin(`{"message":"go"}`, mcp.Revision20251125); got.Task == nil {
		t.Errorf("2025-11-25: got a result, want the task that the client asked for")
	}
}

func TestAPersonAnswersAnMCPTask(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		switch said := turn.Message.Text(); said {
		case "go", "again":
			turn.Ask("Which one?")
		default:
			turn.Complete("You said: " + said)
		}
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	tasks, begin := taking(t, r)
	for name, c := range map[string]struct {
		answer string
		status mcp.TaskStatus
		says   string
		error  string // a client that is not asked again would wait without an end
	}{
		"an answer is sent":              {`{"action":"accept","content":{"answer":"this"}}`, mcp.Completed, "You said: this", ""},
		"to decline leaves the question": {`{"action":"decline"}`, mcp.Completed, "Which one?", ""},
		"to cancel leaves the question":  {`{"action":"cancel"}`, mcp.Completed, "Which one?", ""},
		"an invalid answer is refused":   {`{"action":"accept","content":{"other":1}}`, mcp.InputRequired, "", "does not fit"},
		"no answer is refused":           {`{"action":"perhaps"}`, mcp.InputRequired, "", "does not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			id := begin(`{"message":"go"}`, mcp.Revision20260728).Task.ID
			asked := until(t, tasks, id, mcp.InputRequired)
			answers := map[string]json.RawMessage{asked.Questions[0].Key(): json.RawMessage(c.answer), "stray": json.RawMessage(c.answer)}
			err := tasks.AnswerTask(as(t.Context(), "alice"), "alice", id, answers)
			if (err != nil) != (c.error != "") || err != nil && !strings.Contains(err.Error(), c.error) {
				t.Fatalf("got %v, want %q", err, c.error)
			}
			if got := until(t, tasks, id, c.status); c.says != "" && read(t, got.Result).Message != c.says {
				t.Errorf("got %q, want %q", read(t, got.Result).Message, c.says)
			}
		})
	}
	id := begin(`{"message":"go"}`, mcp.Revision20260728).Task.ID
	first := until(t, tasks, id, mcp.InputRequired).Questions[0].Key()
	r.call("send_task", `{"message":"again","task_id":"`+id+`"}`)
	if again := until(t, tasks, id, mcp.InputRequired).Questions[0].Key(); again == first {
		t.Errorf("the second question has the key of the first")
	}
}

// TestAnMCPTaskThatFailsSaysWhy: the SDK of 2025-11-25 reads the status of a task that has
// failed, and not its result.
func TestAnMCPTaskThatFailsSaysWhy(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Working("on it")
		return errors.New("a secret of the agent")
	})
	tasks, begin := taking(t, newRig(t, "", map[string]peer{"one": agent, "two": turns([]any{update(a2a.Failed, "")})}))
	for args, want := range map[string]string{
		`{"message":"go","agent":"one"}`: "",
		`{"message":"go","agent":"two"}`: "The agent gave no reason.",
	} {
		done := until(t, tasks, begin(args, mcp.Revision20251125).Task.ID, mcp.Completed)
		info := read(t, done.Result)
		if want = cmp.Or(want, info.Error.Message); !done.Result.IsError || done.Message != want || want == "on it" {
			t.Errorf("%s: got %q, want %q", args, done.Message, want)
		}
	}
}

// Without a page for the sign-in, a client that takes tasks saw a working task and
// waited forever.
func TestATaskThatWaitsForASignInSaysSo(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.AskAuth("Have the owner let you in.")
		return nil
	})
	r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) { b.Directory.Pages = true })
	tasks, begin := taking(t, r)
	asked := until(t, tasks, begin(`{"message":"go"}`, mcp.Revision20251125).Task.ID, mcp.InputRequired)
	if len(asked.Questions) != 1 || asked.FallbackResult == nil || read(t, asked.FallbackResult).AnswerURL == "" {
		t.Errorf("got %+v, want that it asks, and where", asked)
	}
}

// TestAPersonDeclinesToSignIn: a client that has answered a question does not ask again, so it gets
// the question as the result of its task, and does not wait.
func TestAPersonDeclinesToSignIn(t *testing.T) {
	const page = "Sign in at https://example.com/login"
	for name, c := range map[string]struct {
		answer string
		status mcp.TaskStatus
		says   string
	}{
		"to go there changes nothing": {`{"action":"accept"}`, mcp.InputRequired, ""},
		"to decline leaves the pause": {`{"action":"decline"}`, mcp.Completed, page},
		"to cancel leaves the pause":  {`{"action":"cancel"}`, mcp.Completed, page},
	} {
		t.Run(name, func(t *testing.T) {
			agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
				if turn.Message.Text() == "go" {
					turn.AskAuth(page)
					return nil
				}
				turn.Complete("You said: " + turn.Message.Text())
				return nil
			})
			tasks, begin := taking(t, newRig(t, "", map[string]peer{"one": agent}))
			id := begin(`{"message":"go"}`, mcp.Revision20260728).Task.ID
			asked := until(t, tasks, id, mcp.InputRequired)
			if err := tasks.AnswerTask(as(t.Context(), "alice"), "alice", id, map[string]json.RawMessage{asked.Questions[0].Key(): json.RawMessage(c.answer)}); err != nil {
				t.Fatal(err)
			}
			if got := until(t, tasks, id, c.status); c.says != "" && read(t, got.Result).Message != c.says {
				t.Errorf("got %q, want %q", read(t, got.Result).Message, c.says)
			}
		})
	}
}
