package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
)

// TestALongLedgerIsAsQuickAsAShortOne fills a ledger and reports how long the
// reads take that wait for nothing. RIALTO_TEST_TASKS says how many tasks; the
// times are to be read, not judged, by whoever asks for them.
func TestALongLedgerIsAsQuickAsAShortOne(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("RIALTO_TEST_TASKS"))
	if err != nil {
		t.Skip("set RIALTO_TEST_TASKS to the number of tasks, up to 1000000")
	}
	for name, open := range map[string]func(*testing.T) *DB{"SQLite": openTemp, "PostgreSQL": openSchema} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			var handles []string
			for _, size := range []int{1000, n} {
				handles = append(handles, fill(t, db, len(handles), size)...)
				report(t, db, handles)
			}
		})
	}
}

// fill adds settled tasks, fifty of each owner, until there are so many.
func fill(t *testing.T, db *DB, from, to int) (handles []string) {
	ctx := t.Context()
	lease := bridge.Lease{Replica: "r", Until: time.Now().Add(time.Hour)}
	for from < to {
		batch := min(1000, to-from)
		err := db.inTx(ctx, func(x *tx) error {
			for i := from; i < from+batch; i++ {
				e := &bridge.Entry{
					Handle: fmt.Sprintf("task-%08d", i), Owner: fmt.Sprint("owner-", i/50), Agent: "agent", MessageID: "m",
					Created: time.UnixMilli(int64(i)), Updated: time.UnixMilli(int64(i)), Settled: true,
					Task: &a2a.Task{ID: "up", ContextID: fmt.Sprint("c", i), Status: a2a.Status{State: a2a.Completed}, Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{
						a2a.TextPart(fmt.Sprintf("the result of number %d has word%d and word%d", i, rand.IntN(5000), rand.IntN(50))),
					}}}},
				}
				row, err := encodeEntry(e)
				if err != nil {
					return err
				}
				if _, err := x.ExecContext(ctx, `
					INSERT INTO tasks (handle, owner, client, agent, message_id, context_id, state, summary, task, settled, holder, lease_until, created, updated)
					VALUES ($1, $2, '', $3, $4, $5, $6, '', $7, 1, $8, 0, $9, $9)`,
					e.Handle, e.Owner, e.Agent, e.MessageID, e.ContextID(), string(e.State()), row.task, lease.Replica, e.Created.UnixMilli()); err != nil {
					return err
				}
				if err := db.index(ctx, x, e); err != nil {
					return err
				}
				handles = append(handles, e.Handle)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		from += batch
	}
	if db.postgres {
		if _, err := db.write.ExecContext(ctx, "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
	return handles
}

func report(t *testing.T, db *DB, handles []string) {
	ctx := t.Context()
	for _, read := range []struct {
		name string
		do   func(i int) error
	}{
		{"get_task", func(i int) error { _, err := db.Task(ctx, fmt.Sprint("owner-", i/50), handles[i]); return err }},
		{"list_tasks", func(i int) error {
			_, err := db.Tasks(ctx, fmt.Sprint("owner-", i/50), bridge.TaskFilter{Limit: 20})
			return err
		}},
		{"search, a rare word", func(i int) error {
			_, err := db.FindTasks(ctx, fmt.Sprint("owner-", i/50), []string{fmt.Sprint("word", i%5000)}, 50)
			return err
		}},
		{"search, a word of every task", func(i int) error {
			_, err := db.FindTasks(ctx, fmt.Sprint("owner-", i/50), []string{"result", "number"}, 50)
			return err
		}},
	} {
		var took []time.Duration
		for range 500 {
			begun := time.Now()
			if err := read.do(rand.IntN(len(handles))); err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		t.Logf("%8d tasks: %-30s p50 %8v  p99 %8v", len(handles), read.name, took[250], took[495])
	}
}
