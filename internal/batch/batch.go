// Package batch writes records in the background, many at a time. Callers do not wait. Records that
// come faster than they can be written are dropped, counted and logged, and a crash loses those
// that are not written yet: it is for records, not for state.
package batch

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	maxWaiting = 8192            // records that wait to be written
	chunk      = 500             // records of one write
	interval   = time.Second     // between writes
	timeout    = 5 * time.Second // of one write
)

// Queue collects records for Write. Write, Log and What are required. It must not be
// copied after its first use.
type Queue[T any] struct {
	Write func(context.Context, []T) error
	Log   *slog.Logger
	What  string // names the records in the log

	mu      sync.Mutex
	waiting []T
	dropped int // since the last log line
	lost    int // in all, without those
	full    chan struct{}
}

// Add queues v, or drops it. It does not wait.
func (q *Queue[T]) Add(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= maxWaiting {
		q.dropped++
		return
	}

	q.waiting = append(q.waiting, v)
	if len(q.waiting) != chunk {
		return
	}

	select {
	case q.full <- struct{}{}: // never while there is no channel
	default:
	}
}

// Waiting returns how many records wait to be written.
func (q *Queue[T]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Dropped returns how many records were dropped since the start.
func (q *Queue[T]) Dropped() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(q.lost + q.dropped)
}

// Run writes until ctx ends, and then the rest. Call it once.
func (q *Queue[T]) Run(ctx context.Context) {
	full := make(chan struct{}, 1)
	q.mu.Lock()
	q.full = full
	q.mu.Unlock()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			q.Flush(context.WithoutCancel(ctx)) // also what came during a write before
			return
		case <-tick.C:
		case <-full:
		}
		q.Flush(context.WithoutCancel(ctx))
	}
}

// Flush writes the queue. What comes meanwhile waits for the next one, unless it fills a chunk.
// Records that cannot be written stay in the queue, as far as there is room.
func (q *Queue[T]) Flush(ctx context.Context) {
	for full := true; full; {
		records := q.take()
		if len(records) == 0 {
			return
		}
		full = len(records) == chunk
		writing, cancel := context.WithTimeout(ctx, timeout)
		err := q.Write(writing, records)
		cancel()
		if err != nil {
			q.Log.ErrorContext(
				ctx, "writing records",
				"what", q.What,
				"records", len(records),
				"err", err,
			)
			q.putBack(records)
			return
		}
	}
}

// take returns the next records to write, and logs how many were dropped.
func (q *Queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped > 0 {
		q.Log.Warn(
			"records were dropped: they come faster than the database can write them",
			"what", q.What,
			"records", q.dropped,
		)
		q.dropped, q.lost = 0, q.lost+q.dropped
	}

	n := min(len(q.waiting), chunk)
	next := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return next
}

func (q *Queue[T]) putBack(failed []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	room := max(0, maxWaiting-len(q.waiting))
	kept := min(len(failed), room)
	q.dropped += len(failed) - kept
	q.waiting = append(failed[:kept:kept], q.waiting...)
}
