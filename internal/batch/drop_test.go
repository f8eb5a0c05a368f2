package batch

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestDeletionLeavesTheDatabaseToOthers deletes a thousand records that take the database 10 ms for each
// hundred. Without a pause, other writers waited for each of them: a call took 188 ms instead of 8.
func TestDeletionLeavesTheDatabaseToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, left := time.Now(), 1000
		err := Drop(t.Context(), 100, func(size int) (int, error) {
			time.Sleep(10 * time.Millisecond)
			n := min(size, left)
			left -= n
			return n, nil
		})
		if err != nil || left != 0 {
			t.Errorf("got %v with %d records left", err, left)
		}
		if took := time.Since(begun); took < 500*time.Millisecond {
			t.Errorf("it took %s, want the database free for four fifths of the time", took)
		}
	})
}
