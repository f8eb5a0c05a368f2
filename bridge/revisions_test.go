package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/internal/raced"
	"rialto/store"
	"rialto/store/storetest"
)

// states returns the states in the history of a task.
func (a *answer) states() string {
	var all []string
	for _, s := range a.Statuses {
		all = append(all, string(s.State))
	}
	return strings.Join(all, " ")
}

// An agent writes drafts, by updates that replace artifacts and by whole tasks.
func TestWhatAnAgentReplacesIsFoundAgain(t *testing.T) {
	text := func(id string, lines ...string) a2a.Artifact {
		a := a2a.Artifact{ID: id, Name: "Draft " + id}
		for _, l := range lines {
			a.Parts = append(a.Parts, a2a.TextPart(l))
		}
		return a
	}
	whole := func(s a2a.State, all ...a2a.Artifact) *a2a.Task {
		return &a2a.Task{ID: "t1", Status: a2a.Status{State: s}, Artifacts: all}
	}
	update := func(a a2a.Artifact, more bool) *a2a.ArtifactUpdate {
		return &a2a.ArtifactUpdate{TaskID: "t1", Artifact: a, Append: more}
	}
	events := []any{
		whole(a2a.Submitted), whole(a2a.Working),
		update(text("a", "first"), false), update(text("a", " and more"), true), // adds
		update(text("a", "second"), false),                                     // replaces both parts
		whole(a2a.Working, text("a", "second", "goes on"), text("b", "other")), // adds again
		whole(a2a.Working, text("b", "another")),                               // replaces b, and forgets a
		&a2a.StatusUpdate{TaskID: "t1", Status: a2a.Status{State: a2a.Completed}},
	}
	agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] { return yield(events...) }}
	dsn := storetest.File(t, store.Open)
	agents := map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}}
	r := newRig(t, dsn, agents)
	id := r.call("send_task", `{"message":"write"}`).TaskID
	r.Close()
	r = newRig(t, dsn, agents)
	got := r.call("get_task", `{"task_id":"`+id+`","history_length":10}`)
	got.want(t, a2a.Completed, false)
	var versions []string
	for _, v := range got.Versions {
		versions = append(versions, v.ID+": "+v.Text)
	}
	if want := "b: other, a: second\ngoes on, a: first and more"; strings.Join(versions, ", ") != want {
		t.Errorf("got the versions %q, want %q", versions, want)
	}
	if got.states() != "submitted working completed" {
		t.Errorf("got the states %s", got.states())
	}
	if brief := r.call("get_task", `{"task_id":"`+id+`"}`); brief.Versions != nil || brief.Statuses != nil {
		t.Errorf("who asks for no history gets %+v, %+v", brief.Versions, brief.Statuses)
	}
	if resource := r.call("get_task", `{"task_id":"`+id+`","history_length":10}`); resource.Truncated {
		t.Error("it does not fit")
	}
}

func TestThePastOfATaskIsBounded(t *testing.T) {
	for name, c := range map[string]struct{ versions, size, kept int }{
		"many": {300, 10, 50}, "large": {20, 400_000, 10}, "too large": {2, 5 << 20, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "many" {
				raced.Skip(t)
			}
			agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
				events := []any{&a2a.Task{ID: "t1", Status: a2a.Status{State: a2a.Working}}}
				for i := range c.versions + 1 {
					draft := fmt.Sprint(i) + strings.Repeat("x", c.size)
					events = append(events, &a2a.ArtifactUpdate{TaskID: "t1", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(draft)}}})
				}
				return yield(append(events, &a2a.StatusUpdate{TaskID: "t1", Status: a2a.Status{State: a2a.Completed}})...)
			}}
			r := newRigWith(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}}, func(*bridge.Bridge) {})
			id := r.call("send_task", `{"message":"write"}`).TaskID
			e, err := r.Runner.Ledger.Task(t.Context(), "alice", id)
			if err != nil || e.State() != a2a.Completed {
				t.Fatalf("got %+v, %v", e, err)
			}
			if p := e.Revisions; len(p.Artifacts) != c.kept || p.Dropped != c.versions-c.kept {
				t.Errorf("got %d versions and %d dropped, want %d of %d", len(p.Artifacts), p.Dropped, c.kept, c.versions)
			}
		})
	}
}

