package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/bridge"
	"rialto/internal/store"
)

// TestACommandDoesNotInheritTheTasksOfAServer cancels a task beside a server that has
// put no lock beside its database, as one of an older version, and follows another.
func TestACommandDoesNotInheritTheTasksOfAServer(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "rialto.yaml")
	text := "database: " + filepath.Join(dir, "rialto.db") + "\nsecret_file: " + filepath.Join(dir, "secret") + "\nurl: https://rialto.test\nagents: [{name: one, url: 'http://127.0.0.1:1'}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(dir, "rialto.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Now()
	e := &bridge.Entry{Handle: "h", Owner: "alice", Agent: "one", MessageID: "m", Created: now, Updated: now}
	if err := db.AddTask(t.Context(), e, bridge.Lease{Replica: "the server", Until: now.Add(time.Hour)}, 10); err != nil {
		t.Fatal(err)
	}
	cmd := command()
	cmd.SetArgs([]string{"tasks", "cancel", "another", "--config", config})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no task") {
		t.Fatalf("got %v, want that there is no such task", err)
	}
	if lost, err := db.ClaimTasks(t.Context(), bridge.Lease{Replica: "r"}, now.Add(time.Minute), 10); err != nil || len(lost) != 0 {
		t.Errorf("got %d tasks, %v, that the server does not hold any more", len(lost), err)
	}
	if e, err = db.Task(t.Context(), "alice", "h"); err != nil || e.Settled {
		t.Errorf("got %+v, %v, want the task as it was", e, err)
	}
}
