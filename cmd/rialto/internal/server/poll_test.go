package server

import (
	"testing"
	"time"
)

// poll calls done until it returns true, for what happens without a sign that a test could wait for.
func poll(t *testing.T, interval time.Duration, done func() bool) {
	t.Helper()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	timeout := time.After(time.Minute)
	for !done() {
		select {
		case <-ticker.C:
		case <-timeout:
			t.Fatal("it has not happened within a minute")
		}
	}
}
