package server

import (
	"testing"
	"time"
)

// poll calls done until it returns true, for what happens without a sign that a test could wait for.
// The test fails after a minute, with what found says.
func poll(t *testing.T, interval time.Duration, done func() bool, found ...func() string) {
	t.Helper()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	timeout := time.After(time.Minute)
	for !done() {
		select {
		case <-ticker.C:
		case <-timeout:
			for _, f := range found {
				t.Log(f())
			}
			t.Fatal("it has not happened within a minute")
		}
	}
}
