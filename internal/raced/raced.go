// Package raced tells tests whether the race detector watches them. It looks at
// how goroutines meet, and makes each byte that they touch ten times as dear: what
// a single one does with megabytes is tested without it.
package raced

import "testing"

// Skip skips a test under the race detector. It is for tests in which one goroutine handles a lot of
// data, and for those that measure time or memory.
func Skip(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("one goroutine and megabytes: nothing for the race detector")
	}
}
