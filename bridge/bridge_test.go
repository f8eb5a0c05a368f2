package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge/ledger"
	"rialto/store"
	"rialto/store/storetest"
)

func TestSendTaskAnswersInline(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{ID: "a", Name: "rows", Parts: []a2a.Part{a2a.TextPart("1,2"), {Content: a2a.Data(`{"n":3}`)}}})
		turn.Complete("Here you are.")
		return nil
	})
	got := newRig(t, "", map[string]peer{"one": agent}).call("send_task", `{"message":"rows, please"}`)
	got.want(t, a2a.Completed, false)
	if got.Agent != "one" || got.TaskID == "" || got.ContextID == "" || got.Message != "Here you are." {
		t.Errorf("got %+v", got.TaskInfo)
	}
	if len(got.Artifacts) != 1 || got.Artifacts[0].Parts[0].Text != "1,2" || string(got.Artifacts[0].Parts[1].Data) != `{"n":3}` {
		t.Errorf("artifacts: got %+v", got.Artifacts)
	}
	if want := "1,2\n{\"n\":3}\nHere you are.\n"; !strings.HasPrefix(got.Text, want) {
		t.Errorf("text: got %q, want the artifacts, then the message", got.Text)
	}
}

func TestProgressIsTheAgentsWords(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		for i := range 5 {
			turn.Working(fmt.Sprint("step ", i))
		}
		return nil
	})
	var lines []string
	r := newRig(t, "", map[string]peer{"one": agent})
	r.callAs("alice", "send_task", `{"message":"go"}`, func(s string) { lines = append(lines, s) }).want(t, a2a.Completed, false)
	if want := []string{"step 0", "step 1", "step 2", "step 3", "step 4"}; !reflect.DeepEqual(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestATaskOutlivesTheWait(t *testing.T) {
	finish := make(chan struct{})
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		turn.Working("on it")
		<-finish
		turn.Complete("done at last")
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	handle := r.call("send_task", `{"message":"go","wait":0}`)
	if handle.IsError || handle.TaskID == "" || handle.State.Idle() || !strings.Contains(handle.Next, "get_task") {
		t.Fatalf("got %+v", handle.TaskInfo)
	}
	still := r.call("get_task", `{"task_id":"`+handle.TaskID+`","wait":0}`)
	if still.IsError || still.State.Idle() {
		t.Fatalf("while it works: got %+v", still.TaskInfo)
	}
	close(finish)
	done := r.call("get_task", `{"task_id":"`+handle.TaskID+`"}`)
	done.want(t, a2a.Completed, false)
	if done.Message != "done at last" {
		t.Errorf("got message %q", done.Message)
	}
}

func TestAClientThatHangsUpLosesNothing(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		close(started)
		<-finish
		turn.Complete("done")
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	ctx, hangUp := context.WithCancel(as(t.Context(), "alice"))
	go func() { <-started; hangUp() }()
	res, err := sendTool(r).Call(ctx, call(`{"message":"go"}`))
	if err != nil {
		t.Fatal(err)
	}
	handle := read(t, res).TaskID
	close(finish)
	r.call("get_task", `{"task_id":"`+handle+`"}`).want(t, a2a.Completed, false)
}

func TestAQuestionIsAnsweredInTheSameTask(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		if len(turn.Task().History) < 2 {
			turn.Ask("Which table?")
			return nil
		}
		turn.Complete("You said " + turn.Message.Text())
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	asked := r.call("send_task", `{"message":"count"}`)
	asked.want(t, a2a.InputRequired, false)
	if asked.Message != "Which table?" || !strings.Contains(asked.Next, asked.TaskID) {
		t.Errorf("got %+v", asked.TaskInfo)
	}
	told := r.call("send_task", `{"message":"claims","task_id":"`+asked.TaskID+`"}`)
	told.want(t, a2a.Completed, false)
	if told.TaskID != asked.TaskID || told.Message != "You said claims" {
		t.Errorf("got %+v", told.TaskInfo)
	}
	r.call("send_task", `{"message":"more","task_id":"`+asked.TaskID+`"}`).refused(t, "has ended (completed)")

	history := r.call("get_task", `{"task_id":"`+asked.TaskID+`","history_length":10}`).History
	if len(history) == 0 || history[0].Text != "count" {
		t.Errorf("history: got %+v", history)
	}
	next := r.call("send_task", `{"message":"again","context_id":"`+asked.ContextID+`"}`)
	if next.ContextID != asked.ContextID || next.TaskID == asked.TaskID {
		t.Errorf("in the same conversation: got %+v", next.TaskInfo)
	}
}

func TestATaskIsTakenUpAfterARestart(t *testing.T) {
	finish := make(chan struct{})
	turns := 0
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		turns++
		turn.Working("on it")
		<-finish
		turn.Complete("done")
		return nil
	})
	dsn := storetest.File(t, store.Open)
	agents := map[string]peer{"one": agent}
	first := newRig(t, dsn, agents)
	handle := first.call("send_task", `{"message":"go","wait":0}`).TaskID
	first.Close()

	second := newRig(t, dsn, agents)
	close(finish)
	second.call("get_task", `{"task_id":"`+handle+`"}`).want(t, a2a.Completed, false)
	if turns != 1 {
		t.Errorf("the agent was given the message %d times, want 1", turns)
	}
}

