package a2atest

import (
	"testing"

	"rialto/a2a"
)

// TestFirstAgent is TestAgent for a connection through A2A 0.1. That generation has no
// messages without a task, fewer states and no request options, and an ended task may
// continue. except names the cases that the connection does not support.
func TestFirstAgent(t *testing.T, dial func(t *testing.T, agent *Agent) a2a.Agent, except ...string) {
	runCases(t, dial, except, map[string]func(*testing.T, *Agent, a2a.Agent){
		"a send waits for the end":                     testFirstSend,
		"a message becomes a task":                     testFirstSay,
		"a send that should not wait does not":         testImmediately,
		"a stream tells all there is to the task":      testStream,
		"chunks add up":                                testChunks,
		"parts of every kind survive the trip":         testParts,
		"the agent gets the message":                   testFirstRequest,
		"a question can be answered":                   testFirstAsk,
		"an end can be taken up":                       testFirstAgain,
		"states that 0.1 lacks become others":          testFirstStates,
		"a task can be canceled once":                  testCancel,
		"a task can be followed by several at once":    testSubscribe,
		"a task that has ended cannot be followed":     testSubscribeEnded,
		"refusals keep their codes":                    testRefusals,
		"an agent's own troubles stay its own":         testBreak,
		"the end of a call is not the end of the task": testHangUp,
		"many calls do not mix":                        testMany,
	})
}

func testFirstSend(t *testing.T, _ *Agent, a a2a.Agent) {
	history := 10
	req := Say("echo hello")
	req.HistoryLength = &history
	task := sendTask(t, a, req)
	wantState(t, task, a2a.Completed)
	if got := artifactText(task); got != "hello" {
		t.Errorf("got %q, want hello", got)
	}
	if task.ContextID == "" || task.Status.Timestamp.IsZero() || len(task.History) == 0 || task.History[0].Text() != "echo hello" {
		t.Errorf("got %+v, want a context, a time and the message in the history", task)
	}
}

func testFirstSay(t *testing.T, _ *Agent, a a2a.Agent) {
	task := sendTask(t, a, Say("say hello"))
	wantState(t, task, a2a.Completed)
	if got := task.Status.Message.Text(); got != "hello" {
		t.Errorf("got %q, want hello", got)
	}
	task, _ = fold(t, a.Stream(testContext(t), Say("say hello again")))
	wantState(t, task, a2a.Completed)
	if got := task.Status.Message.Text(); got != "hello again" {
		t.Errorf("got %q, want hello again", got)
	}
}

func testFirstRequest(t *testing.T, agent *Agent, a a2a.Agent) {
	req := Say("say x")
	req.Message.ContextID = "c-1"
	req.Message.Metadata = a2a.Metadata{"skillId": "echo"}
	req.Metadata = a2a.Metadata{"trace": "abc"}
	sendTask(t, a, req)
	got := agent.Received()
	if len(got) != 1 || got[0].Message.Text() != "say x" || got[0].Message.ContextID != "c-1" || got[0].Message.ID == "" ||
		got[0].Message.Metadata["skillId"] != "echo" || got[0].Metadata["trace"] != "abc" {
		t.Errorf("got %s, want %s", asJSON(t, got), asJSON(t, req))
	}
}

func testFirstAsk(t *testing.T, _ *Agent, a a2a.Agent) {
	task, _ := fold(t, a.Stream(testContext(t), Say("ask which one?")))
	wantState(t, task, a2a.InputRequired)
	if got := task.Status.Message.Text(); got != "which one?" {
		t.Errorf("got question %q", got)
	}
	wantNext(t, a, task, "that one")
}

func testFirstAgain(t *testing.T, _ *Agent, a a2a.Agent) {
	task, _ := fold(t, a.Stream(testContext(t), Say("echo once")))
	wantNext(t, a, task, "once more")
}

func wantNext(t *testing.T, a a2a.Agent, task *a2a.Task, words string) {
	t.Helper()
	next, _ := fold(t, a.Stream(testContext(t), reply(task, "echo "+words)))
	wantState(t, next, a2a.Completed)
	if next.ID != task.ID || artifactText(next) != words {
		t.Errorf("got %s, want the same task to go on with %s", asJSON(t, next), words)
	}
}

func testFirstStates(t *testing.T, _ *Agent, a a2a.Agent) {
	for verb, want := range map[string]a2a.State{"ask": a2a.InputRequired, "auth": a2a.InputRequired, "fail": a2a.Failed, "reject": a2a.Failed} {
		task := sendTask(t, a, Say(verb+" because"))
		wantState(t, task, want)
		if got := task.Status.Message.Text(); got != "because" {
			t.Errorf("%s: got %q", verb, got)
		}
	}
}
