package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/mcp"
)

func sendTool(r *rig) *mcp.Tool {
	for _, t := range r.Tools.List() {
		if t.Name == "send_task" {
			return &t
		}
	}
	return nil
}

func call(args string) *mcp.Call {
	return &mcp.Call{Tool: "send_task", Arguments: json.RawMessage(args), Progress: func(string) {}}
}

// library is an agent with documents.
func library(t *testing.T) peer {
	return running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		var args map[string]string
		for _, p := range turn.Message.Parts {
			if d, ok := p.Content.(a2a.Data); ok {
				json.Unmarshal(d, &args)
			}
		}
		reply := map[string]any{}
		switch {
		case turn.Skill == "search":
			reply["results"] = []map[string]string{
				{"id": "book/1", "title": "On " + args["query"]},
				{"id": "book/2", "title": "More", "url": "https://library.test/2"},
				{"id": "book/3", "title": "Bad link", "url": "javascript:alert(1)"},
			}
		case turn.Skill == "fetch" && args["id"] == "book/1":
			reply = map[string]any{"id": "book/1", "title": "On bridges", "text": "Text.", "metadata": map[string]any{"pages": 7}}
		default:
			return errors.New("no such book")
		}
		part, err := a2a.DataPart(reply)
		turn.Artifact(a2a.Artifact{ID: "r", Parts: []a2a.Part{part}})
		return err
	}, "search", "fetch")
}

func TestSearchAsksTheAgentsAndFetchReads(t *testing.T) {
	broken := running(t, func(context.Context, *a2aexec.Turn) error { return errors.New("broken") }, "search")
	r := newRig(t, "", map[string]peer{"library": library(t), "broken": broken, "down": {}})
	found := r.call("search", `{"query":"bridges"}`)
	want := []documents.Hit{
		{ID: "doc:library:book/1", Title: "On bridges", URL: "https://rialto.test/documents/doc:library:book%2F1"},
		{ID: "doc:library:book/2", Title: "More", URL: "https://library.test/2"},
		{ID: "doc:library:book/3", Title: "Bad link", URL: "https://rialto.test/documents/doc:library:book%2F3"},
	}
	if len(found.Results) != len(want) {
		t.Fatalf("got %+v, want %+v", found.Results, want)
	}
	for i, h := range found.Results {
		if h != want[i] {
			t.Errorf("hit %d: got %+v, want %+v", i, h, want[i])
		}
	}
	if len(found.Items) != 1 || found.Text != string(found.raw) {
		t.Errorf("got %d items, text %q, want one with the same JSON as the structured content", len(found.Items), found.Text)
	}

	read := r.call("fetch", `{"id":"doc:library:book/1"}`)
	const doc = `{"id":"doc:library:book/1","title":"On bridges","text":"Text.","url":"https://rialto.test/documents/doc:library:book%2F1","metadata":{"agent":"library","pages":"7"}}`
	if read.Text != doc || string(read.raw) != doc {
		t.Errorf("got %s, want %s", read.Text, doc)
	}
	r.call("fetch", `{"id":"doc:library:book/9"}`).refused(t, "no such book")
	r.call("fetch", `{"id":"doc:nobody:1"}`).refused(t, "no agent named")
	r.call("fetch", `{"id":"nonsense"}`).refused(t, "no document with the id")
}

func TestSearchFindsAgentsThemselves(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": running(t, nil)})
	found := r.call("search", `{"query":"what TESTS want"}`).Results
	if len(found) != 1 || found[0].ID != "agent:one" {
		t.Fatalf("got %+v, want the agent", found)
	}
	if card := r.call("fetch", `{"id":"agent:one"}`); !strings.Contains(card.Text, "Does what tests want") {
		t.Errorf("got %q", card.Text)
	}
	if none := r.call("search", `{"query":"zebra"}`); none.Text != `{"results":[]}` {
		t.Errorf("got %q, want an empty list", none.Text)
	}
}

func TestListAgentsTellsWhoIsThere(t *testing.T) {
	r := newRig(t, "", map[string]peer{"library": library(t), "down": {}})
	got := map[string]directory.Info{}
	for _, a := range r.Directory.Infos(t.Context(), r.Directory.Access(t.Context())) {
		got[a.Name] = a
	}
	if a := got["library"]; !a.Available || a.Title != "Test Agent" || len(a.Skills) != 2 || a.Default {
		t.Errorf("library: got %+v", a)
	}
	if a := got["down"]; a.Available || !strings.Contains(a.Problem, "cannot be reached") {
		t.Errorf("down: got %+v", a)
	}
}

func TestSearchFindsOnesOwnTasks(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": turns([]any{IsChunk("a", "Seventeen penguins in Ushuaia"), update(a2a.Completed, "done")})})
	id := r.call("send_task", `{"message":"count"}`).TaskID
	if _, err := r.Documents.Index.IndexTasks(t.Context(), 100); err != nil { // or the bridge was faster
		t.Fatal(err)
	}
	got := r.call("search", `{"query":"penguins ushu"}`).Results
	if len(got) != 1 || got[0].ID != "task:"+id || !strings.HasPrefix(got[0].URL, "https://rialto.test/documents/task:") {
		t.Fatalf("got %+v, want the task", got)
	}
	if doc := r.call("fetch", `{"id":"task:`+id+`"}`); !strings.Contains(doc.Text, "Seventeen penguins") {
		t.Errorf("fetched %q", doc.Text)
	}
}

// odd is an agent whose search answers as few would.
func odd(t *testing.T, results string, skills ...string) peer {
	return running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{ID: "r", Parts: []a2a.Part{{Content: a2a.Data(`{"text":"Text.","results":` + results + `}`)}}})
		return nil
	}, append(skills, "search")...)
}

