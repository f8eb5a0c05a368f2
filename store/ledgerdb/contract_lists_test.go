package ledgerdb_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// testLists runs the contract of ledger.Lists.
func testLists(t *testing.T, open func(*testing.T) Ledger) {
	each(t, open, map[string]func(*testing.T, Ledger){
		"a conversation is known to its owner and its agent":   contexts,
		"tasks are listed in pages, the latest first":          pages,
		"a list is filtered, and of its owner only":            filtered,
		"a conversation is found by the name of its caller":    conversations,
		"a task is found by the name of its caller":            namedTasks,
		"whole tasks are listed in pages, latest change first": wholePages,
		"a page shows tasks as they are":                       presentPages,
	})
}

func contexts(t *testing.T, l Ledger) {
	settle(t, l, add(t, l), a2a.Completed)
	for _, c := range []struct {
		owner, agent, context string
		want                  bool
	}{
		{"alice", "agent", "context", true},
		{"bob", "agent", "context", false},
		{"alice", "other", "context", false},
		{"alice", "agent", "other", false},
	} {
		got, err := l.HasContext(t.Context(), c.owner, c.agent, c.context)
		if got != c.want || err != nil {
			t.Errorf("HasContext(%q, %q, %q): got %v, %v, want %v", c.owner, c.agent, c.context, got, err, c.want)
		}
	}
}

func pages(t *testing.T, l Ledger) {
	want := map[string]bool{}
	for range 25 {
		want[add(t, l).Handle] = true // all created at the same moment
	}
	var mark ledger.Mark
	for page := range 3 {
		entries, err := l.Summaries(t.Context(), "alice", ledger.Filter{After: mark, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if full := []int{10, 10, 5}[page]; len(entries) != full {
			t.Errorf("page %d: got %d tasks, want %d", page, len(entries), full)
		}
		for _, e := range entries {
			if e.Asked != "What was asked?" {
				t.Errorf("page %d: task %s was asked %q", page, e.TaskID, e.Asked)
			}
			if !want[e.TaskID] {
				t.Errorf("page %d: task %s came twice", page, e.TaskID)
			}
			delete(want, e.TaskID)
			mark = ledger.Mark{Created: e.Created, Handle: e.TaskID}
		}
	}
	if len(want) != 0 {
		t.Errorf("%d tasks were on no page", len(want))
	}
}

func filtered(t *testing.T, l Ledger) {
	old := &ledger.Record{Handle: uuid.NewString(), Owner: "alice", Agent: "other", Created: now.Add(-time.Hour), Updated: now}
	if err := l.AddTask(t.Context(), old, "r1", 1000); err != nil {
		t.Fatal(err)
	}
	done := add(t, l)
	settle(t, l, done, a2a.Completed)
	for name, c := range map[string]struct {
		owner  string
		filter ledger.Filter
		want   []string
	}{
		"all":           {"alice", ledger.Filter{}, []string{done.Handle, old.Handle}},
		"another owner": {"bob", ledger.Filter{}, nil},
		"by agent":      {"alice", ledger.Filter{Agent: "other"}, []string{old.Handle}},
		"by state":      {"alice", ledger.Filter{State: a2a.Completed}, []string{done.Handle}},
		"by time":       {"alice", ledger.Filter{Since: now}, []string{done.Handle}},
	} {
		c.filter.Limit = 10
		entries, err := l.Summaries(t.Context(), c.owner, c.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.TaskID)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
