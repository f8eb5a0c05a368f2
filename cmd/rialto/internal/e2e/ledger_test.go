package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/oauth/oauthtest"
	"rialto/store"
)

// TestALongLedgerIsAsQuickAtTheDoor asks a server with a thousand tasks and one
// with many more, all of one user, by turns, so that what disturbs the machine
// disturbs both, and reports how long the answers take. RIALTO_TEST_TASKS says how
// many tasks the long ledger has; the times are printed, not judged, for the person who
// asks for them.
func TestALongLedgerIsAsQuickAtTheDoor(t *testing.T) {
	n := number("RIALTO_TEST_TASKS", 0)
	if n == 0 {
		t.Skip("set RIALTO_TEST_TASKS to the number of tasks, up to 1000000")
	}
	for name, database := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return filepath.Join(t.TempDir(), "rialto.db") },
		"PostgreSQL": oauthtest.PostgresSchema,
	} {
		t.Run(name, func(t *testing.T) {
			reportLedgers(t, newLongLedger(t, database(t), 1000), newLongLedger(t, database(t), n))
		})
	}
}

// TestSendsBesidePruning sends to a server that forgets many old tasks, and to one with a thousand new ones,
// by turns. RIALTO_TEST_TASKS says how many it forgets; the times are printed, not judged.
func TestSendsBesidePruning(t *testing.T) {
	n := number("RIALTO_TEST_TASKS", 0)
	if n == 0 {
		t.Skip("set RIALTO_TEST_TASKS to the number of tasks, up to 1000000")
	}
	for name, database := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return filepath.Join(t.TempDir(), "rialto.db") },
		"PostgreSQL": oauthtest.PostgresSchema,
	} {
		t.Run(name, func(t *testing.T) {
			fresh := newLongLedger(t, database(t), 1000)
			old := newOldLedger(t, database(t), n, 100*24*time.Hour)
			var took [2][]time.Duration
			for i := range 1000 {
				for which, l := range []longLedger{fresh, old} {
					begun := time.Now()
					if err := l.ask("send_task", map[string]any{"message": fmt.Sprint("quick ", i)}); err != nil {
						t.Fatal(err)
					}
					took[which] = append(took[which], time.Since(begun))
				}
			}
			left := 0
			for range 1000 {
				if old.ask("get_task", map[string]any{"task_id": old.handles[rand.IntN(n)]}) == nil {
					left++
				}
			}
			for which, what := range []string{"with new tasks", "beside pruning"} {
				t.Logf("%s: p50 %v, p99 %v", what, percentile(took[which], 50), percentile(took[which], 99))
			}
			t.Logf("%d of a thousand old tasks are left", left)
		})
	}
}

// longLedger is a server and the handles of its tasks.
type longLedger struct {
	*world
	handles []string
}

func newLongLedger(t *testing.T, database string, n int) longLedger {
	return newOldLedger(t, database, n, 0)
}

// newOldLedger starts a server with so many tasks, which ended so long ago.
func newOldLedger(t *testing.T, database string, n int, age time.Duration) longLedger {
	w := &world{agent: newCountingAgent(t), handles: map[string]given{}}
	w.serve(t, database, 1)
	w.servers[0].end(t)
	handles := fillLedger(t, database, n, age)
	w.servers[0] = w.servers[0].again(t)
	return longLedger{w, handles}
}

// fillLedger writes so many tasks of alice, as the program does.
func fillLedger(t *testing.T, database string, n int, age time.Duration) []string {
	db, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.LockServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.StartWriteBehind(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	alice, err := db.OAuth.Accounts.Account(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	handles := make([]string, n)
	const atOnce = 64
	var all sync.WaitGroup
	for from := range atOnce {
		all.Go(func() {
			for i := from; i < n && !t.Failed(); i += atOnce {
				now, id := time.Now().Add(-age), uuid.Must(uuid.NewV7()).String()
				handles[i] = id
				e := &ledger.Record{Handle: id, Owner: alice.ID, Agent: "agent", MessageID: id, Created: now, Updated: now, Idle: true, Task: &a2a.Task{
					ID: a2a.TaskID(id), ContextID: id, Status: a2a.Status{State: a2a.Completed}, Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{
						a2a.TextPart(fmt.Sprintf("the result of number %d has word%d and word%d", i, rand.IntN(5000), rand.IntN(50))),
					}}},
				}}
				if err := db.Ledger.AddTask(t.Context(), e, "", 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for more := true; more && err == nil; {
		more, err = db.Ledger.IndexTasks(t.Context(), 200)
	}
	if err != nil || t.Failed() {
		t.Fatalf("filling the ledger: %v", err)
	}
	return handles
}

func reportLedgers(t *testing.T, short, long longLedger) {
	const calls = 2000
	for _, c := range []struct {
		name, tool string
		args       func(l longLedger) map[string]any
	}{
		{"get_task", "get_task", func(l longLedger) map[string]any {
			return map[string]any{"task_id": l.handles[rand.IntN(len(l.handles))]}
		}},
		{"list_tasks", "list_tasks", func(longLedger) map[string]any { return map[string]any{} }},
		{"list_tasks of an agent and a state", "list_tasks", func(longLedger) map[string]any { return map[string]any{"agent": "agent", "state": "completed"} }},
		{"search, a rare word", "search", func(longLedger) map[string]any { return map[string]any{"query": fmt.Sprint("word", rand.IntN(5000))} }},
		{"search, words of every task", "search", func(longLedger) map[string]any { return map[string]any{"query": "result number"} }},
	} {
		var took [2][]time.Duration
		for range calls {
			for which, l := range []longLedger{short, long} {
				begun := time.Now()
				if err := l.ask(c.tool, c.args(l)); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				took[which] = append(took[which], time.Since(begun))
			}
		}
		for which, l := range []longLedger{short, long} {
			slices.Sort(took[which])
			t.Logf("%8d tasks: %-34s p50 %8v  p99 %8v", len(l.handles), c.name, took[which][calls/2], took[which][calls*99/100])
		}
	}
}

// ask makes a call over a connection that is kept, and reads its answer.
func (l longLedger) ask(tool string, args map[string]any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, l.servers[0].URL+"/mcp", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + l.token}, "Mcp-Protocol-Version": {"2025-06-18"}}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(b, []byte("structuredContent")) || bytes.Contains(b, []byte(`"isError":true`)) {
		return fmt.Errorf("got %s, %v: %s", res.Status, err, b)
	}
	return nil
}
