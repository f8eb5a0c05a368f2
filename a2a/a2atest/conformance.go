package a2atest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
)

// TestAgent checks that what dial makes of an Agent behaves as a2a.Agent promises: that a wire
// between caller and agent changes nothing. dial is called once for each case. Cases named in
// except are what the wire cannot carry.
func TestAgent(t *testing.T, dial func(t *testing.T, agent *Agent) a2a.Agent, except ...string) {
	runCases(t, dial, except, map[string]func(*testing.T, *Agent, a2a.Agent){
		"a send waits for the end":                       testSend,
		"a send may be answered by a message":            testSay,
		"a send that should not wait does not":           testImmediately,
		"a stream tells all there is to the task":        testStream,
		"a stream may be answered by a message":          testStreamSay,
		"chunks add up":                                  testChunks,
		"parts of every kind survive the trip":           testParts,
		"the agent gets what was sent":                   testRequest,
		"a question ends the stream and can be answered": testAsk,
		"each state that ends a turn arrives":            testStates,
		"a task can be canceled once":                    testCancel,
		"a task that is not there is not found":          testNotFound,
		"a task can be followed by several at once":      testSubscribe,
		"a task that has ended cannot be followed":       testSubscribeEnded,
		"refusals keep their codes":                      testRefusals,
		"an agent's own troubles stay its own":           testBreak,
		"the end of a call is not the end of the task":   testHangUp,
		"history is cut as asked":                        testHistory,
		"many calls do not mix":                          testMany,
	})
}

func runCases(t *testing.T, dial func(t *testing.T, agent *Agent) a2a.Agent, except []string, cases map[string]func(*testing.T, *Agent, a2a.Agent)) {
	for name, test := range cases {
		if slices.Contains(except, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			agent := NewAgent()
			t.Cleanup(func() { agent.Close() })
			test(t, agent, dial(t, agent))
		})
	}
}

// Say returns a request that says text, with a message id.
func Say(text string) *a2a.SendRequest {
	return &a2a.SendRequest{Message: &a2a.Message{ID: "id of " + text, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}}
}

func reply(task *a2a.Task, text string) *a2a.SendRequest {
	req := Say(text)
	req.Message.TaskID, req.Message.ContextID = task.ID, task.ContextID
	return req
}

func testContext(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	return ctx
}

func sendTask(t *testing.T, a a2a.Agent, req *a2a.SendRequest) *a2a.Task {
	t.Helper()
	e, err := a.Send(testContext(t), req)
	if err != nil {
		t.Fatalf("send: %v", err)
	}
	task, ok := e.(*a2a.Task)
	if !ok {
		t.Fatalf("got %T, want a task", e)
	}
	return task
}

// fold plays a stream into the task that it is about.
func fold(t *testing.T, events iter.Seq2[a2a.Event, error]) (*a2a.Task, []a2a.Event) {
	t.Helper()
	var task *a2a.Task
	var all []a2a.Event
	for e, err := range events {
		if err != nil {
			t.Fatalf("after %d events: %v", len(all), err)
		}
		all = append(all, e)
		switch first, ok := e.(*a2a.Task); {
		case task != nil:
			task.Apply(e)
		case ok:
			task = first.Clone()
		default:
			t.Fatalf("got %T first, want a task", e)
		}
	}
	if task == nil {
		t.Fatal("got no events")
	}
	return task, all
}

func wantState(t *testing.T, task *a2a.Task, want a2a.State) {
	t.Helper()
	if task.Status.State != want {
		t.Fatalf("got state %s (%q), want %s", task.Status.State, task.Status.Message.Text(), want)
	}
}

func wantCode(t *testing.T, err error, want a2a.Code) {
	t.Helper()
	if !a2a.Is(err, want) {
		t.Errorf("got %#v, want code %s", err, want)
	}
}

// firstError returns what a stream fails with.
func firstError(events iter.Seq2[a2a.Event, error]) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

func artifactText(task *a2a.Task) string {
	if len(task.Artifacts) == 0 {
		return ""
	}
	return task.Artifacts[0].Text()
}

