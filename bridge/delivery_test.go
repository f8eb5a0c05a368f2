package bridge_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/bridge"
)

func timedOut() *a2a.Error {
	return &a2a.Error{Code: a2a.Unavailable, Message: "the agent answered HTTP 504 Gateway Timeout", Remote: true, HTTPStatus: 504, Unclear: true}
}

// TestAMessageBehindAGatewayThatGaveUpIsSentOnce has a gateway answer in the place of
// an agent, which may be at work: a call that is made again must not send it again.
func TestAMessageBehindAGatewayThatGaveUpIsSentOnce(t *testing.T) {
	for status, sent := range map[int]int{http.StatusBadGateway: 1, http.StatusGatewayTimeout: 1, http.StatusInternalServerError: 1, 524: 1,
		http.StatusServiceUnavailable: 2, http.StatusTooManyRequests: 2} {
		rogue := &a2atest.Rogue{Card: `{"name":"x","skills":[],"capabilities":{"streaming":true},"supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
			Answers: map[string][]a2atest.Answer{"SendStreamingMessage": {{Status: status, Body: "<html>"}}}}
		r := newRig(t, "", map[string]peer{"one": {remote{Dialer: &a2aclient.Dialer{Pause: time.Millisecond}, url: rogue.Serve(t)}, nil}})
		for range 2 {
			got := r.call("send_task", `{"message":"x","message_id":"m"}`)
			got.want(t, a2a.Failed, true)
			if unclear := strings.Contains(got.Text, "not known"); unclear != (sent == 1) {
				t.Errorf("%d: got %s", status, got.Text)
			}
		}
		if n := len(rogue.Calls()); n != sent {
			t.Errorf("%d: the message was sent %d times, want %d", status, n, sent)
		}
	}
}

// unsure is an agent that asks, and whose gateway gives up before the answer is worked
// off. Until then it shows its question.
type unsure struct {
	scripted
	looks, doneAt atomic.Int64 // how often the task was looked at, and from when on it is done; 0 is never
	next          atomic.Value // its next question
	away          atomic.Bool
}

func (a *unsure) shown(s a2a.State, text string) *a2a.Task {
	return &a2a.Task{ID: "t", Status: a2a.Status{State: s, Message: &a2a.Message{ID: text, Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}}}
}

func (a *unsure) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) {
	if a.away.Load() {
		return nil, a2a.Errorf(a2a.Unavailable, "connection refused")
	}
	if n := a.looks.Add(1); a.doneAt.Load() > 0 && n >= a.doneAt.Load() {
		return a.shown(a2a.Completed, "done"), nil
	}
	if next, ok := a.next.Load().(string); ok {
		return a.shown(a2a.InputRequired, next), nil
	}
	return a.shown(a2a.InputRequired, "which?"), nil
}

func newUnsure() *unsure {
	a := &unsure{}
	a.answer = func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		if len(a.got) == 1 {
			return yield(a.shown(a2a.InputRequired, "which?"))
		}
		return yield(timedOut())
	}
	return a
}

func TestAnAnswerBehindAGatewayThatGaveUpIsNotLost(t *testing.T) {
	t.Parallel() // most of it waits
	a := newUnsure()
	a.doneAt.Store(3)
	r := newRig(t, "", map[string]peer{"one": {a, &a2a.Card{Name: "One"}}})
	id := r.call("send_task", `{"message":"x"}`).TaskID
	r.call("send_task", `{"message":"this one","task_id":"`+id+`"}`).want(t, a2a.Completed, false)
	if a.sent() != 2 {
		t.Errorf("the agent was sent %d messages, want 2", a.sent())
	}
}

func TestAnAnswerOfWhichNothingIsSeenIsLookedForAgain(t *testing.T) {
	t.Parallel() // most of it waits
	a := newUnsure()
	r := newRigWith(t, "", map[string]peer{"one": {a, &a2a.Card{Name: "One"}}}, func(*bridge.Bridge) {})
	id := r.call("send_task", `{"message":"x"}`).TaskID
	r.call("send_task", `{"message":"this one","task_id":"`+id+`"}`).refused(t, "whether the agent received the message is not known")
	if got := r.call("get_task", `{"task_id":"`+id+`"}`); got.State != a2a.InputRequired || !strings.Contains(got.Next, "received the last message is not known") {
		t.Errorf("got %s", got.raw)
	}
	if e, err := r.Runner.Ledger.Task(t.Context(), "alice", id); err != nil || e.Revisions == nil || e.Revisions.Unconfirmed != e.MessageID {
		t.Errorf("got %+v, %v: another replica would not know", e.Revisions, err)
	}
	a.doneAt.Store(1)
	r.call("get_task", `{"task_id":"`+id+`"}`).want(t, a2a.Completed, false)
	if a.sent() != 2 {
		t.Errorf("the agent was sent %d messages, want 2", a.sent())
	}
}

// TestAnAnswerToAnAgentThatBrokeIsLookedForInTheBackground has an agent break as it gets an answer.
// When it was back and showed its question, the answer counted as received.
func TestAnAnswerToAnAgentThatBrokeIsLookedForInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newUnsure()
		r := newRig(t, "", map[string]peer{"one": {a, &a2a.Card{Name: "One"}}})
		id := r.call("send_task", `{"message":"x"}`).TaskID
		a.away.Store(true)
		r.call("send_task", `{"message":"this one","task_id":"`+id+`"}`).refused(t, "whether the agent received the message is not known")
		time.Sleep(time.Minute)
		a.away.Store(false)
		time.Sleep(time.Minute)
		got := r.call("list_tasks", `{}`)
		if !strings.Contains(string(got.raw), `"input-required"`) {
			t.Errorf("got %s, want that it waits", got.raw)
		}
		e, err := r.Runner.Ledger.Task(t.Context(), "alice", id)
		if err != nil || !e.Unconfirmed() || len(e.Task.History) > 1 {
			t.Errorf("got %+v, %v, want an answer that is not confirmed", e, err)
		}
		a.doneAt.Store(1)
		time.Sleep(time.Minute)
		e, err = r.Runner.Ledger.Task(t.Context(), "alice", id)
		if err != nil || e.State() != a2a.Completed {
			t.Fatalf("got %+v, %v, want the end, though no caller asked", e, err)
		}
		if n := len(e.Task.History); n != 3 || e.Task.History[2].Text() != "this one" {
			t.Errorf("got %+v, want the request, the question and the answer", e.Task.History)
		}
		if a.sent() != 2 {
			t.Errorf("the agent was sent %d messages, want 2", a.sent())
		}
	})
}

// TestAnAnswerThatIsRefusedLaterIsNoted sends an answer without waiting for the agent, which refuses
// it. The question was shown again, as if there had been no answer.
func TestAnAnswerThatIsRefusedLaterIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newUnsure()
		asks := a.answer
		a.answer = func(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
			if len(a.got) != 2 {
				return asks(ctx, req)
			}
			return func(more func(a2a.Event, error) bool) {
				time.Sleep(time.Second)
				more(nil, &a2a.Error{Code: a2a.InvalidParams, Message: "only blue and red", Remote: true})
			}
		}
		r := newRig(t, "", map[string]peer{"one": {a, &a2a.Card{Name: "One"}}})
		id := r.call("send_task", `{"message":"x"}`).TaskID
		r.call("send_task", `{"message":"green","task_id":"`+id+`","wait":0}`).want(t, a2a.Working, false)
		time.Sleep(time.Minute)
		got := r.call("get_task", `{"task_id":"`+id+`"}`)
		if !strings.Contains(got.Next, "did not take the last answer: only blue and red") {
			t.Errorf("got %s, want why the answer was not taken", got.raw)
		}
		e, err := r.Runner.Ledger.Task(t.Context(), "alice", id)
		if err != nil || !strings.Contains(e.Public().Status.Message.Text(), "only blue and red") {
			t.Errorf("got %+v, %v, want why the answer was not taken", e, err)
		}
		r.call("send_task", `{"message":"blue","task_id":"`+id+`"}`)
		e, err = r.Runner.Ledger.Task(t.Context(), "alice", id)
		if err != nil || e.Pending().Refused != "" {
			t.Errorf("got %+v, %v, want another answer", e, err)
		}
	})
}

// TestAnAgentThatDoesNotHoldItsQuestionCanBeAnswered has agents ask in a stream, and
// show who looks that they are at work, or that they know of no such task.
func TestAnAgentThatDoesNotHoldItsQuestionCanBeAnswered(t *testing.T) {
	for name, plan := range map[string]string{"at work": "w", "unknown": "u"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &forgetful{plan: plan}
				u := &unsure{}
				a.scripted = &scripted{answer: func(_ context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
					if r.Message.TaskID == "" {
						return yield(u.shown(a2a.InputRequired, "which?"))
					}
					return yield(u.shown(a2a.Completed, "done"))
				}}
				r := newRig(t, "", map[string]peer{"one": {a, &a2a.Card{Name: "One"}}})
				id := r.call("send_task", `{"message":"x"}`).TaskID
				for range 3 {
					r.call("get_task", `{"task_id":"`+id+`"}`).want(t, a2a.InputRequired, false)
					time.Sleep(2 * time.Minute)
				}
				r.call("send_task", `{"message":"this one","task_id":"`+id+`"}`).want(t, a2a.Completed, false)
			})
		})
	}
}

// The page of a task and an app show the question again long after the gateway timed
// out: both say that the answer may have arrived.
func TestWhoComesBackToAnAnswerThatMayBeLostIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newUnsure()
		r := newRig(t, "", map[string]peer{"one": {a, &a2a.Card{Name: "One"}}})
		id := r.call("send_task", `{"message":"x"}`).TaskID
		if v, err := r.Documents.TaskView(as(t.Context(), "alice"), r.Directory.Access(as(t.Context(), "alice")), id); err != nil || v.Record.Unconfirmed() {
			t.Fatalf("got %+v, %v", v, err)
		}
		r.call("send_task", `{"message":"this one","task_id":"`+id+`","wait":0}`)
		time.Sleep(time.Minute)
		before, err := r.Documents.TaskView(as(t.Context(), "alice"), r.Directory.Access(as(t.Context(), "alice")), id)
		if err != nil || before.Record.State() != a2a.InputRequired || !before.Record.Unconfirmed() {
			t.Fatalf("got %+v, %v, want unconfirmed delivery", before, err)
		}
		a.next.Store("and which colour?")
		after, err := r.Documents.TaskView(as(t.Context(), "alice"), r.Directory.Access(as(t.Context(), "alice")), id)
		if err != nil || after.Message != "and which colour?" || after.Record.Unconfirmed() || after.Pause == before.Pause {
			t.Errorf("got %+v, %v, want what the agent asks now, as another question", after, err)
		}
	})
}