func TestAnotherReplicaTellsOfATask(t *testing.T) {
	finish := make(chan struct{})
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		<-finish
		turn.Complete("done")
		return nil
	})
	dsn := storetest.File(t, store.Open)
	agents := map[string]peer{"one": agent}
	first, second := newRig(t, dsn, agents), newRig(t, dsn, agents)
	handle := first.call("send_task", `{"message":"go","wait":0}`).TaskID
	close(finish)
	second.call("get_task", `{"task_id":"`+handle+`"}`).want(t, a2a.Completed, false)
}

func TestAMessageThatMayHaveArrivedIsNotSentAgain(t *testing.T) {
	t.Parallel() // most of it waits
	arrived := make(chan struct{})
	silent := &scripted{answer: func(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return func(yield func(a2a.Event, error) bool) {
			close(arrived)
			<-ctx.Done() // the bridge stops before the agent says a word
			yield(nil, ctx.Err())
		}
	}}
	agents := map[string]peer{"one": {silent, &a2a.Card{Name: "Silent"}}}
	dsn := storetest.File(t, store.Open)
	first := newRig(t, dsn, agents)
	handle := make(chan string)
	go func() {
		res, err := sendTool(first).Call(as(context.Background(), "alice"), call(`{"message":"go","wait":0}`))
		if err != nil {
			t.Error(err)
		}
		handle <- read(t, res).TaskID
	}()
	<-arrived
	id := <-handle
	first.Close()

	second := newRig(t, dsn, agents)
	got := second.call("get_task", `{"task_id":"`+id+`"}`)
	got.want(t, a2a.Failed, true)
	if !strings.Contains(got.Message, "not sent again") || silent.sent() != 1 {
		t.Errorf("got %q, sent %d times, want a failure that says so, and 1", got.Message, silent.sent())
	}
}

func TestWhatAgentsCanAnswer(t *testing.T) {
	status := func(s a2a.State, text string) *a2a.StatusUpdate {
		return &a2a.StatusUpdate{TaskID: "up", ContextID: "ctx", Status: a2a.Status{State: s, Message: &a2a.Message{ID: text, Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}}}
	}
	for name, c := range map[string]struct {
		events  []any
		state   a2a.State
		isError bool
		message string
	}{
		"a message instead of a task": {
			[]any{&a2a.Message{ContextID: "ctx", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("hello")}}},
			a2a.Completed, false, "hello",
		},
		"a status before any task":  {[]any{status(a2a.Working, "hm"), status(a2a.Completed, "ok")}, a2a.Completed, false, "ok"},
		"a failed task is an error": {[]any{status(a2a.Failed, "no such table")}, a2a.Failed, true, "no such table"},
		"a rejected task is too":    {[]any{status(a2a.Rejected, "not my job")}, a2a.Rejected, true, "not my job"},
		"so is a canceled one":      {[]any{status(a2a.Canceled, "stopped")}, a2a.Canceled, true, "stopped"},
		"a sign-in is asked for":    {[]any{status(a2a.AuthRequired, "https://example.com/login")}, a2a.AuthRequired, false, "https://example.com/login"},
		"an error of the agent's":   {[]any{&a2a.Error{Code: a2a.InvalidParams, Message: "bad", Remote: true}}, a2a.Failed, true, "bad"},
		"an error of the network's": {[]any{errors.New("read tcp 10.0.0.7: connection reset")}, a2a.Failed, true, "The connection to the agent broke before it answered. Whether it received the message is not known."},
		"nothing at all":            {nil, a2a.Failed, true, "the agent ended its answer before saying anything"},
		"hidden characters are taken out": {
			[]any{status(a2a.Completed, "a\x1b[31mb\u202ec\U000e0041d")}, a2a.Completed, false, "a[31mbcd",
		},
	} {
		t.Run(name, func(t *testing.T) {
			agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] { return yield(c.events...) }}
			r := newRig(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "Scripted"}}})
			got := r.call("send_task", `{"message":"go"}`)
			got.want(t, c.state, c.isError)
			if got.Message != c.message || !strings.Contains(got.Text, c.message) {
				t.Errorf("got %q in %q, want %q", got.Message, got.Text, c.message)
			}
			r.call("get_task", `{"task_id":"`+got.TaskID+`"}`).want(t, c.state, c.isError)
		})
	}
}