func testSend(t *testing.T, _ *Agent, a a2a.Agent) {
	task := sendTask(t, a, Say("echo hello"))
	wantState(t, task, a2a.Completed)
	if got := artifactText(task); got != "hello" {
		t.Errorf("got %q, want hello", got)
	}
	if task.ContextID == "" || task.Status.Timestamp.IsZero() || len(task.History) == 0 || task.History[0].ID != "id of echo hello" {
		t.Errorf("got %+v, want a context, a time and the message in the history", task)
	}
}

func testSay(t *testing.T, _ *Agent, a a2a.Agent) {
	e, err := a.Send(testContext(t), Say("say hello"))
	m, ok := e.(*a2a.Message)
	if err != nil || !ok || m.Text() != "hello" || m.Role != a2a.RoleAgent || m.ID == "" {
		t.Errorf("got %+v, %v, want the agent's message", e, err)
	}
}

func testStreamSay(t *testing.T, _ *Agent, a a2a.Agent) {
	var got []a2a.Event
	for e, err := range a.Stream(testContext(t), Say("say hello")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if len(got) != 1 || got[0].(*a2a.Message).Text() != "hello" {
		t.Errorf("got %v, want one message", got)
	}
}

func testImmediately(t *testing.T, agent *Agent, a a2a.Agent) {
	req := Say("wait over")
	req.ReturnImmediately = true
	task := sendTask(t, a, req)
	if task.Status.State.Idle() {
		t.Fatalf("got state %s before the agent was released", task.Status.State)
	}
	agent.Release()
	task, _ = fold(t, orEnded(t, a, task.ID))
	wantState(t, task, a2a.Completed)
	if got := artifactText(task); got != "over" {
		t.Errorf("got %q, want over", got)
	}
}

func testStream(t *testing.T, _ *Agent, a a2a.Agent) {
	task, events := fold(t, a.Stream(testContext(t), Say("echo hello")))
	wantState(t, task, a2a.Completed)
	kept, err := a.Task(testContext(t), a2a.TaskQuery{ID: task.ID})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, task.Artifacts), asJSON(t, kept.Artifacts); got != want {
		t.Errorf("the stream told of %s, the task has %s", got, want)
	}
	var working bool
	for _, e := range events {
		u, ok := e.(*a2a.StatusUpdate)
		working = working || ok && u.Status.Message.Text() == "working"
	}
	if !working {
		t.Errorf("got %s, without the progress", asJSON(t, events))
	}
}

func testChunks(t *testing.T, _ *Agent, a a2a.Agent) {
	task, _ := fold(t, a.Stream(testContext(t), Say("chunks")))
	if got := artifactText(task); got != "chunk 1\nchunk 2\nchunk 3" {
		t.Errorf("got %q", got)
	}
}

func testParts(t *testing.T, _ *Agent, a a2a.Agent) {
	req := Say("parts")
	want := []a2a.Part{
		{Content: a2a.Text("<b> & \u2028 \U0001F309"), Metadata: a2a.Metadata{"k": "v"}},
		{Content: a2a.Raw{0, 1, 254, 255}, Filename: "a.png", MediaType: "image/png"},
		{Content: a2a.Raw{}, MediaType: "application/octet-stream"},
		{Content: a2a.URL("https://files.example/a?b=c&d"), Filename: "a", MediaType: "text/csv"},
		{Content: a2a.Data(`{"n":9007199254740993,"nested":{"a":[1,null]}}`), Metadata: a2a.Metadata{"k": "v"}},
		{Content: a2a.Data(`[1,"two",null]`)},
		{Content: a2a.Data(`null`)},
		{Content: a2a.Data(`"words"`)},
	}
	req.Message.Parts = append(req.Message.Parts, want...)
	got := sendTask(t, a, req).Artifacts[0].Parts
	if len(got) != len(want) {
		t.Fatalf("got %d parts, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("part %d: got %s, want %s", i, asJSON(t, got[i]), asJSON(t, want[i]))
		}
	}
}

