package ledgerdb

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// BenchmarkTask writes what a call of send_task does whose task ends in it, at
// once or after a while, and indexes it meanwhile, as the bridge does. On a machine
// that has other work to do, the processor time says more than the other one.
func BenchmarkTask(b *testing.B) {
	b.Run("that is answered at once", func(b *testing.B) { benchmarkTask(b, true) })
	b.Run("that takes a while", func(b *testing.B) { benchmarkTask(b, false) })
}

func benchmarkTask(b *testing.B, atOnce bool) {
	db := open(b, b.TempDir()+"/bench.db")
	writeBehind(b, db)
	index := func() bool {
		more, err := db.IndexTasks(b.Context(), 200)
		if err != nil {
			b.Error(err)
		}
		return more
	}
	index()
	lease := "r"
	var written atomic.Int64
	b.SetParallelism(8)
	b.ReportAllocs()
	b.ResetTimer()
	before := processor(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			now := time.Now().Truncate(time.Millisecond)
			e := &ledger.Record{Handle: uuid.Must(uuid.NewV7()).String(), Owner: "owner", Agent: "agent", MessageID: uuid.NewString(), Created: now, Updated: now}
			if !atOnce {
				if err := db.AddTask(b.Context(), e, lease, 1000); err != nil {
					b.Error(err)
				}
			}
			e.Task = &a2a.Task{ID: "7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11", ContextID: e.MessageID, Status: a2a.Status{State: a2a.Completed}, Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart("hello")}}}}
			e.Idle, e.Updated = true, now.Add(time.Millisecond)
			write := func() error { return db.SaveTask(b.Context(), e, "r") }
			if atOnce {
				write = func() error { return db.AddTask(b.Context(), e, lease, 1000) }
			}
			if err := write(); err != nil {
				b.Error(err)
			}
			if written.Add(1)%1000 == 0 {
				for index() {
				}
			}
		}
	})
	b.ReportMetric(float64((processor(b)-before).Nanoseconds())/float64(b.N), "cpu-ns/task")
}

// processor returns the processor time that this process has used.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestTheIndexFindsTasksOfEarlierProcesses opens a database again with tasks that are not
// indexed, and adds more tasks than the queue in memory takes.
func TestTheIndexFindsTasksOfEarlierProcesses(t *testing.T) {
	path := t.TempDir() + "/rialto.db"
	first, moment := open(t, path), time.Now().Add(-time.Minute)
	add := func(db *Store, id string) {
		t.Helper()
		moment = moment.Add(time.Millisecond)
		e := &ledger.Record{Handle: id, Owner: "bob", Agent: "agent", MessageID: "m", Created: moment, Updated: moment, Idle: true,
			Task: &a2a.Task{ID: "up", ContextID: "context of " + id, Status: a2a.Status{State: a2a.Completed}}}
		if err := db.AddTask(t.Context(), e, "", 1); err != nil {
			t.Fatal(err)
		}
	}
	add(first, "before")
	db := open(t, path)
	if more, err := db.IndexTasks(t.Context(), 10); more || err != nil {
		t.Fatalf("got %v, %v", more, err)
	}
	n := maxQueued + 50
	for i := range n {
		add(db, fmt.Sprint("task", i))
	}
	has := func(context string) bool {
		t.Helper()
		has, err := db.HasContext(t.Context(), "bob", "agent", context)
		if err != nil {
			t.Fatal(err)
		}
		return has
	}
	indexed := func() int {
		t.Helper()
		for more := true; more; {
			var err error
			if more, err = db.IndexTasks(t.Context(), 500); err != nil {
				t.Fatal(err)
			}
		}
		found, err := db.FindTasks(t.Context(), "bob", []string{"agent"}, 2*n)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if got := indexed(); got != maxQueued+1 {
		t.Errorf("%d tasks are found, want those that had room and the one before", got)
	}
	if !has("context of task0") || !has(fmt.Sprint("context of task", n-1)) || has("context of nobody") {
		t.Error("got wrong answers about conversations of indexed and queued tasks")
	}
	db.queue.next, db.queue.caughtUp = time.Time{}, false // as if it were started again
	if got := indexed(); got != n+1 {
		t.Errorf("%d tasks are found in the end, want all %d", got, n+1)
	}
	latest, err := db.FindTasks(t.Context(), "bob", []string{"agent"}, 1)
	if err != nil || latest[0].TaskID != fmt.Sprint("task", n-1) {
		t.Errorf("got %+v, %v, want the latest first", latest, err)
	}
}