// TestAFileThatWasReplacedCanBeDownloaded has an agent make a file three times, the
// second too large to be kept.
func TestAFileThatWasReplacedCanBeDownloaded(t *testing.T) {
	made := func(content string) *a2a.ArtifactUpdate {
		return &a2a.ArtifactUpdate{TaskID: "t1", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{
			a2a.TextPart("See the file."), {Content: a2a.Raw(content), Filename: "report.pdf", MediaType: "application/pdf"},
		}}}
	}
	agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return yield(&a2a.Task{ID: "t1", Status: a2a.Status{State: a2a.Working}},
			made("first"), made(strings.Repeat("x", 5<<20)), made("third"),
			&a2a.StatusUpdate{TaskID: "t1", Status: a2a.Status{State: a2a.Completed}})
	}}
	dsn := storetest.File(t, store.Open)
	agents := map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}}
	withLinks := func(b *bridge.Bridge) {
		b.Documents.Downloads = &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour}
	}
	r := newRigWith(t, dsn, agents, withLinks)
	id := r.call("send_task", `{"message":"write"}`).TaskID
	r.Close()
	r = newRigWith(t, dsn, agents, withLinks)
	got := r.call("get_task", `{"task_id":"`+id+`","history_length":1}`).Versions
	if len(got) != 2 || len(got[0].Files) != 1 || len(got[1].Files) != 1 {
		t.Fatalf("got %+v", got)
	}
	if large := got[0].Files[0]; !large.Gone || large.Size != 5<<20 || large.URL != "" || !strings.HasSuffix(got[0].Text, "5242880 bytes, not kept]") {
		t.Errorf("a file without room: got %+v, %q", large, got[0].Text)
	}
	kept := got[1].Files[0]
	if kept.Gone || kept.Size != 5 || got[1].Text != "See the file.\n[report.pdf application/pdf]" {
		t.Errorf("got %+v, %q", kept, got[1].Text)
	}
	link := strings.TrimPrefix(kept.URL, "https://rialto.test"+documents.DownloadPath)
	if part, err := r.Documents.Download(t.Context(), link); err != nil || string(part.Content.(a2a.Raw)) != "first" || part.Filename != "report.pdf" {
		t.Errorf("got %+v, %v, want the first file", part, err)
	}
	if _, err := r.db.Ledger.DropTasks(t.Context(), time.Now().Add(time.Hour), "", nil, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Documents.Download(t.Context(), link); !errors.Is(err, documents.ErrNoDownload) {
		t.Errorf("when the task is forgotten: got %v, want ErrNoDownload", err)
	}
}

// TestManyArtifactsAreToldAgain has an agent tell many artifacts, and all of them
// anew: to look for each among all others would take minutes.
func TestManyArtifactsAreToldAgain(t *testing.T) {
	raced.Skip(t)
	const many = 100_000
	whole := func(state a2a.State, text string) *a2a.Task {
		w := &a2a.Task{ID: "t", Status: a2a.Status{State: state}}
		for i := range many {
			w.Artifacts = append(w.Artifacts, a2a.Artifact{ID: fmt.Sprint(i), Parts: []a2a.Part{a2a.TextPart(text)}})
		}
		return w
	}
	events := []any{whole(a2a.Working, "before"), whole(a2a.Completed, "after")}
	agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] { return yield(events...) }}
	r := newRig(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}})
	id := r.call("send_task", `{"message":"write"}`).TaskID
	e, err := r.Runner.Ledger.Task(t.Context(), "alice", id)
	if err != nil || e.Revisions == nil || len(e.Revisions.Artifacts) != 50 || e.Revisions.Dropped != many-50 || e.Revisions.Artifacts[49].Artifact.ID != fmt.Sprint(many-1) {
		t.Fatalf("got %+v, %v", e, err)
	}
}

// writes counts how often tasks are written.
type writes struct {
	ledger.Store
	n atomic.Int64
}

func (w *writes) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	w.n.Add(1)
	return w.Store.SaveTask(ctx, e, replica)
}

// TestWhatIsLargeIsWrittenSeldom continues a task that says little, a hundred times in
// 25 seconds of the bridge's clock, and is large by what was, or is, of it.
func TestWhatIsLargeIsWrittenSeldom(t *testing.T) {
	large := a2a.Artifact{ID: "x", Parts: []a2a.Part{{Content: a2a.Raw(make([]byte, 3<<20))}}}
	for name, c := range map[string]struct {
		past *ledger.Revisions
		is   []a2a.Artifact
		most int64
	}{
		"little": {nil, nil, 200},
		"was":    {&ledger.Revisions{Artifacts: []ledger.ArtifactRevision{{Artifact: large}}}, nil, 30},
		"is":     {nil, []a2a.Artifact{large}, 30},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "little" {
				raced.Skip(t)
			}
			var late atomic.Int64
			agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
				return func(more func(a2a.Event, error) bool) {
					for i := range 100 {
						late.Add(int64(250 * time.Millisecond))
						said := &a2a.Message{ID: strconv.Itoa(i), Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("step")}}
						if !more(&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.Working, Message: said}}, nil) {
							return
						}
					}
					more(&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.Completed}}, nil)
				}
			}}
			var counted *writes
			r := newRigWith(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "One", Capabilities: a2a.Capabilities{Streaming: true}}}}, func(b *bridge.Bridge) {
				counted = &writes{Store: b.Runner.Ledger}
				b.Runner.Ledger = counted
				b.Runner.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
			})
			e := &ledger.Record{Handle: "h", Owner: "alice", Agent: "one", MessageID: "m", Created: time.Now(), Updated: time.Now(), Idle: true, Revisions: c.past,
				Task: &a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.InputRequired}, Artifacts: c.is}}
			if err := r.db.Ledger.AddTask(t.Context(), e, "", 1); err != nil {
				t.Fatal(err)
			}
			r.call("send_task", `{"task_id":"h","message":"go on"}`).want(t, a2a.Completed, false)
			if n := counted.n.Load(); n > c.most || n < 2 {
				t.Errorf("got %d writes, want from 2 to %d", n, c.most)
			}
		})
	}
}