func TestFilesBothWays(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n")
	var got *a2a.Message
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		got = turn.Message
		turn.Artifact(a2a.Artifact{ID: "f", Parts: []a2a.Part{
			{Content: a2a.Raw(png), MediaType: "image/png"},
			{Content: a2a.Raw("zip"), MediaType: "application/zip", Filename: "a b.zip"},
			{Content: a2a.URL("https://example.com/r.pdf"), MediaType: "application/pdf", Filename: "r.pdf"},
		}})
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	answer := r.call("send_task", `{"message":"look","files":[{"name":"x.csv","media_type":"text/csv","bytes":"YSxi"},{"url":"https://example.com/y"}],"data":{"k":1}}`)
	answer.want(t, a2a.Completed, false)
	want := []a2a.Content{a2a.Text("look"), a2a.Raw("a,b"), a2a.URL("https://example.com/y"), a2a.Data(`{"k":1}`)}
	for i, p := range got.Parts {
		if !reflect.DeepEqual(p.Content, want[i]) {
			t.Errorf("part %d to the agent: got %v, want %v", i, p.Content, want[i])
		}
	}
	var types []any
	for _, item := range answer.Items {
		types = append(types, item["type"])
	}
	if !reflect.DeepEqual(types, []any{"image", "resource", "resource_link", "text"}) {
		t.Errorf("items of the result: got %v", types)
	}
	r.call("send_task", `{"message":"look","files":[{"name":"x"}]}`).refused(t, "files[0] has no content")
}

func TestAResultIsBounded(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{ID: "big", Parts: []a2a.Part{a2a.TextPart(strings.Repeat("ü", 300_000))}})
		turn.Complete("ok")
		return nil
	})
	got := newRig(t, "", map[string]peer{"one": agent}).call("send_task", `{"message":"go"}`)
	got.want(t, a2a.Completed, false)
	if whole := len([]rune(got.Text)) + len([]rune(string(got.raw))); whole > 100_000 || !got.Truncated || !strings.Contains(got.Text, "There is more") {
		t.Errorf("got %d characters, truncated %v, want at most 100,000 and a word about it", whole, got.Truncated)
	}
}

func TestWhichAgentIsMeant(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error { return nil })
	r := newRig(t, "", map[string]peer{"one": agent, "two": agent, "down": {}})
	r.call("send_task", `{"message":"go"}`).refused(t, `"agent" is missing`)
	r.call("send_task", `{"message":"go","agent":"three"}`).refused(t, `no agent named "three"`)
	r.call("send_task", `{"message":" ","agent":"two"}`).refused(t, `"message" is empty`)
	r.Directory.Default = "two"
	if got := r.call("send_task", `{"message":"go"}`); got.Agent != "two" {
		t.Errorf("got agent %q, want the default", got.Agent)
	}
	r.call("send_task", `{"message":"go","agent":"down"}`).refused(t, "The agent down cannot be reached now.")
}