func testRequest(t *testing.T, agent *Agent, a a2a.Agent) {
	n := 7
	req := &a2a.SendRequest{
		Message: &a2a.Message{ID: "m-1", ContextID: "c-1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("say x")},
			Metadata: a2a.Metadata{"skillId": "echo"}, ReferenceTaskIDs: []a2a.TaskID{"t-0"}, Extensions: []string{"https://x.example/1"}},
		AcceptedOutputModes: []string{"text/plain", "image/png"},
		ReturnImmediately:   true,
		HistoryLength:       &n,
		Metadata:            a2a.Metadata{"trace": "abc", "deep": map[string]any{"a": []any{"b"}}},
	}
	if _, err := a.Send(testContext(t), req); err != nil {
		t.Fatal(err)
	}
	got := agent.Received()
	if len(got) != 1 || !reflect.DeepEqual(got[0], req) {
		t.Errorf("got %s, want %s", asJSON(t, got), asJSON(t, req))
	}
}

func testAsk(t *testing.T, _ *Agent, a a2a.Agent) {
	task, _ := fold(t, a.Stream(testContext(t), Say("ask which one?")))
	wantState(t, task, a2a.InputRequired)
	if got := task.Status.Message.Text(); got != "which one?" {
		t.Errorf("got question %q", got)
	}
	next, _ := fold(t, a.Stream(testContext(t), reply(task, "echo that one")))
	wantState(t, next, a2a.Completed)
	if next.ID != task.ID || next.ContextID != task.ContextID || artifactText(next) != "that one" {
		t.Errorf("got %s, want the same task to go on", asJSON(t, next))
	}
	_, err := a.Send(testContext(t), reply(task, "echo again"))
	wantCode(t, err, a2a.UnsupportedOperation)
}

func testStates(t *testing.T, _ *Agent, a a2a.Agent) {
	for verb, want := range map[string]a2a.State{"ask": a2a.InputRequired, "auth": a2a.AuthRequired, "fail": a2a.Failed, "reject": a2a.Rejected} {
		task := sendTask(t, a, Say(verb+" because"))
		wantState(t, task, want)
		if got := task.Status.Message.Text(); got != "because" {
			t.Errorf("%s: got %q", verb, got)
		}
	}
}

func testCancel(t *testing.T, _ *Agent, a a2a.Agent) {
	req := Say("hang")
	req.ReturnImmediately = true
	task := sendTask(t, a, req)
	canceled, err := a.Cancel(testContext(t), task.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, canceled, a2a.Canceled)
	_, err = a.Cancel(testContext(t), task.ID)
	wantCode(t, err, a2a.TaskNotCancelable)
}

func testNotFound(t *testing.T, _ *Agent, a a2a.Agent) {
	ctx, none := testContext(t), &a2a.Task{ID: "there-is-none"}
	_, err := a.Task(ctx, a2a.TaskQuery{ID: none.ID})
	wantCode(t, err, a2a.TaskNotFound)
	_, err = a.Cancel(ctx, none.ID)
	wantCode(t, err, a2a.TaskNotFound)
	_, err = a.Send(ctx, reply(none, "echo"))
	wantCode(t, err, a2a.TaskNotFound)
	wantCode(t, firstError(a.Stream(ctx, reply(none, "echo again"))), a2a.TaskNotFound)
	wantCode(t, firstError(a.Subscribe(ctx, none.ID)), a2a.TaskNotFound)
}

func testSubscribe(t *testing.T, agent *Agent, a a2a.Agent) {
	req := Say("wait over")
	req.ReturnImmediately = true
	task := sendTask(t, a, req)
	var following, done sync.WaitGroup
	ends := make([]*a2a.Task, 3)
	for i := range ends {
		following.Add(1)
		done.Go(func() {
			first := true
			for e, err := range a.Subscribe(testContext(t), task.ID) {
				switch whole, ok := e.(*a2a.Task); {
				case err != nil:
					t.Errorf("follower %d: %v", i, err)
				case first && !ok:
					t.Errorf("follower %d: got %T first, want the task", i, e)
				case first:
					ends[i] = whole.Clone()
				default:
					ends[i].Apply(e)
				}
				if first {
					following.Done()
				}
				first = false
			}
		})
	}
	following.Wait()
	agent.Release()
	done.Wait()
	for _, end := range ends {
		wantState(t, end, a2a.Completed)
		if got := artifactText(end); got != "over" {
			t.Errorf("got %q, want over", got)
		}
	}
}

