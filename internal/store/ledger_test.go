package store

import (
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/bridgetest"
)

func TestSQLiteKeepsTheContractOfTheLedger(t *testing.T) {
	bridgetest.TestLedger(t, func(t *testing.T) bridge.Ledger { return openTemp(t) })
}

func TestMemoryKeepsTheContractOfTheLedger(t *testing.T) {
	bridgetest.TestLedger(t, func(t *testing.T) bridge.Ledger { return open(t, Memory) })
}

func TestPostgreSQLKeepsTheContractOfTheLedger(t *testing.T) {
	bridgetest.TestLedger(t, func(t *testing.T) bridge.Ledger { return openSchema(t) })
}

func TestMemoryKeepsTheContractOfTheOutbox(t *testing.T) {
	bridgetest.TestOutbox(t, func(t *testing.T) bridgetest.Watched { return open(t, Memory) })
}

func TestSQLiteKeepsTheContractOfTheOutbox(t *testing.T) {
	bridgetest.TestOutbox(t, func(t *testing.T) bridgetest.Watched { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfTheOutbox(t *testing.T) {
	bridgetest.TestOutbox(t, func(t *testing.T) bridgetest.Watched { return openSchema(t) })
}

func TestMemoryKeepsTheContractOfTheIndex(t *testing.T) {
	bridgetest.TestIndex(t, func(t *testing.T) bridgetest.Indexed { return open(t, Memory) })
}

func TestSQLiteKeepsTheContractOfTheIndex(t *testing.T) {
	bridgetest.TestIndex(t, func(t *testing.T) bridgetest.Indexed { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfTheIndex(t *testing.T) {
	bridgetest.TestIndex(t, func(t *testing.T) bridgetest.Indexed { return openSchema(t) })
}

func TestSQLiteKeepsTheContractOfCards(t *testing.T) {
	bridgetest.TestCards(t, func(t *testing.T) bridge.CardStore { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfCards(t *testing.T) {
	bridgetest.TestCards(t, func(t *testing.T) bridge.CardStore { return openSchema(t) })
}

func TestSQLiteKeepsTheContractOfAgents(t *testing.T) {
	bridgetest.TestAgents(t, func(t *testing.T) bridgetest.Registered { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfAgents(t *testing.T) {
	bridgetest.TestAgents(t, func(t *testing.T) bridgetest.Registered { return openSchema(t) })
}

func TestMemoryKeepsTheContractOfShares(t *testing.T) {
	bridgetest.TestShares(t, func(t *testing.T) bridgetest.Sharing { return open(t, Memory) })
}

func TestSQLiteKeepsTheContractOfShares(t *testing.T) {
	bridgetest.TestShares(t, func(t *testing.T) bridgetest.Sharing { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfShares(t *testing.T) {
	bridgetest.TestShares(t, func(t *testing.T) bridgetest.Sharing { return openSchema(t) })
}

// BenchmarkTask writes what a call of send_task does whose task ends in it, at
// once or after a while, and then indexes it. On a machine that has other work to
// do, the processor time says more than the other one.
func BenchmarkTask(b *testing.B) {
	b.Run("that is answered at once", func(b *testing.B) { benchmarkTask(b, true) })
	b.Run("that takes a while", func(b *testing.B) { benchmarkTask(b, false) })
}

func benchmarkTask(b *testing.B, atOnce bool) {
	db, err := Open(b.Context(), b.TempDir()+"/bench.db")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	lease := bridge.Lease{Replica: "r", Until: time.Now().Add(time.Hour)}
	b.SetParallelism(8)
	b.ReportAllocs()
	before := processor(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			now := time.Now().Truncate(time.Millisecond)
			e := &bridge.Entry{Handle: uuid.Must(uuid.NewV7()).String(), Owner: "owner", Agent: "agent", MessageID: uuid.NewString(), Created: now, Updated: now}
			if !atOnce {
				if err := db.AddTask(b.Context(), e, lease, 1000); err != nil {
					b.Error(err)
				}
			}
			e.Task = &a2a.Task{ID: "7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11", ContextID: e.MessageID, Status: a2a.Status{State: a2a.Completed}, Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart("hello")}}}}
			e.Settled, e.Updated = true, now.Add(time.Millisecond)
			write := func() error { return db.SaveTask(b.Context(), e, "r") }
			if atOnce {
				write = func() error { return db.AddTask(b.Context(), e, lease, 1000) }
			}
			if err := write(); err != nil {
				b.Error(err)
			}
		}
	})
	written := processor(b)
	for more := true; more; {
		if more, err = db.IndexTasks(b.Context(), 200); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((written-before).Nanoseconds())/float64(b.N), "cpu-ns/write")
	b.ReportMetric(float64((processor(b)-written).Nanoseconds())/float64(b.N), "cpu-ns/index")
}

// processor returns the processor time that this process has used.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
