package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"rialto/mcp"
)

// tasksUnderTest is an mcp.Tasks under test, and functions that change its tasks. All
// fields are required.
type tasksUnderTest struct {
	Tasks mcp.Tasks
	// Begin stores a working task and returns its ID.
	Begin func(t *testing.T, principal string) string
	// Ask makes the task wait for answers. It does not wait itself.
	Ask func(t *testing.T, principal, id string, questions ...mcp.Question)
	// Complete ends the task with a result that contains text.
	Complete func(t *testing.T, principal, id, text string)
}

// testTasks tests that the tasks keep the contract of mcp.Tasks. Open is
// called for each case.
func testTasks(t *testing.T, open func(t *testing.T) tasksUnderTest) {
	for name, test := range map[string]func(*testing.T, tasksUnderTest){
		"a task is its principal's only":                      testTaskIsItsPrincipals,
		"next returns at once what is new":                    testNextReturnsAtOnce,
		"next waits for what is not there yet":                testNextWaits,
		"next ends with its context":                          testNextEnds,
		"answers may come one by one and nonsense is not one": testAnswers,
		"a task that was cancelled stays so":                  testCancel,
		"a task that has ended is not cancelled":              testCancelLate,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func testTaskIsItsPrincipals(t *testing.T, l tasksUnderTest) {
	id := l.Begin(t, "ann")
	for name, who := range map[string][2]string{"another's": {"bob", id}, "nobody's": {"", id}, "an unknown": {"ann", id + "x"}} {
		_, err1 := l.Tasks.Task(t.Context(), who[0], who[1])
		_, err2 := l.Tasks.Next(t.Context(), who[0], who[1], time.Time{})
		err3 := l.Tasks.AnswerTask(t.Context(), who[0], who[1], nil)
		err4 := l.Tasks.CancelTask(t.Context(), who[0], who[1])
		for _, err := range []error{err1, err2, err3, err4} {
			if !errors.Is(err, mcp.ErrNoTask) {
				t.Errorf("%s task: got %v, want ErrNoTask", name, err)
			}
		}
	}
	if got := l.task(t, "ann", id); got.Status != mcp.Working || got.ID != id {
		t.Errorf("got %s %s, want %s working", got.ID, got.Status, id)
	}
}

func (l tasksUnderTest) task(t *testing.T, principal, id string) *mcp.Task {
	t.Helper()
	got, err := l.Tasks.Task(t.Context(), principal, id)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (l tasksUnderTest) next(t *testing.T, id string, seen *mcp.Task) *mcp.Task {
	t.Helper()
	got, err := l.Tasks.Next(t.Context(), "ann", id, seen.Updated)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func testNextReturnsAtOnce(t *testing.T, l tasksUnderTest) {
	id := l.Begin(t, "ann")
	seen := l.task(t, "ann", id)
	l.Complete(t, "ann", id, "done")
	if got := l.next(t, id, seen); got.Status != mcp.Completed || got.Result == nil {
		t.Errorf("got %s, want it completed with a result", got.Status)
	}
}

func testNextWaits(t *testing.T, l tasksUnderTest) {
	id := l.Begin(t, "ann")
	seen := l.task(t, "ann", id)
	got := make(chan *mcp.Task, 1)
	go func() {
		next, _ := l.Tasks.Next(t.Context(), "ann", id, seen.Updated)
		got <- next
	}()
	l.Complete(t, "ann", id, "done")
	if next := <-got; next == nil || next.Status != mcp.Completed {
		t.Errorf("got %+v, want the completed task", next)
	}
}

func testNextEnds(t *testing.T, l tasksUnderTest) {
	id := l.Begin(t, "ann")
	seen := l.task(t, "ann", id)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := l.Tasks.Next(ctx, "ann", id, seen.Updated); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func testAnswers(t *testing.T, l tasksUnderTest) {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	id := l.Begin(t, "ann")
	l.Ask(t, "ann", id, mcp.ElicitForm("a", "A?", schema), mcp.ElicitForm("b", "B?", schema))
	good := json.RawMessage(`{"action":"accept","content":{"n":1}}`)
	for _, step := range []struct {
		answers map[string]json.RawMessage
		open    int
	}{
		{map[string]json.RawMessage{"c": good}, 2},
		{map[string]json.RawMessage{"a": json.RawMessage(`{"action":"accept","content":{"n":"one"}}`), "b": json.RawMessage("7")}, 2},
		{map[string]json.RawMessage{"b": good}, 1},
		{map[string]json.RawMessage{"b": good}, 1},
		{map[string]json.RawMessage{"a": good}, 0},
	} {
		if err := l.Tasks.AnswerTask(t.Context(), "ann", id, step.answers); err != nil {
			t.Fatal(err)
		}
		got := l.task(t, "ann", id)
		if len(got.Questions) != step.open || (got.Status == mcp.InputRequired) != (step.open > 0) {
			t.Errorf("after %s: got %d questions and %s, want %d", step.answers, len(got.Questions), got.Status, step.open)
		}
	}
}

func testCancel(t *testing.T, l tasksUnderTest) {
	id := l.Begin(t, "ann")
	for range 2 {
		seen := l.task(t, "ann", id)
		if err := l.Tasks.CancelTask(t.Context(), "ann", id); err != nil {
			t.Fatal(err)
		}
		if !seen.Status.Final() {
			seen = l.next(t, id, seen)
		}
		if seen.Status != mcp.Cancelled {
			t.Errorf("got %s, want cancelled", seen.Status)
		}
	}
}

func testCancelLate(t *testing.T, l tasksUnderTest) {
	id := l.Begin(t, "ann")
	l.Complete(t, "ann", id, "done")
	if err := l.Tasks.CancelTask(t.Context(), "ann", id); err != nil {
		t.Fatal(err)
	}
	if got := l.task(t, "ann", id); got.Status != mcp.Completed {
		t.Errorf("got %s, want completed", got.Status)
	}
}
