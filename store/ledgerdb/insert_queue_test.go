package ledgerdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/dberr"
	"rialto/store/sqldb"
)

// inserts counts the statements that insert tasks.
type inserts struct{ atomic.Int64 }

func (n *inserts) ObserveStatement(_ context.Context, statement string) func(error) {
	if strings.HasPrefix(statement, "INSERT INTO tasks") {
		n.Add(1)
	}
	return func(error) {}
}

// TestTasksThatEndTogetherAreInsertedTogether adds 40 tasks that have ended while an insertion waits for
// a lock. One of them is there already: it alone fails.
func TestTasksThatEndTogetherAreInsertedTogether(t *testing.T) {
	db, now := openSchema(t), time.Now()
	add := func(owner, handle string) error {
		return db.AddTask(t.Context(), &ledger.Record{
			Handle: handle, Owner: owner, Agent: "a", MessageID: "m", Idle: true, Created: now, Updated: now,
			Task: &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}},
		}, "here", 10)
	}
	if err := add("o", "task 7"); err != nil {
		t.Fatal(err)
	}
	count := &inserts{}
	db.sql.Write.Observer = count
	var all sync.WaitGroup
	var failed [40]error
	err := db.sql.InTx(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `LOCK TABLE tasks IN SHARE MODE`)
		for i := range failed {
			all.Go(func() { failed[i] = add(fmt.Sprint("o", i%3), fmt.Sprint("task ", i)) })
		}
		for waiting := 0; waiting < len(failed)-insertBatch; {
			waiting = db.inserts.waiting.Len()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for i, err := range failed {
		if (err != nil) != (i == 7) {
			t.Errorf("task %d: got %v", i, err)
		}
	}
	if n := count.Load(); n > 4+insertBatch {
		t.Errorf("got %d statements for 40 tasks, want at most 4, and 16 for the batch that fails", n)
	}
	var stored int
	err = db.sql.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM tasks`).Scan(&stored)
	if err != nil || stored != len(failed) {
		t.Errorf("got %d tasks, %v, want %d", stored, err, len(failed))
	}
}

// TestATaskWaitsNoLongerThanItsContext has an insertion wait for a lock, and another one for the first. The
// database does not answer in time: the runner then looks whether it has the task. It never gets the other.
func TestATaskWaitsNoLongerThanItsContext(t *testing.T) {
	db, now := openSchema(t), time.Now()
	add := func(ctx context.Context, handle string) error {
		return db.AddTask(ctx, &ledger.Record{
			Handle: handle, Owner: "o", Agent: "a", MessageID: "m", Idle: true, Created: now, Updated: now,
		}, "here", 10)
	}
	err := db.sql.InTx(t.Context(), func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(t.Context(), `LOCK TABLE tasks IN SHARE MODE`); err != nil {
			return err
		}
		for _, handle := range []string{"first", "other"} {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			err := add(ctx, handle)
			if _, away := dberr.As(err); !away || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want that the database does not answer in time", err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := add(t.Context(), "last"); err != nil {
		t.Error(err)
	}
	for handle, want := range map[string]error{"first": nil, "other": ledger.ErrNoTask} {
		if _, err := db.Task(t.Context(), "o", handle); !errors.Is(err, want) {
			t.Errorf("the %s task: got %v, want %v", handle, err, want)
		}
	}
}
