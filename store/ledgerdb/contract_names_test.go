package ledgerdb_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// called writes a new task of alice's with names of her own, created at a
// moment after now, and settled in a conversation of the agent's.
func called(t *testing.T, l Ledger, after time.Duration, name, contextName, contextID string) *ledger.Record {
	t.Helper()
	at := now.Add(after)
	e := &ledger.Record{
		Handle: uuid.NewString(), Owner: "alice", Agent: "agent", MessageID: "m1", Name: name, ContextName: contextName, Created: at, Updated: at,
	}
	if err := l.AddTask(t.Context(), e, "r1", 1000); err != nil {
		t.Fatalf("AddTask: %v", err)
	}
	if contextID == "" {
		return e
	}
	e.Task = &a2a.Task{ID: "upstream", ContextID: contextID, Status: a2a.Status{State: a2a.Completed}}
	e.Idle = true
	if err := l.SaveTask(t.Context(), e, "r1"); err != nil {
		t.Fatalf("SaveTask: %v", err)
	}
	return e
}

func conversations(t *testing.T, l Ledger) {
	called(t, l, 0, "", "mine", "theirs-1")
	called(t, l, time.Second, "", "mine", "theirs-2")
	called(t, l, 2*time.Second, "", "mine", "") // the agent has not answered yet
	for _, c := range []struct{ owner, agent, name, want string }{
		{"alice", "agent", "mine", "theirs-2"},
		{"alice", "agent", "theirs-1", "theirs-1"}, // the agent's own word, as the tools show it
		{"alice", "agent", "other", ""},
		{"alice", "other", "mine", ""},
		{"bob", "agent", "mine", ""},
		{"bob", "agent", "theirs-1", ""},
	} {
		if got, err := l.ContextNamed(t.Context(), c.owner, c.agent, c.name); err != nil || got != c.want {
			t.Errorf("ContextNamed(%q, %q, %q): got %q, %v, want %q", c.owner, c.agent, c.name, got, err, c.want)
		}
	}
}

func namedTasks(t *testing.T, l Ledger) {
	called(t, l, 0, "mine", "", "c")
	called(t, l, 0, "", "", "c")
	latest := called(t, l, time.Second, "mine", "", "c")
	if got, err := l.TaskNamed(t.Context(), "alice", "agent", "mine"); err != nil || got != latest.Handle {
		t.Errorf("got %q, %v, want the latest, %q", got, err, latest.Handle)
	}
	for _, c := range [][3]string{{"bob", "agent", "mine"}, {"alice", "other", "mine"}, {"alice", "agent", "other"}, {"alice", "agent", ""}} {
		if got, err := l.TaskNamed(t.Context(), c[0], c[1], c[2]); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("TaskNamed%q: got %q, %v, want ErrNoTask", c, got, err)
		}
	}
	back, err := l.Task(t.Context(), "alice", latest.Handle)
	if err != nil || back.Name != "mine" {
		t.Errorf("got %+v, %v", back, err)
	}
}

func wholePages(t *testing.T, l Ledger) {
	var want []string
	for i := range 7 {
		e := called(t, l, time.Duration(i/2)*time.Second, "", "talk", "c") // some at the same moment
		want = append(want, e.Handle)
	}
	add(t, l) // of no conversation yet
	var got []string
	f := ledger.PageQuery{Agent: "agent", ContextID: "talk", Limit: 3, MaxBytes: 1 << 20}
	for range 3 {
		p, err := l.Page(t.Context(), "alice", f)
		if err != nil || p.Total != 7 || p.More != (len(got) < 6) {
			t.Fatalf("got %+v, %v after %d tasks", p, err, len(got))
		}
		for _, e := range p.Records {
			got = append(got, e.Handle)
			f.After = ledger.Mark{Created: e.Updated, Handle: e.Handle}
		}
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %v, want each once: %v", got, want)
	}
	for name, c := range map[string]struct {
		owner string
		f     ledger.PageQuery
		total int
	}{
		"everything":        {"alice", ledger.PageQuery{}, 8},
		"another owner's":   {"bob", ledger.PageQuery{}, 0},
		"another agent's":   {"alice", ledger.PageQuery{Agent: "other"}, 0},
		"the agent's word":  {"alice", ledger.PageQuery{ContextID: "c"}, 7},
		"by state":          {"alice", ledger.PageQuery{State: a2a.Submitted}, 1},
		"by time of change": {"alice", ledger.PageQuery{Since: now.Add(2 * time.Second)}, 3},
	} {
		c.f.Limit, c.f.MaxBytes = 100, 1<<20
		if p, err := l.Page(t.Context(), c.owner, c.f); err != nil || p.Total != c.total || len(p.Records) != c.total || p.More {
			t.Errorf("%s: got %+v, %v, want %d", name, p, err, c.total)
		}
	}
	// A page ends after the task that passes the limit of bytes.
	if p, err := l.Page(t.Context(), "alice", ledger.PageQuery{ContextID: "c", Limit: 100, MaxBytes: 1}); err != nil || len(p.Records) != 1 || !p.More || p.Total != 7 {
		t.Errorf("got %+v, %v, want one task of many bytes", p, err)
	}
}

// presentPages tells tasks as they are: what has been of one may be more than a
// page can hold.
func presentPages(t *testing.T, l Ledger) {
	e := add(t, l)
	e.Revisions = &ledger.Revisions{Artifacts: []ledger.ArtifactRevision{{Artifact: a2a.Artifact{ID: "a"}, Until: 1}}}
	settle(t, l, e, a2a.Completed)
	p, err := l.Page(t.Context(), "alice", ledger.PageQuery{Limit: 1, MaxBytes: 1 << 20})
	if err != nil || len(p.Records) != 1 || p.Records[0].Revisions != nil {
		t.Errorf("got %+v, %v, want the task without its past", p, err)
	}
	if whole, err := l.Task(t.Context(), "alice", e.Handle); err != nil || whole.Revisions == nil {
		t.Errorf("got %+v, %v, want the task with its past", whole, err)
	}
}
