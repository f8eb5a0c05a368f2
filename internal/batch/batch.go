// Package batch writes what comes one by one many at a time. Who has something
// to write does not wait for it: what comes faster than it can be written is
// dropped, counted and logged. It keeps nothing that a crash could not lose, so
// it is for records, not for state.
package batch

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	most  = 8192            // that wait to be written
	chunk = 500             // that are written at once
	every = time.Second     // how long the first of them waits
	given = 5 * time.Second // to write one chunk
)

// Queue collects what Write is to write. Write, Log and What are required. It
// must not be copied after its first use.
type Queue[T any] struct {
	Write func(context.Context, []T) error
	Log   *slog.Logger
	What  string // what it collects, for the log

	mu      sync.Mutex
	waiting []T
	dropped int // since it was last said
	full    chan struct{}
}

// Add takes v to be written soon, or drops it. It never waits.
func (q *Queue[T]) Add(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= most {
		q.dropped++
		return
	}
	if q.waiting = append(q.waiting, v); len(q.waiting) == chunk && q.full != nil {
		select {
		case q.full <- struct{}{}:
		default:
		}
	}
}

// Run writes until ctx ends, and then what is left. Call it once.
func (q *Queue[T]) Run(ctx context.Context) {
	full := make(chan struct{}, 1)
	q.mu.Lock()
	q.full = full
	q.mu.Unlock()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-full:
		}
		q.Flush(context.WithoutCancel(ctx))
	}
}

// Flush writes what waits now. What cannot be written stays for the next time,
// as far as there is room.
func (q *Queue[T]) Flush(ctx context.Context) {
	for {
		chunk := q.take()
		if len(chunk) == 0 {
			return
		}
		writing, cancel := context.WithTimeout(ctx, given)
		err := q.Write(writing, chunk)
		cancel()
		if err != nil {
			q.Log.ErrorContext(ctx, "writing records", "what", q.What, "records", len(chunk), "err", err)
			q.giveBack(chunk)
			return
		}
	}
}

// take returns what to write next, and says what was lost.
func (q *Queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped > 0 {
		q.Log.Warn("records were dropped: they come faster than the database takes them", "what", q.What, "records", q.dropped)
		q.dropped = 0
	}
	n := min(len(q.waiting), chunk)
	next := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return next
}

func (q *Queue[T]) giveBack(failed []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	room := max(0, most-len(q.waiting))
	kept := min(len(failed), room)
	q.dropped += len(failed) - kept
	q.waiting = append(failed[:kept:kept], q.waiting...)
}
