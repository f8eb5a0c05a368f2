package runner

import (
	"context"
	"time"
)

const (
	retryFirst = time.Second
	retryLast  = 30 * time.Second
)

// backoff spaces the attempts at one thing. Pauses start at first and double up to most.
type backoff struct{ first, most, pause time.Duration }

// retrying spaces attempts that fail.
func retrying() backoff { return backoff{first: retryFirst, most: retryLast} }

// wait waits for the next attempt, at least for atLeast. It reports false if ctx ends first.
func (b *backoff) wait(ctx context.Context, atLeast time.Duration) bool {
	b.pause = min(max(2*b.pause, b.first), b.most)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(max(b.pause, atLeast)):
		return true
	}
}