func testSubscribeEnded(t *testing.T, _ *Agent, a a2a.Agent) {
	task := sendTask(t, a, Say("echo x"))
	wantCode(t, firstError(a.Subscribe(testContext(t), task.ID)), a2a.UnsupportedOperation)
}

func testRefusals(t *testing.T, _ *Agent, a a2a.Agent) {
	for _, code := range []a2a.Code{a2a.TaskNotFound, a2a.TaskNotCancelable, a2a.PushNotSupported, a2a.UnsupportedOperation,
		a2a.ContentTypeNotSupported, a2a.InvalidAgentResponse, a2a.ExtendedCardMissing, a2a.ExtensionRequired,
		a2a.InvalidParams, a2a.Internal, a2a.Unauthenticated, a2a.Forbidden} {
		_, err := a.Send(testContext(t), Say("refuse "+string(code)))
		wantCode(t, err, code)
		err = firstError(a.Stream(testContext(t), Say("refuse "+string(code))))
		wantCode(t, err, code)
		if want := "told to refuse with " + string(code); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func testBreak(t *testing.T, _ *Agent, a a2a.Agent) {
	_, err := a.Send(testContext(t), Say("break"))
	wantCode(t, err, a2a.Internal)
	for _, err := range []error{err, firstError(a.Stream(testContext(t), Say("break")))} {
		if err == nil || err.Error() != "internal error" {
			t.Errorf("got %v, want no more than that something broke", err)
		}
	}
}

func testHangUp(t *testing.T, agent *Agent, a a2a.Agent) {
	ctx, hangUp := context.WithCancel(testContext(t))
	var task *a2a.Task
	for e, err := range a.Stream(ctx, Say("wait over")) {
		if err != nil {
			break
		}
		if first, ok := e.(*a2a.Task); ok {
			task = first
			hangUp()
		}
	}
	hangUp()
	agent.Release()
	got, err := a.Task(testContext(t), a2a.TaskQuery{ID: task.ID})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Status.State.Terminal() {
		got, _ = fold(t, orEnded(t, a, task.ID))
	}
	wantState(t, got, a2a.Completed)
}

// orEnded follows a task that may end before we do.
func orEnded(t *testing.T, a a2a.Agent, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		for e, err := range a.Subscribe(testContext(t), id) {
			if a2a.Is(err, a2a.UnsupportedOperation) {
				task, err := a.Task(testContext(t), a2a.TaskQuery{ID: id})
				yield(task, err)
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func testHistory(t *testing.T, _ *Agent, a a2a.Agent) {
	none, one := 0, 1
	req := Say("ask which?")
	req.HistoryLength = &none
	task := sendTask(t, a, req)
	if len(task.History) != 0 {
		t.Errorf("got %d messages where none was asked for", len(task.History))
	}
	sendTask(t, a, reply(task, "echo x"))
	for n, want := range map[*int]int{&none: 0, &one: 1} {
		got, err := a.Task(testContext(t), a2a.TaskQuery{ID: task.ID, HistoryLength: n})
		if err != nil || len(got.History) != want {
			t.Errorf("got %+v, %v, want %d messages", got, err, want)
		}
	}
	got, err := a.Task(testContext(t), a2a.TaskQuery{ID: task.ID})
	if err != nil || len(got.History) < 2 {
		t.Errorf("got %+v, %v, want the whole history", got, err)
	}
}

func testMany(t *testing.T, _ *Agent, a a2a.Agent) {
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			want := fmt.Sprint("number ", i)
			task, _ := fold(t, a.Stream(testContext(t), Say("echo "+want)))
			if got := artifactText(task); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
