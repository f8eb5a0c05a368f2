package e2e

import "time"

// poll calls done until it returns true, for what other processes do. It reports whether that was
// within the timeout.
func poll(interval, timeout time.Duration, done func() bool) bool {
	for begun := time.Now(); !done(); pause(interval) {
		if time.Since(begun) > timeout {
			return false
		}
	}
	return true
}
