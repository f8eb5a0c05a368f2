package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/internal/raced"
	"rialto/mcp"
	"rialto/store"
	"rialto/store/storetest"
)

// variables takes a URI apart as a template does.
func variables(uri string) (form int, v map[string]string) {
	at := strings.Split(uri, "/")[2:]
	switch {
	case at[0] == "agents":
		return 3, map[string]string{"agent": at[1]}
	case len(at) == 2:
		return 0, map[string]string{"task": at[1]}
	case len(at) == 4:
		return 1, map[string]string{"task": at[1], "artifact": at[3]}
	}
	return 2, map[string]string{"task": at[1], "artifact": at[3], "part": at[5]}
}

// read reads a resource for user.
func (r *rig) read(user, uri string) ([]mcp.Contents, error) {
	form, v := variables(uri)
	return r.Documents.Resources().Templates()[form].Read(as(r.t.Context(), user), &mcp.Read{URI: uri, Variables: v})
}

// contents reads a resource for alice as clients see it.
func (r *rig) contents(uri string) string {
	r.t.Helper()
	c, err := r.read("alice", uri)
	if err != nil {
		r.t.Fatalf("%s: %v", uri, err)
	}
	b, err := json.Marshal(c)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func all() []a2a.Part {
	return []a2a.Part{
		a2a.TextPart("a \x00text"), {Content: a2a.Data(`{"n":1}`)}, {Content: a2a.URL("https://example.com/x"), MediaType: "image/png"},
		{Content: a2a.Raw("a,b\n"), MediaType: "text/csv"}, {Content: a2a.Raw("a\x00b"), MediaType: "text/csv"}, {Content: a2a.Raw("\x89PNG"), MediaType: "image/png"},
	}
}

func TestWhatATaskMadeIsReadAsWhatItIs(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": turns([]any{made("many", all()...), made("only", a2a.TextPart("one")), update(a2a.Completed, "done")})})
	got := r.call("send_task", `{"message":"go"}`)
	uri := got.Artifacts[0].URI
	if want := documents.TaskURI(got.TaskID) + "/artifacts/many"; uri != want {
		t.Fatalf("got %q, want %q", uri, want)
	}
	parts := []string{
		`"mimeType":"text/plain","text":"a text"`,
		`"mimeType":"application/json","text":"{\"n\":1}"`,
		`"mimeType":"text/uri-list","text":"https://example.com/x"`,
		`"mimeType":"text/csv","text":"a,b\n"`,
		`"mimeType":"text/csv","blob":"YQBi"`,
		`"mimeType":"image/png","blob":"iVBORw=="`,
	}
	whole := []string{}
	for i, p := range parts {
		one := fmt.Sprintf(`{"uri":"%s/parts/%d",%s}`, uri, i, p)
		if got := r.contents(fmt.Sprintf("%s/parts/%d", uri, i)); got != "["+one+"]" {
			t.Errorf("part %d: got %s, want %s", i, got, one)
		}
		whole = append(whole, one)
	}
	if got, want := r.contents(uri), "["+strings.Join(whole, ",")+"]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	only := got.Artifacts[1].URI
	if got, want := r.contents(only), `[{"uri":"`+only+`","mimeType":"text/plain","text":"one"}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if task := r.contents(documents.TaskURI(got.TaskID)); !strings.Contains(task, `\"state\":\"completed\"`) || !strings.Contains(task, uri) {
		t.Errorf("the task: got %s", task)
	}
	if card := r.contents("rialto://agents/one/card"); !strings.Contains(card, `\"title\":\"Scripted\"`) {
		t.Errorf("the card: got %s", card)
	}
}

func TestWhatIsNotTheReadersIsNotThere(t *testing.T) {
	r := newRigWith(t, "", map[string]peer{"one": turns([]any{made("a", a2a.TextPart("one")), update(a2a.Completed, "done")})}, func(b *bridge.Bridge) {
		b.Directory.Initial = append(b.Directory.Initial, directory.AgentConfig{Name: "hidden", UseCases: []string{"claims"}})
	})
	task := documents.TaskURI(r.call("send_task", `{"message":"go","agent":"one"}`).TaskID)
	for _, uri := range []string{task, task + "/artifacts/a", task + "/artifacts/a/parts/0"} {
		if _, err := r.read("bob", uri); !errors.Is(err, mcp.ErrNoResource) {
			t.Errorf("%s of another: got %v, want ErrNoResource", uri, err)
		}
	}
	for _, uri := range []string{
		documents.TaskURI("x"), task + "/artifacts/b", task + "/artifacts/", task + "/artifacts/a/parts/1", task + "/artifacts/a/parts/-1",
		task + "/artifacts/a/parts/00", task + "/artifacts/a/parts/x", "rialto://agents/two/card", "rialto://agents/hidden/card",
	} {
		if _, err := r.read("alice", uri); !errors.Is(err, mcp.ErrNoResource) {
			t.Errorf("%s: got %v, want ErrNoResource", uri, err)
		}
	}
}