// TestWhatNobodyCanOpenIsNoHit has an agent that finds documents and hands out none.
func TestWhatNobodyCanOpenIsNoHit(t *testing.T) {
	r := newRig(t, "", map[string]peer{"finder": odd(t, `[{"id":"a","title":"A"},{"id":"b","title":"B","url":"https://example.com/b"}]`)})
	if got := r.call("search", `{"query":"x"}`).Results; len(got) != 1 || got[0].URL != "https://example.com/b" {
		t.Errorf("got %+v, want what can be opened at the agent", got)
	}
}

func TestAnOddResultDoesNotTakeTheOthersWithIt(t *testing.T) {
	r := newRig(t, "", map[string]peer{"odd": odd(t, `[{"id":7,"title":"a number"},"text",null,{"id":"a"},{"id":"b","title":" \t"},{"id":"c","title":"C","url":"https://example.com/\u202egpj.exe"}]`, "fetch")})
	want := []documents.Hit{
		{ID: "doc:odd:a", Title: "a", URL: "https://rialto.test/documents/doc:odd:a"},
		{ID: "doc:odd:b", Title: "b", URL: "https://rialto.test/documents/doc:odd:b"},
		{ID: "doc:odd:c", Title: "C", URL: "https://rialto.test/documents/doc:odd:c"},
	}
	if got := r.call("search", `{"query":"x"}`).Results; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := r.call("fetch", `{"id":"doc:odd:a"}`); !strings.Contains(string(got.raw), `"title":"a"`) {
		t.Errorf("fetched a document without its ID as a title: %s", got.raw)
	}
}

func TestAgentsAreFoundByWordsHoweverTheyAreWritten(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": running(t, nil)})
	for _, query := range []string{`\"tests\"`, "tests?", "does, what: tests!", "TÉSTS", "wants (tests)"} {
		want := 1
		if strings.Contains(query, "wants") {
			want = 0 // the card says want
		}
		if got := r.call("search", `{"query":"`+query+`"}`).Results; len(got) != want {
			t.Errorf("%s: got %+v, want %d", query, got, want)
		}
	}
}

func TestTasksAreFoundInScriptsWithoutSpaces(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": turns([]any{
		IsChunk("a", "自動車保険の契約内容を確認する方法について詳しく説明してください。 データベース GPT第3回 ประกันภัยรถยนต์"), update(a2a.Completed, "done"),
	})})
	id := r.call("send_task", `{"message":"count"}`).TaskID
	if _, err := r.Documents.Index.IndexTasks(t.Context(), 100); err != nil { // or the bridge was faster
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		"保険": 1, "自動車保険": 1, "契約内容 保険": 1, "説明してください": 1, "車": 1, "車 保険": 1, "ベース": 1, "ース": 1, "gpt": 1, "第3回": 1, "รถยนต์": 1,
		"生命保険": 0, "険保": 0, "車 生": 0,
	} {
		got := r.call("search", `{"query":"`+query+`"}`).Results
		if len(got) != want || want == 1 && got[0].ID != "task:"+id {
			t.Errorf("%s: got %+v, want %d", query, got, want)
		}
	}
}

// fetch only reads, and apps call it without asking the user: an agent without the
// skill must not get the id as a request.
func TestAnAgentWithoutDocumentsIsNotAskedForOne(t *testing.T) {
	asked := make(chan string, 10)
	doer := func(skills ...string) peer {
		return running(t, func(_ context.Context, turn *a2aexec.Turn) error {
			asked <- turn.Message.Text()
			return nil
		}, skills...)
	}
	r := newRig(t, "", map[string]peer{"doer": doer("delete"), "finder": doer("search"), "silent": doer()})
	for _, agent := range []string{"doer", "finder", "silent"} {
		r.call("fetch", `{"id":"doc:`+agent+`:delete everything"}`).refused(t, "hands out no documents")
	}
	if len(asked) > 0 {
		t.Errorf("an agent got %q", <-asked)
	}
}

// TestFetchSaysHowATaskEnded: of a task that ended without words or output, fetch returned "" as
// text, and rialto doctor reported that the server does not have the shape that ChatGPT reads.
func TestFetchSaysHowATaskEnded(t *testing.T) {
	for name, c := range map[string]struct {
		events []any
		wants  []string
	}{
		"canceled":               {[]any{update(a2a.Canceled, "")}, []string{"The task was canceled", "gave no reason"}},
		"failed":                 {[]any{update(a2a.Failed, "")}, []string{"The task failed", "gave no reason"}},
		"failed with a reason":   {[]any{update(a2a.Failed, "No paper.")}, []string{"The task failed", "No paper."}},
		"rejected":               {[]any{update(a2a.Rejected, "")}, []string{"The agent rejected the task"}},
		"not reached":            {[]any{a2a.Errorf(a2a.Unavailable, "closed")}, []string{"The task failed", "closed"}},
		"completed without more": {[]any{update(a2a.Completed, "")}, []string{"The task is completed", "no output"}},
		"canceled with output":   {[]any{IsChunk("1", "Half a page"), update(a2a.Canceled, "")}, []string{"Half a page", "The task was canceled"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "", map[string]peer{"one": turns(c.events)})
			id := r.call("send_task", `{"message":"go"}`).TaskID
			var doc documents.Document
			if err := json.Unmarshal(r.call("fetch", `{"id":"task:`+id+`"}`).raw, &doc); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.wants {
				if !strings.Contains(doc.Text, want) {
					t.Errorf("got %q, want %q in it", doc.Text, want)
				}
			}
		})
	}
}
