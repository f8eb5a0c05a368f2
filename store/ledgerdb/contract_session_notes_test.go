package ledgerdb_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/store/ledgerdb"
)

// TestSessionNotes tests the notes of sessions with each engine. mcp.SessionNotes is their contract.
func TestSessionNotes(t *testing.T) {
	for engine, open := range ledgerdb.Engines {
		t.Run(engine, func(t *testing.T) { testSessionNotes(t, ledgerdb.SessionNotes{Store: open(t)}) })
	}
}

func testSessionNotes(t *testing.T, db ledgerdb.SessionNotes) {
	ctx, now := t.Context(), time.Now()
	add := func(owner, session, name string, until time.Time) bool {
		t.Helper()
		ok, err := db.AddNote(ctx, owner, session, name, until)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	want := func(session, notes string) {
		t.Helper()
		got, err := db.SessionNotes(ctx, session)
		if text := fmt.Sprintf("%q", got); err != nil || text != notes {
			t.Errorf("got %s, %v, want %s", text, err, notes)
		}
	}
	add("ann", "s", "watch a", now.Add(time.Hour))
	add("ann", "s", "watch a", now.Add(time.Hour)) // again
	add("ann", "s", "ask q", now.Add(-time.Hour))
	add("ann", "other", "ask q", now.Add(time.Hour))
	want("s", `map["ask q":"" "watch a":""]`)
	want("unknown", `map[]`)

	long := strings.Repeat("x", 100_000)
	var took atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if ok, err := db.FillNote(ctx, "s", "ask q", []byte(long)); err != nil {
				t.Error(err)
			} else if ok {
				took.Add(1)
			}
		})
	}
	all.Wait()
	if took.Load() != 1 {
		t.Errorf("%d answers were taken, want one", took.Load())
	}
	if ok, err := db.FillNote(ctx, "s", "ask nothing", []byte("x")); ok || err != nil {
		t.Errorf("a note that is not there: got %v, %v", ok, err)
	}
	want("s", `map["ask q":"`+long+`" "watch a":""]`)
	want("other", `map["ask q":""]`)

	if err := db.DropOld(ctx, now); err != nil {
		t.Fatal(err)
	}
	want("s", `map["watch a":""]`)
	if err := db.DropNotes(ctx, "s", "watch a"); err != nil {
		t.Fatal(err)
	}
	want("s", `map[]`)

	n := 0
	for add("bob", fmt.Sprint("session ", n), "watch a", now.Add(time.Hour)) && n < 10_000 {
		n++
	}
	if n != 2000 {
		t.Errorf("bob could add %d notes, want 2000", n)
	}
	if !add("bob", "session 7", "ask q", now.Add(time.Hour)) {
		t.Error("an agent cannot ask bob any more, because his sessions watch so much")
	}
	add("ann", "s", "watch a", now.Add(time.Hour))
	want("s", `map["watch a":""]`)
	if err := db.DropNotes(ctx, "session 7", ""); err != nil {
		t.Fatal(err)
	}
	want("session 7", `map[]`)
}