func TestWhatIsTooLargeToReadSaysWhatToDo(t *testing.T) {
	large := a2a.Part{Content: a2a.Raw(make([]byte, documents.MaxResource)), Filename: "dump"}
	r := newRigWith(t, "", map[string]peer{"one": turns([]any{made("text", a2a.TextPart("first")), made("many", large, a2a.TextPart("last")), update(a2a.Completed, "done")})},
		func(b *bridge.Bridge) {
			b.Documents.Downloads = &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour}
		})
	uri := r.call("send_task", `{"message":"go"}`).Artifacts[1].URI
	_, err := r.read("alice", uri)
	if refused, ok := errors.AsType[*mcp.Error](err); !ok || !strings.Contains(refused.Message, uri+"/parts/0 to "+uri+"/parts/1") {
		t.Errorf("got %v, want the URIs of the parts", err)
	}
	_, err = r.read("alice", uri+"/parts/0")
	refused, ok := errors.AsType[*mcp.Error](err)
	if !ok {
		t.Fatalf("got %v, want a refusal", err)
	}
	var about struct{ Download string }
	if err := json.Unmarshal(refused.Data, &about); err != nil || !strings.Contains(refused.Message, about.Download) {
		t.Fatalf("got %s, %s", refused.Message, refused.Data)
	}
	part, err := r.Documents.Download(t.Context(), strings.TrimPrefix(about.Download, r.Directory.URL+documents.DownloadPath))
	if err != nil || part.Filename != "dump" {
		t.Errorf("the download: got %v, %v", part, err)
	}
	if got := r.contents(uri + "/parts/1"); !strings.Contains(got, "last") {
		t.Errorf("got %s", got)
	}
}

// TestTheLatestTasksAreListed lists a ledger that does not fit a list: a client that follows pages
// stopped before the end, and listed all of them again after each task.
func TestTheLatestTasksAreListed(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{ID: "the result/1", Name: "Result", Parts: []a2a.Part{{Content: a2a.Raw("abc"), Filename: "r.csv", MediaType: "text/csv"}}})
		turn.Complete("done")
		return nil
	})})
	var tasks []string
	for range 60 {
		tasks = append(tasks, documents.TaskURI(r.call("send_task", `{"message":"go"}`).TaskID))
	}
	slices.Reverse(tasks)
	got, err := r.Documents.Resources().ListResources(as(t.Context(), "alice"), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"rialto://agents/one/card"}
	for _, uri := range tasks[:50] {
		want = append(want, uri, uri+"/artifacts/the%20result%2F1")
	}
	var uris []string
	for _, g := range got {
		uris = append(uris, g.URI)
	}
	if !slices.Equal(uris, want) {
		t.Fatalf("got %v, want %v", uris, want)
	}
	if task := got[1]; task.Title != "go" || task.Description != "Task of one, completed: done" {
		t.Errorf("got %+v, want the request as title", task)
	}
	if a := got[2]; a.Name != "r.csv" || a.MIMEType != "text/csv" || a.Size != 3 {
		t.Errorf("got %+v", a)
	}
	for _, user := range []string{"bob", ""} {
		list, err := r.Documents.Resources().ListResources(as(t.Context(), user), "")
		if err != nil || len(list) > 1 || user == "" && len(list) > 0 {
			t.Errorf("%q: got %v, %v", user, list, err)
		}
	}
}

// TestLargeTasksAreListedWithoutTheirArtifacts lists more than is looked into for one list.
func TestLargeTasksAreListedWithoutTheirArtifacts(t *testing.T) {
	raced.Skip(t)
	large := a2a.Raw(strings.Repeat("x", 3<<20))
	r := newRig(t, "", map[string]peer{"one": running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{ID: "a", Parts: []a2a.Part{{Content: large, Filename: "r.bin"}}})
		turn.Complete("done")
		return nil
	})})
	for range 4 {
		r.call("send_task", `{"message":"go"}`)
	}
	got, err := r.Documents.Resources().ListResources(as(t.Context(), "alice"), "")
	tasks, artifacts := 0, 0
	for _, g := range got {
		switch {
		case strings.Contains(g.URI, "/artifacts/"):
			artifacts++
		case strings.Contains(g.URI, "tasks/"):
			tasks++
		}
	}
	if err != nil || tasks != 4 || artifacts != 2 {
		t.Errorf("got %d tasks with %d artifacts, %v, want 4 with 2", tasks, artifacts, err)
	}
}

