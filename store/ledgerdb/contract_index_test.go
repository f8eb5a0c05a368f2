package ledgerdb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// Indexed is a ledger with an index of the contents of its tasks.
type Indexed interface {
	ledger.Store
	ledger.Index
}

// testIndex runs the contract of ledger.Index against what open returns. Each
// must be empty.
func testIndex(t *testing.T, open func(*testing.T) Indexed) {
	for name, test := range map[string]func(*testing.T, Indexed){
		"a task is found by all of its words":   findWords,
		"many words begin in the same way":      findBeginnings,
		"a task is found by its owner only":     findOwn,
		"the latest are found first":            findLatest,
		"a task that changes is found by it":    findChanged,
		"what is no word of ours finds nothing": findNothing,
		"a task that is forgotten is not found": findForgotten,
		"what is not settled is not found":      findSettled,
		"as many are indexed as are asked for":  indexSome,
		"fewer are indexed if they are large":   indexLarge,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// settled records a settled task of owner's that said something.
func settled(t *testing.T, l Indexed, owner, said string, at time.Time) *ledger.Record {
	t.Helper()
	e := &ledger.Record{Handle: uuid.NewString(), Owner: owner, Client: "client", Agent: "agent", MessageID: "m1", Created: at, Updated: at}
	if err := l.AddTask(t.Context(), e, "r1", 1000); err != nil {
		t.Fatal(err)
	}
	say(t, l, e, said, at)
	return e
}

func say(t *testing.T, l Indexed, e *ledger.Record, said string, at time.Time) {
	t.Helper()
	m := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(said)}}
	e.Task = &a2a.Task{ID: "up", Status: a2a.Status{State: a2a.InputRequired, Message: m}, Artifacts: []a2a.Artifact{{
		ID: "a", Name: "Überblick", Parts: []a2a.Part{{Content: a2a.Data(`{"city": "Málaga"}`)}},
	}}}
	e.Idle, e.Updated = true, at
	if err := l.SaveTask(t.Context(), e, "r1"); err != nil {
		t.Fatal(err)
	}
}

func indexAll(t *testing.T, l Indexed) {
	t.Helper()
	for range 100 {
		if more, err := l.IndexTasks(t.Context(), 10); err != nil {
			t.Fatal(err)
		} else if !more {
			return
		}
	}
	t.Fatal("the index is never done")
}

// find returns the handles that a search finds.
func find(t *testing.T, l Indexed, owner string, words ...string) (handles []string) {
	t.Helper()
	found, err := l.FindTasks(t.Context(), owner, words, 10)
	if err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	for _, s := range found {
		handles = append(handles, s.TaskID)
	}
	return handles
}

func wantFound(t *testing.T, got []string, want ...*ledger.Record) {
	t.Helper()
	var handles []string
	for _, e := range want {
		handles = append(handles, e.Handle)
	}
	if fmt.Sprint(got) != fmt.Sprint(handles) {
		t.Errorf("got %q, want %q", got, handles)
	}
}

func findWords(t *testing.T, l Indexed) {
	e := settled(t, l, "bob", "Three claims were paid, 1.200,50 € in all.", now)
	indexAll(t, l)
	for _, words := range [][]string{{"claims"}, {"paid", "claims"}, {"three", "cla"}, {"uberblick"}, {"malaga"}, {"city", "200"}, {"agent"}} {
		wantFound(t, find(t, l, "bob", words...), e)
	}
	for _, words := range [][]string{{"claims", "unpaid"}, {"cla", "three"}, {"aims"}} {
		wantFound(t, find(t, l, "bob", words...))
	}
}

func findBeginnings(t *testing.T, l Indexed) {
	var many strings.Builder
	for i := range 99 {
		fmt.Fprintf(&many, "code%02d ", i)
	}
	first := settled(t, l, "bob", many.String(), now)
	last := settled(t, l, "bob", "code99", now.Add(time.Second))
	indexAll(t, l)
	wantFound(t, find(t, l, "bob", "code"), last, first)
	wantFound(t, find(t, l, "bob", "code98"), first)
}

func findOwn(t *testing.T, l Indexed) {
	e := settled(t, l, "bob", "secret", now)
	indexAll(t, l)
	wantFound(t, find(t, l, "bob", "secret"), e)
	wantFound(t, find(t, l, "eve", "secret"))
	wantFound(t, find(t, l, "", "secret"))
}

func findLatest(t *testing.T, l Indexed) {
	first := settled(t, l, "bob", "report one", now)
	indexAll(t, l)
	second := settled(t, l, "bob", "report two", now.Add(time.Minute))
	indexAll(t, l)
	wantFound(t, find(t, l, "bob", "report"), second, first)
}

func findChanged(t *testing.T, l Indexed) {
	e := settled(t, l, "bob", "which year?", now)
	indexAll(t, l)
	later := now.Add(time.Minute)
	if err := l.ContinueTask(t.Context(), e, "m3", "r1", later); err != nil {
		t.Fatal(err)
	}
	e.MessageID = "m3"
	say(t, l, e, "twelve storms", later.Add(time.Second))
	indexAll(t, l)
	wantFound(t, find(t, l, "bob", "storms"), e)
	wantFound(t, find(t, l, "bob", "year"))
}

func findNothing(t *testing.T, l Indexed) {
	settled(t, l, "bob", "plain words", now)
	indexAll(t, l)
	for _, word := range []string{"or", "not", "near", "select", "ñandú", "日本"} {
		wantFound(t, find(t, l, "bob", word))
	}
}

func findForgotten(t *testing.T, l Indexed) {
	settled(t, l, "bob", "ephemeral", now)
	kept := settled(t, l, "bob", "ephemeral too", now.Add(time.Hour))
	indexAll(t, l)
	if _, err := l.DropTasks(t.Context(), now.Add(time.Minute), "", nil, 100); err != nil {
		t.Fatal(err)
	}
	wantFound(t, find(t, l, "bob", "ephemeral"), kept)
}

func findSettled(t *testing.T, l Indexed) {
	add(t, l)
	indexAll(t, l)
	wantFound(t, find(t, l, "alice", "agent"))
}

func indexSome(t *testing.T, l Indexed) {
	for i := range 5 {
		settled(t, l, "bob", fmt.Sprint("task ", i), now)
	}
	for _, want := range []struct {
		more  bool
		found int
	}{{true, 3}, {false, 5}, {false, 5}} {
		more, err := l.IndexTasks(t.Context(), 3)
		if found := len(find(t, l, "bob", "task")); more != want.more || found != want.found || err != nil {
			t.Errorf("got %v, %v, and %d tasks are found, want %+v", more, err, found, want)
		}
	}
}

// indexLarge checks that large contents are indexed in several steps, without writes in between.
func indexLarge(t *testing.T, l Indexed) {
	for i := range 4 {
		settled(t, l, "bob", fmt.Sprint("task ", i, manyWords()), now)
	}
	more, err := l.IndexTasks(t.Context(), 4)
	if found := len(find(t, l, "bob", "task")); !more || found == 0 || found == 4 || err != nil {
		t.Errorf("got %v, %v, and %d tasks are found, want some of the 4", more, err, found)
	}
	indexAll(t, l)
	if found := len(find(t, l, "bob", "task")); found != 4 {
		t.Errorf("%d tasks are found in the end, want 4", found)
	}
}

// manyWords are as many as the index takes of a task, and no two of them the same.
func manyWords() string {
	var s strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&s, " anextraordinaryword%d", i)
	}
	return s.String()
}
