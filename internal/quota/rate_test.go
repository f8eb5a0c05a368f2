package quota

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// wait returns when to retry; 0 is now.
func wait(refused *Refusal) time.Duration {
	if refused == nil {
		return 0
	}
	return refused.RetryAfter
}

func TestARateAllowsABurstAndThenOneAfterTheOther(t *testing.T) {
	b := Bucket{Burst: 10, Window: time.Minute}
	now := time.Unix(1e9, 0)
	var r Rate
	for i := range 10 {
		if refused := r.Take(b, now, Key{Name: "a"}); refused != nil {
			t.Fatalf("token %d: got a wait of %s", i, refused.RetryAfter)
		}
	}
	for _, step := range []struct {
		key   string
		after time.Duration
		wait  time.Duration
		left  int
	}{
		{"a", 0, 6 * time.Second, 0},
		{"a", 4 * time.Second, 2 * time.Second, 0}, // a refusal takes no token
		{"b", 4 * time.Second, 0, 9},
		{"a", 6 * time.Second, 0, 0},
		{"a", 2 * time.Minute, 0, 9},
	} {
		at := now.Add(step.after)
		if got := wait(r.Take(b, at, Key{Name: step.key})); got != step.wait {
			t.Errorf("%s after %s: got a wait of %s, want %s", step.key, step.after, got, step.wait)
		}
		if got := r.Left(b, at, step.key); got != step.left {
			t.Errorf("%s after %s: got %d left, want %d", step.key, step.after, got, step.left)
		}
	}
}

func TestTokensAreTakenForAllKeysOrNone(t *testing.T) {
	b := Bucket{Burst: 2, Window: time.Minute}
	now := time.Unix(1e9, 0)
	var r Rate
	wide := Key{Name: "wide", Times: 2}
	for i, key := range []string{"a", "a", "b", "b"} {
		if refused := r.Take(b, now, Key{Name: key}, wide); refused != nil {
			t.Fatalf("token %d: got a wait of %s", i, refused.RetryAfter)
		}
	}
	if got := wait(r.Take(b, now, Key{Name: "c"}, wide)); got != 15*time.Second {
		t.Errorf("got a wait of %s for the group, want 15s", got)
	}
	if got := r.Left(b, now, "c"); got != 2 {
		t.Errorf("got %d left, want all: the group had none", got)
	}
}

// TestABucketOfAnotherSizeIsFull raises a limit that a caller has used up.
func TestABucketOfAnotherSizeIsFull(t *testing.T) {
	b := Bucket{Burst: 1, Window: time.Minute}
	now := time.Unix(1e9, 0)
	var r Rate
	r.Take(b, now, Key{Name: "a"})
	if refused := r.Take(b.PerMinute(60), now, Key{Name: "a"}); refused != nil {
		t.Errorf("got a wait of %s, want none", refused.RetryAfter)
	}
}

func TestARatePerMinuteKeepsTheProportionOfTheBurst(t *testing.T) {
	for _, c := range []struct {
		from      Bucket
		perMinute int
		want      Bucket
	}{
		{Bucket{Burst: 120, Window: 2 * time.Minute}, 1, Bucket{Burst: 2, Window: 2 * time.Minute}},
		{Bucket{Burst: 10, Window: time.Hour}, 5, Bucket{Burst: 300, Window: time.Hour}},
		{Bucket{Burst: 200, Window: 100 * time.Second}, 1, Bucket{Burst: 1, Window: time.Minute}},
		{Bucket{Burst: 1, Window: time.Second}, 30, Bucket{Burst: 1, Window: 2 * time.Second}},
	} {
		if got := c.from.PerMinute(c.perMinute); got != c.want {
			t.Errorf("%v, %d a minute: got %v, want %v", c.from, c.perMinute, got, c.want)
		}
	}
}

func TestWaitTakesMoreThanAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Bucket{Burst: 4, Window: time.Second}
		var r Rate
		begun := time.Now()
		for _, n := range []int{4, 2, 100} { // at most a burst each time
			if err := r.Wait(t.Context(), b, "a", n); err != nil {
				t.Error(err)
			}
		}
		if got := time.Since(begun); got != 1500*time.Millisecond {
			t.Errorf("got it after %s, want 1.5s", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Wait(ctx, b, "a", 1); err == nil {
			t.Error("got a token, though the context has ended")
		}
	})
}

func TestTheHeadersOfLimits(t *testing.T) {
	for name, c := range map[string]struct {
		after    time.Duration
		policies []Policy
		want     [3]string // Retry-After, RateLimit-Policy, RateLimit
	}{
		"nothing":     {},
		"retry alone": {after: time.Second / 2, want: [3]string{"1"}},
		"open and rate": {
			policies: []Policy{
				{Name: "calls", Limit: 256, Left: -1},
				{Name: "rate", Limit: 20, Left: 7, Window: 4 * time.Second, Reset: time.Second},
			},
			want: [3]string{
				"",
				`"calls";q=256;qu="concurrent-requests", "rate";q=20;w=4`,
				`"calls";r=0, "rate";r=7;t=1`,
			},
		},
		"used up": {
			after:    6 * time.Minute,
			policies: []Policy{{Name: "register", Limit: 10, Window: time.Hour, Reset: 6 * time.Minute}},
			want:     [3]string{"360", `"register";q=10;w=3600`, `"register";r=0;t=360`},
		},
	} {
		h := http.Header{}
		SetHeaders(h, c.after, c.policies...)
		got := [3]string{h.Get("Retry-After"), h.Get("RateLimit-Policy"), h.Get("RateLimit")}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestFailuresSlowDown(t *testing.T) {
	now := time.Unix(1e9, 0)
	var b Backoff
	for range freeAttempts {
		if wait := b.Add("a", now); wait != 0 || b.Wait("a", now) != 0 {
			t.Fatalf("got a wait of %s", wait)
		}
	}
	for _, want := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second} {
		b.Add("a", now)
		if got := b.Wait("a", now); got != want || b.Add("a", now) != want {
			t.Errorf("got a wait of %s, want %s", got, want)
		}
		now = now.Add(want)
	}
	if got := b.Wait("b", now); got != 0 {
		t.Errorf("another key: got a wait of %s", got)
	}
	b.Add("a", now)
	b.Forget("a")
	if got := b.Wait("a", now); got != 0 {
		t.Errorf("after a success: got a wait of %s", got)
	}
}
