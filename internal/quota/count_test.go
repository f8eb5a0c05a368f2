package quota

import (
	"net/http"
	"sync"
	"testing"
)

func TestACountHasALimitForEachKeyAndForAll(t *testing.T) {
	var c Count
	var releases []func()
	for i, step := range []struct {
		key    string
		status int // of the refusal; 0 is none
	}{
		{"a", 0},
		{"a", 0},
		{"a", http.StatusTooManyRequests},
		{"b", 0},
		{"c", http.StatusServiceUnavailable},
		{"a", http.StatusTooManyRequests}, // its own limit comes first
	} {
		release, refused := c.Acquire(step.key, 2, 3)
		switch {
		case refused == nil && step.status == 0:
			releases = append(releases, release)
		case refused == nil, refused.Status() != step.status:
			t.Errorf("step %d, %s: got %+v, want status %d", i, step.key, refused, step.status)
		case refused.Used != refused.Limit:
			t.Errorf("step %d: got %d used, want %d", i, refused.Used, refused.Limit)
		}
	}
	if full := c.Full(2); c.All() != 3 || c.Of("a") != 2 || len(full) != 1 || full[0] != "a" {
		t.Errorf("got %d open, %d for a, full %v; want 3, 2 and a", c.All(), c.Of("a"), full)
	}
	for _, release := range releases {
		release()
		release() // it counts once
	}
	if c.All() != 0 || len(c.open.of) != 0 {
		t.Errorf("got %d open and the keys %v at the end", c.All(), c.open.of)
	}
}

func TestNoMoreAreOpenAtOnceThanTheLimit(t *testing.T) {
	var c Count
	var all sync.WaitGroup
	open := make(chan struct{}, 100)
	for range 100 {
		all.Go(func() {
			if _, refused := c.Acquire("a", 10, Unlimited); refused == nil {
				open <- struct{}{}
			}
		})
	}
	all.Wait()
	if len(open) != 10 {
		t.Errorf("got %d open, want 10", len(open))
	}
}

func TestARefusalHasTheReasonOfItsOwner(t *testing.T) {
	var c Count
	_, refused := c.Acquire("a", 0, Unlimited)
	if got, want := refused.Error(), "the limit of 0 is reached"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := refused.Because("%d pages", refused.Used).Error(), "0 pages"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
