package ledgerdb

import (
	"sync"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
	"rialto/store/sqldb"
)

// TestOneUsersSlowReadsDoNotDelayAnother makes each read of alice's tasks take half a second.
// Thirty of them held all connections.
func TestOneUsersSlowReadsDoNotDelayAnother(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	base, err := sqldb.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { base.Close() })
	tasks, err := base.NewPool()
	if err != nil {
		t.Fatal(err)
	}
	db := &Store{sql: tasks}
	hers, his := endedEntry("hers"), endedEntry("his")
	his.Owner = "bob"
	addEntry(t, db, hers)
	addEntry(t, db, his)
	if _, err := base.Write.ExecContext(t.Context(), `ALTER TABLE tasks RENAME TO all_tasks`); err != nil {
		t.Fatal(err)
	}
	if _, err := base.Write.ExecContext(t.Context(), `CREATE VIEW tasks AS SELECT * FROM all_tasks WHERE owner <> 'alice' OR pg_sleep(0.5) IS NOT NULL`); err != nil {
		t.Fatal(err)
	}
	var reads sync.WaitGroup
	begun := make(chan struct{}, 30)
	for range 30 {
		reads.Go(func() {
			begun <- struct{}{}
			if _, err := db.Task(t.Context(), "alice", hers.Handle); err != nil {
				t.Error(err)
			}
		})
	}
	for range 30 {
		<-begun
	}
	slowest := time.Duration(0)
	for range 20 {
		at := time.Now()
		if _, err := db.Task(t.Context(), "bob", his.Handle); err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(at))
	}
	if slowest > 400*time.Millisecond {
		t.Errorf("bob waited %s while alice read", slowest)
	}
	t.Logf("bob's slowest read: %s", slowest)
	reads.Wait()
}
