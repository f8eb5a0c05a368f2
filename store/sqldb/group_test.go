package sqldb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// TestAFailedTransactionDoesNotUndoItsGroup writes from many goroutines, some of which fail:
// the table has the rows of exactly those that got no error.
func TestAFailedTransactionDoesNotUndoItsGroup(t *testing.T) {
	db := openTemp(t)
	if _, err := db.Write.ExecContext(t.Context(), "CREATE TABLE marks (n BIGINT PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	const insert = "INSERT INTO marks (n) VALUES ($1)"
	refused := errors.New("refused")
	var mu sync.Mutex
	written := map[int]int{}
	var wg sync.WaitGroup
	for i := range 300 {
		n := i % 100 // three callers want each number
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := db.InTx(ctx, func(t *Tx) error {
				if _, err := t.ExecContext(ctx, insert, n); err != nil {
					return err
				}
				if i%7 == 0 {
					cancel() // must not undo what others wrote
				}
				if i%5 == 0 {
					return refused
				}
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				written[n]++
			} else if i%5 != 0 && written[n] == 0 && errors.Is(err, refused) {
				t.Errorf("caller %d got the error of another: %v", i, err)
			}
		})
	}
	wg.Wait()
	for n := range 100 {
		var there int
		if err := db.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM marks WHERE n = $1", n).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if there != written[n] || there > 1 {
			t.Errorf("number %d: %d rows, %d callers got no error", n, there, written[n])
		}
	}
}

// TestAFailedCommitIsReportedToAll closes the database under a group.
func TestAFailedCommitIsReportedToAll(t *testing.T) {
	db := openTemp(t)
	db.Write.DB.Close()
	for i := range 3 {
		if _, err := db.Write.ExecContext(t.Context(), fmt.Sprint("SELECT ", i)); err == nil {
			t.Error("a closed database: got no error")
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	db, err := Open(b.Context(), b.TempDir()+"/bench.db")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Write.ExecContext(b.Context(), "CREATE TABLE marks (n BIGINT)"); err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := db.Write.ExecContext(b.Context(), "INSERT INTO marks (n) VALUES (1)"); err != nil {
				b.Error(err)
			}
		}
	})
}