func TestATaskIsCanceled(t *testing.T) {
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		if turn.Message.Text() == "ask" {
			turn.Ask("what?")
			return nil
		}
		if turn.Message.Text() == "done" {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	working := r.call("send_task", `{"message":"go","wait":0}`)
	r.call("cancel_task", `{"task_id":"`+working.TaskID+`"}`).want(t, a2a.Canceled, false)
	r.call("cancel_task", `{"task_id":"`+working.TaskID+`"}`).want(t, a2a.Canceled, false) // the tool says that it is idempotent

	waiting := r.call("send_task", `{"message":"ask"}`)
	waiting.want(t, a2a.InputRequired, false)
	r.call("cancel_task", `{"task_id":"`+waiting.TaskID+`"}`).want(t, a2a.Canceled, false)
	r.call("send_task", `{"message":"this","task_id":"`+waiting.TaskID+`"}`).refused(t, "has ended (canceled)")

	done := r.call("send_task", `{"message":"done"}`)
	r.call("cancel_task", `{"task_id":"`+done.TaskID+`"}`).refused(t, "has ended (completed) and cannot be canceled")
}

func TestTasksAreListed(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Complete("done: " + turn.Message.Text())
		return nil
	})
	r := newRig(t, "", map[string]peer{"one": agent})
	for _, m := range []string{"a", "b", "c"} {
		r.call("send_task", `{"message":"`+m+`"}`).want(t, a2a.Completed, false)
	}
	var page struct {
		Tasks []ledger.Summary `json:"tasks"`
		Next  string           `json:"next_cursor"`
	}
	list := func(args string) {
		t.Helper()
		page.Next = ""
		if err := json.Unmarshal(r.call("list_tasks", args).raw, &page); err != nil {
			t.Fatal(err)
		}
	}
	list(`{"limit":2}`)
	if len(page.Tasks) != 2 || page.Tasks[0].Asked != "c" || page.Tasks[0].Message != "done: c" || page.Next == "" {
		t.Fatalf("first page: got %+v", page)
	}
	list(`{"limit":2,"cursor":"` + page.Next + `"}`)
	if len(page.Tasks) != 1 || page.Tasks[0].Message != "done: a" || page.Next != "" {
		t.Fatalf("second page: got %+v", page)
	}
	if text := r.call("list_tasks", `{"limit":1}`).Text; !strings.Contains(text, `asked: "c"  said: "done: c"`) {
		t.Errorf("the list says %q", text)
	}
	list(`{"state":"failed"}`)
	if len(page.Tasks) != 0 {
		t.Errorf("failed tasks: got %+v, want none", page.Tasks)
	}
	r.call("list_tasks", `{"cursor":"x"}`).refused(t, "next_cursor")
	r.call("list_tasks", `{"since":"yesterday"}`).refused(t, `"since"`)
	if bobs := r.callAs("bob", "list_tasks", `{}`, func(string) {}); !strings.Contains(bobs.Text, "no such tasks") {
		t.Errorf("bob sees %q", bobs.Text)
	}
}

func TestTheNextMessageKeepsItsFollower(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error { turn.Ask("more?"); return nil })
	r := newRig(t, "", map[string]peer{"one": agent})
	id := r.call("send_task", `{"message":"go"}`).TaskID
	for range 50 { // each follower ends while the next one starts
		r.call("send_task", `{"message":"more","task_id":"`+id+`"}`).want(t, a2a.InputRequired, false)
	}
}

// TestTheFirstStatusIsProgress has an agent begin with a task that works, as one
// is shown that begins with a status (trpc-a2a-go 0.2.5), and show it again.
func TestTheFirstStatusIsProgress(t *testing.T) {
	works := a2a.Task{ID: "t1", Status: a2a.Status{State: a2a.Working, Message: &a2a.Message{ID: "m", Parts: []a2a.Part{a2a.TextPart("reading")}}}}
	more := works
	more.Artifacts = []a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart("x")}}}
	word := func(text string) *a2a.ArtifactUpdate {
		return &a2a.ArtifactUpdate{TaskID: "t1", Artifact: a2a.Artifact{ID: "b", Parts: []a2a.Part{a2a.TextPart(text)}}, Append: text != "one"}
	}
	agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return yield(&works, &more, word("one"), word("two"), word("three"), &a2a.StatusUpdate{TaskID: "t1", Status: a2a.Status{State: a2a.Completed}})
	}}
	r := newRig(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}})
	var lines []string
	r.callAs("alice", "send_task", `{"message":"go"}`, func(line string) { lines = append(lines, line) }).want(t, a2a.Completed, false)
	if strings.Join(lines, ", ") != "reading, one" {
		t.Errorf("got %q, want what it is doing, once, and the first piece of many", lines)
	}
}
