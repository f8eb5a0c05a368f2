package limit

import (
	"testing"
	"time"
)

func TestJ13OnePasswordDoesNotEndTheWaitOfAnother(t *testing.T) {
	const free = 5
	var b Backoff
	now := time.Unix(1, 0)
	for range free {
		b.Add("k", free, now)
	}
	right := b.Add("k", free, now)
	b.Add("k", free, now) // at the same moment, and wrong
	b.Forgive("k", right)
	if wait := b.Wait("k", now); wait < 2*time.Second {
		t.Errorf("got %v, want the failure to count", wait)
	}
}
