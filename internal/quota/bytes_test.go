package quota

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
)

func TestBytesHaveALimitForEachKeyAndForAll(t *testing.T) {
	var b Bytes
	for i, step := range []struct {
		key    string
		n      int64
		status int // of the refusal; 0 is none
	}{
		{"a", 10, 0},
		{"a", 1, http.StatusTooManyRequests},
		{"b", 6, http.StatusServiceUnavailable},
		{"b", 5, 0},
		{"a", 1, http.StatusTooManyRequests}, // its own limit comes first
	} {
		refused := b.Grow(step.key, step.n, 10, 15)
		if (refused == nil) != (step.status == 0) || refused != nil && refused.Status() != step.status {
			t.Errorf("step %d, %s: got %+v, want status %d", i, step.key, refused, step.status)
		}
	}
	b.Add("b", 7) // what is there counts
	if refused := b.Check("b", 10, Unlimited); refused == nil || refused.Used != 12 {
		t.Errorf("got %+v, want that 12 are too many", refused)
	}
	if refused := b.Check("a", 10, 15); refused == nil || !refused.Shared || b.All() != 22 {
		t.Errorf("got %+v, %d in all, want that 22 are too many", refused, b.All())
	}
	b.Add("a", -10)
	b.Add("b", -12)
	if b.All() != 0 || len(b.of) != 0 {
		t.Errorf("got %d bytes and the keys %v at the end", b.All(), b.of)
	}
}

func TestBytesAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Bytes
		b.Add("a", 10)
		ctx, giveUp := context.WithCancel(t.Context())
		got := make(chan *Refusal, 2)
		go func() { got <- b.Wait(ctx, "a", 6, 10, Unlimited) }()
		synctest.Wait()
		go func() { got <- b.Wait(ctx, "a", 6, 10, Unlimited) }()
		b.Add("a", -3)
		b.Add("b", 10)
		synctest.Wait()
		if len(got) != 0 {
			t.Fatal("got room, though there is none")
		}
		b.Add("a", -3)
		if refused := <-got; refused != nil {
			t.Errorf("got %+v, though there is room", refused)
		}
		giveUp()
		if refused := <-got; refused == nil {
			t.Error("got room after the context has ended")
		}
		if refused := b.Wait(t.Context(), "c", 6, 10, 25); refused == nil || !refused.Shared {
			t.Errorf("got %+v, want that all keys have no room", refused)
		}
		if refused := b.Wait(t.Context(), "c", 11, 10, Unlimited); refused == nil {
			t.Error("got more room than a key may have")
		}
		if b.All() != 20 {
			t.Errorf("got %d bytes, want 20", b.All())
		}

		many, end := context.WithCancel(t.Context())
		refusals := make(chan *Refusal, maxWaits)
		for range maxWaits {
			go func() { refusals <- b.Wait(many, "a", 6, 10, Unlimited) }()
		}
		synctest.Wait()
		if refused := b.Wait(t.Context(), "a", 6, 10, Unlimited); refused == nil || len(refusals) > 0 {
			t.Errorf("got %+v, with %d refusals before, want that one too many is refused at once", refused, len(refusals))
		}
		end()
		synctest.Wait()
		if len(refusals) != maxWaits || b.waits["a"].callers != 0 {
			t.Errorf("got %d refusals, and %d that wait, after their contexts have ended", len(refusals), b.waits["a"].callers)
		}
	})
}
