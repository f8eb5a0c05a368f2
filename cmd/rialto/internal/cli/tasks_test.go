package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/ledger"
	"rialto/store"
	"rialto/store/storetest"
)

// commandRig returns a configuration with an agent, and the database that it names.
func commandRig(t *testing.T, agent string) (config string, db *store.DB) {
	t.Helper()
	dir := t.TempDir()
	config = filepath.Join(dir, "rialto.yaml")
	path := storetest.File(t, store.Open)
	text := "database: " + path + "\nsecret_file: " + filepath.Join(dir, "secret") + "\nurl: https://rialto.test\nagents: [{name: one, url: '" + agent + "'}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return config, db
}

// run executes a command and discards its output.
func run(t *testing.T, args ...string) error { return runTo(t, io.Discard, args...) }

func runTo(t *testing.T, out io.Writer, args ...string) error {
	t.Helper()
	cmd := Command(func(time.Duration) {})
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	return cmd.ExecuteContext(t.Context())
}

// heartbeat is that of a server that follows tasks.
func heartbeat(t *testing.T, db *store.DB, replica string) {
	t.Helper()
	if _, err := db.Ledger.Heartbeat(t.Context(), replica, 1); err != nil {
		t.Fatal(err)
	}
}

// TestACommandTakesOverNoTasks cancels a task beside a server that follows another.
func TestACommandTakesOverNoTasks(t *testing.T) {
	config, db := commandRig(t, "http://127.0.0.1:1")
	now := time.Now()
	if alone, err := db.LockServer(t.Context()); err != nil || !alone {
		t.Fatalf("got %v, %v, want that no other server runs", alone, err)
	}
	heartbeat(t, db, "the server")
	e := &ledger.Record{Handle: "h", Owner: "alice", Agent: "one", MessageID: "m", Created: now, Updated: now}
	if err := db.Ledger.AddTask(t.Context(), e, "the server", 10); err != nil {
		t.Fatal(err)
	}
	if err := run(t, "tasks", "cancel", "another", "--yes", "--config", config); err == nil || !strings.Contains(err.Error(), "there is no task") {
		t.Fatalf("got %v, want an error about an unknown task", err)
	}
	if lost, err := db.Ledger.ClaimTasks(t.Context(), "r", nil, 10); err != nil || len(lost) != 0 {
		t.Errorf("got %d tasks, %v, that the server does not hold any more", len(lost), err)
	}
	if e, err := db.Ledger.Task(t.Context(), "alice", "h"); err != nil || e.Idle {
		t.Errorf("got %+v, %v, want the task as it was", e, err)
	}
}

// TestCancelTakesOverOneTask cancels a task of a server that was
// killed. The others that it left were taken up, too, and failed with the command.
func TestCancelTakesOverOneTask(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	config, db := commandRig(t, a2atest.Serve(t, agent, agent.Card(), a2a.V10))
	now := time.Now().Truncate(time.Millisecond)
	entry := func(handle string) *ledger.Record {
		return &ledger.Record{Handle: handle, Owner: "alice", Agent: "one", MessageID: "m", Created: now, Updated: now}
	}
	atWork := entry("asked for")
	req := a2atest.Say("hang")
	req.ReturnImmediately = true
	e, err := agent.Send(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	atWork.Task = e.(*a2a.Task)
	heartbeat(t, db, "the server")
	for _, e := range []*ledger.Record{atWork, entry("another")} {
		if err := db.Ledger.AddTask(t.Context(), e, "the server", 10); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(t, "tasks", "cancel", "asked for", "--yes", "--config", config); err != nil {
		t.Fatal(err)
	}
	if e, err := db.Ledger.Task(t.Context(), "alice", "asked for"); err != nil || e.State() != a2a.Canceled {
		t.Errorf("got %+v, %v, want the task canceled", e, err)
	}
	if e, err := db.Ledger.Task(t.Context(), "alice", "another"); err != nil || e.Idle || !e.Updated.Equal(now) {
		t.Errorf("got %+v, %v, want the other task as it was", e, err)
	}
	if left, err := db.Ledger.ClaimTasks(t.Context(), "r", nil, 10); err != nil || len(left) != 1 {
		t.Errorf("got %d tasks, %v, want one free task", len(left), err)
	}
}

// TestVerifyPrintsTheChainAsJSON verifies the audit log after two commands that it has.
func TestVerifyPrintsTheChainAsJSON(t *testing.T) {
	config, _ := commandRig(t, "http://127.0.0.1:1")
	for _, name := range []string{"disable", "enable"} {
		if err := run(t, "agents", name, "one", "--config", config); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := runTo(t, &out, "audit", "verify", "--json", "--config", config); err != nil {
		t.Fatal(err)
	}
	if ok, _ := regexp.MatchString(`^\{\s*"events": 2,\s*"unkeyed": 0,\s*"end": \{\s*"seq": 2,\s*"hash": "hmac:[0-9a-f]{64}"\s*\}\s*\}\s*$`, out.String()); !ok {
		t.Errorf("got %s", &out)
	}
}
