// Package raced tells tests whether the race detector watches them. It looks at
// how goroutines meet, and makes each byte that they touch ten times as dear: what
// a single one does with megabytes is tested without it.
package raced

import "testing"

// Skip skips a test of what one goroutine does with much under the race detector.
// It must run without, where it is timed and weighed as it is.
func Skip(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("one goroutine and megabytes: nothing for the race detector")
	}
}
