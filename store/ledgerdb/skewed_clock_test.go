package ledgerdb_test

import (
	"errors"
	"testing"

	"rialto/bridge/ledger"
	"rialto/oauth/oauthtest"
	"rialto/store"
)

// TestAClockThatIsAheadSendsNothingTwice repeats a message at a replica whose clock is two hours ahead
// of the one that sent it. Replicas an hour apart sent 5 to 7 of 260 named messages twice.
func TestAClockThatIsAheadSendsNothingTwice(t *testing.T) {
	db, err := store.Open(t.Context(), oauthtest.PostgresSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	first := ledger.Record{Handle: "first", Owner: "alice", Agent: "agent", Digest: "a message", Created: now, Updated: now}
	if err := db.Ledger.AddTask(t.Context(), &first, "r1", 1000); err != nil {
		t.Fatal(err)
	}
	ahead := now.Add(2 * ledger.RepeatsFor)
	handle, err := db.Ledger.TaskByDigest(t.Context(), "alice", "agent", "a message", ahead)
	if handle != "first" || err != nil {
		t.Errorf("got task %q, %v, want the first", handle, err)
	}
	again := ledger.Record{Handle: "second", Owner: "alice", Agent: "agent", Digest: "a message", Created: ahead, Updated: ahead}
	err = db.Ledger.AddTask(t.Context(), &again, "r2", 1000)
	before, ok := errors.AsType[ledger.ErrDuplicate](err)
	if !ok || before.Handle != "first" {
		t.Errorf("got %v, want that the first was sent before", err)
	}
}