func TestVariablesAreCompletedWithOnesOwn(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": turns([]any{made("first", a2a.TextPart("1"), a2a.TextPart("2")), made("second"), update(a2a.Completed, "done")})})
	task := r.call("send_task", `{"message":"go"}`).TaskID
	known := map[string]string{"task": task, "artifact": "first"}
	for name, c := range map[string]struct {
		user string
		mcp.Completion
		want string
	}{
		"an agent":               {"alice", mcp.Completion{Argument: "agent", Value: "o"}, "[one]"},
		"no agent":               {"alice", mcp.Completion{Argument: "agent", Value: "x"}, "[]"},
		"a task":                 {"alice", mcp.Completion{Argument: "task", Value: task[:4]}, "[" + task + "]"},
		"another's task":         {"bob", mcp.Completion{Argument: "task"}, "[]"},
		"an artifact":            {"alice", mcp.Completion{Argument: "artifact", Known: known}, "[first second]"},
		"an artifact, begun":     {"alice", mcp.Completion{Argument: "artifact", Value: "s", Known: known}, "[second]"},
		"another's artifact":     {"bob", mcp.Completion{Argument: "artifact", Known: known}, "[]"},
		"a part":                 {"alice", mcp.Completion{Argument: "part", Known: known}, "[0 1]"},
		"something else":         {"alice", mcp.Completion{Argument: "x", Known: known}, "[]"},
		"an artifact of no task": {"alice", mcp.Completion{Argument: "artifact"}, "[]"},
	} {
		got, err := r.Documents.Resources().Complete(as(t.Context(), c.user), &c.Completion)
		if err != nil || fmt.Sprint(got.Values) != c.want {
			t.Errorf("%s: got %v, %v, want %s", name, got, err, c.want)
		}
	}
}

// told records the notifications of owners.
type told struct {
	mu    sync.Mutex
	all   []string
	tools chan<- struct{} // gets each change of the tools; nil: none is noted
}

// Changed implements tools.Clients.
func (n *told) Changed(c mcp.Change, owners ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, fmt.Sprint(c, owners))
}

// ToolsChanged implements tools.Clients.
func (n *told) ToolsChanged() {
	if n.tools != nil {
		n.tools <- struct{}{}
	}
}

// take returns the notifications since the last call.
func (n *told) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.all
	n.all = nil
	return slices.Compact(all)
}

// TestChangesAreToldOnEveryReplica holds that who listens to the replica that
// does not follow a task hears of it as others do.
func TestChangesAreToldOnEveryReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
			turn.Working("on it")
			<-goOn
			turn.Working("nearly there")
			<-goOn
			turn.Complete("done")
			return nil
		})
		dsn, h, heard := storetest.File(t, store.Open), &hub{}, [2]told{}
		var rigs [2]*rig
		for i := range rigs {
			rigs[i] = newRigWith(t, dsn, map[string]peer{"agent": agent}, func(b *bridge.Bridge) {
				b.Runner.Publisher.Signals, b.Tools.Clients, b.Runner.Replica = h, &heard[i], fmt.Sprint("replica ", i)
			})
		}
		synctest.Wait()
		for i := range heard {
			heard[i].take() // the agents
		}
		id := rigs[0].call("send_task", `{"message":"work","wait":0}`).TaskID
		time.Sleep(time.Second)
		updated, listed := fmt.Sprint(mcp.ResourceUpdated(documents.TaskURI(id)), []string{"alice"}), fmt.Sprint(mcp.ResourcesChanged(), []string{"alice"})
		for step, want := range [][]string{{updated, listed}, {updated}, {updated}} {
			for i := range heard {
				// The first event of the agent may be written with the task or
				// after it.
				if got := heard[i].take(); !slices.Equal(got, want) && (step > 0 || !slices.Equal(got, append(want, updated))) {
					t.Errorf("step %d, replica %d: got %v, want %v", step, i, got, want)
				}
			}
			if step < 2 {
				goOn <- struct{}{}
				time.Sleep(time.Second)
			}
		}
	})
}

// Subscribers of an agent are notified when its changed card is read.
func TestACardThatChangesIsTold(t *testing.T) {
	var late atomic.Int64
	var heard told
	agent := running(t, nil)
	r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) {
		start := time.Now()
		b.Runner.Now = func() time.Time { return start.Add(time.Duration(late.Load())) }
		b.Tools.Clients = &heard
		b.Directory.Dialer = dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
			return peer{agent.Agent, &a2a.Card{Name: fmt.Sprint("after ", time.Duration(late.Load())/time.Hour, " h")}}, nil
		})
	})
	heard.take()
	for _, step := range []struct {
		late time.Duration
		want string
	}{{0, "[]"}, {time.Minute, "[]"}, {time.Hour, fmt.Sprint([]string{fmt.Sprint(mcp.ResourceUpdated("rialto://agents/one/card"), []string(nil))})}, {time.Hour + 30*time.Minute, "[]"}} {
		late.Store(int64(step.late))
		r.contents("rialto://agents/one/card")
		if got := fmt.Sprint(heard.take()); got != step.want {
			t.Errorf("after %v: got %s, want %s", step.late, got, step.want)
		}
	}
}
