package a2aclient

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestABreakerOpensAndTriesAgain(t *testing.T) {
	var b breaker
	now := time.Now()
	goWrong := func(n int) {
		t.Helper()
		for range n {
			if err := b.allow(now, "agent.example"); err != nil {
				t.Fatal(err)
			}
			b.report(now, io.ErrUnexpectedEOF)
		}
	}
	goWrong(breakerThreshold - 1)
	b.report(now, nil)
	goWrong(breakerThreshold)
	err := b.allow(now, "agent.example")
	if err == nil || !strings.Contains(err.Error(), "agent.example failed 5 times in a row; next attempt in 5s") {
		t.Fatalf("got %v", err)
	}
	now = now.Add(minOpen)
	if err := b.allow(now, ""); err != nil {
		t.Fatalf("the call that tries: got %v", err)
	}
	if err := b.allow(now, ""); err == nil {
		t.Error("one call is enough to try")
	}
	b.report(now, io.ErrUnexpectedEOF)
	if err := b.allow(now.Add(2*minOpen-1), ""); err == nil {
		t.Error("it was tried again before twice the time had passed")
	}
	for range 20 {
		now = now.Add(maxOpen)
		goWrong(1)
	}
	now = now.Add(maxOpen)
	goWrong(1)
	b.report(now, nil)
	goWrong(breakerThreshold - 1)
}
