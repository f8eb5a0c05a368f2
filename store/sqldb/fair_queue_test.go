package sqldb

import (
	"errors"
	"testing"
	"testing/synctest"

	"rialto/internal/dberr"
)

// TestAUserHasHalfOfTheConnections has one user wait with as many statements as may wait.
func TestAUserHasHalfOfTheConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := &FairQueue{size: 2}
		done, err := turns.Acquire(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		refused := make(chan error, MaxWaiting)
		for range MaxWaiting {
			go func() {
				again, err := turns.Acquire(t.Context(), "alice")
				if err != nil {
					refused <- err
					return
				}
				again()
			}()
		}
		synctest.Wait()
		other, err := turns.Acquire(t.Context(), "bob")
		if err != nil {
			t.Fatal(err)
		}
		other()
		err = <-refused
		if away, is := dberr.As(err); !is || !away.Overloaded || !errors.Is(err, ErrBusy) {
			t.Errorf("got %v for a statement that lost its place, want that the database is overloaded", err)
		}
		done()
	})
}
