package ledgerdb

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// TestALongLedgerIsAsFastAsAShortOne fills a short ledger and a long one, and logs how long
// the reads of each take, in turns, so that other load disturbs both. RIALTO_TEST_TASKS is
// the number of tasks of the long one. Read the times; the test does not judge them.
func TestALongLedgerIsAsFastAsAShortOne(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("RIALTO_TEST_TASKS"))
	if err != nil {
		t.Skip("set RIALTO_TEST_TASKS to the number of tasks, up to 1000000")
	}
	for name, open := range map[string]func(*testing.T) *Store{"SQLite": openTemp, "PostgreSQL": openSchema} {
		t.Run(name, func(t *testing.T) {
			short, long := open(t), open(t)
			report(t, filled{short, fill(t, short, 1000, 50)}, filled{long, fill(t, long, n, 50)})
		})
	}
}

// filled is a database and the handles of its tasks.
type filled struct {
	db      *Store
	handles []string
}

// reads is how many reads of a kind are timed.
const reads = 3000

// fill adds so many settled tasks, and gives so many to each owner.
func fill(t *testing.T, db *Store, n, each int) (handles []string) {
	ctx := t.Context()
	lease := "r"
	for from := 0; from < n; {
		batch := min(250, n-from)
		err := db.sql.InTx(ctx, func(x *sqldb.Tx) error {
			var tasks []indexEntry
			for i := from; i < from+batch; i++ {
				e := &ledger.Record{
					Handle: fmt.Sprintf("task-%08d", i), Owner: fmt.Sprint("owner-", i/each), Agent: "agent", MessageID: "m",
					Created: time.UnixMilli(int64(i)), Updated: time.UnixMilli(int64(i)), Idle: true,
					Task: &a2a.Task{ID: "up", ContextID: fmt.Sprint("c", i), Status: a2a.Status{State: a2a.Completed}, Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{
						a2a.TextPart(fmt.Sprintf("the result of number %d has word%d and word%d", i, rand.IntN(5000), rand.IntN(50))),
					}}}},
				}
				row, err := encodeRecord(e)
				if err != nil {
					return err
				}
				if _, err := x.ExecContext(ctx, `
					INSERT INTO tasks (handle, owner, client, agent, message_id, context_id, state, summary, task, settled, holder, due, created, updated)
					VALUES ($1, $2, '', $3, $4, $5, $6, '', $7, 1, $8, 0, $9, $9)`,
					e.Handle, e.Owner, e.Agent, e.MessageID, e.ContextID(), string(e.State()), row.Task, lease, e.Created.UnixMilli()); err != nil {
					return err
				}
				tasks, handles = append(tasks, newIndexEntry(e)), append(handles, e.Handle)
			}
			return writeIndex(ctx, db.sql, x, tasks)
		})
		if err != nil {
			t.Fatal(err)
		}
		from += batch
	}
	if db.sql.Postgres {
		if _, err := db.sql.Write.ExecContext(ctx, "ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
	return handles
}

func report(t *testing.T, short, long filled) {
	ctx := t.Context()
	for _, read := range []struct {
		name string
		do   func(l filled, i int) error
	}{
		{"get_task", func(l filled, i int) error {
			_, err := l.db.Task(ctx, fmt.Sprint("owner-", i/50), l.handles[i])
			return err
		}},
		{"list_tasks", func(l filled, i int) error {
			_, err := l.db.Summaries(ctx, fmt.Sprint("owner-", i/50), ledger.Filter{Limit: 20})
			return err
		}},
		{"search, a rare word", func(l filled, i int) error {
			_, err := l.db.FindTasks(ctx, fmt.Sprint("owner-", i/50), []string{fmt.Sprint("word", i%5000)}, 50)
			return err
		}},
		{"search, a word of every task", func(l filled, i int) error {
			_, err := l.db.FindTasks(ctx, fmt.Sprint("owner-", i/50), []string{"result", "number"}, 50)
			return err
		}},
	} {
		var took [2][]time.Duration
		for range reads {
			for which, l := range []filled{short, long} {
				begun := time.Now()
				if err := read.do(l, rand.IntN(len(l.handles))); err != nil {
					t.Fatal(err)
				}
				took[which] = append(took[which], time.Since(begun))
			}
		}
		for which, l := range []filled{short, long} {
			slices.Sort(took[which])
			t.Logf("%8d tasks: %-30s p50 %8v  p99 %8v", len(l.handles), read.name, took[which][reads/2], took[which][reads*99/100])
		}
	}
}
