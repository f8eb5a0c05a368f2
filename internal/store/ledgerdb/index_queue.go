package ledgerdb

import (
	"sync"
	"time"

	"rialto/bridge/ledger"
)

// The bounds of what waits in memory for the index. What finds no room is found
// in the ledger later.
const (
	maxQueued   = 2000
	queuedBytes = 2 << 20
)

const (
	leftOverAfter = 5 * time.Second  // a task that waits longer was forgotten, or is another replica's
	leftOverEvery = 10 * time.Second // between two looks for such tasks
)

// indexQueue are the tasks that settled in this process and that the index does not
// have yet: they need not be read from the ledger again.
type indexQueue struct {
	mu    sync.Mutex
	used  bool // somebody takes them
	tasks []indexed
	bytes int // of their words

	caughtUp bool      // with what was left over before this process
	next     time.Time // when to look for left over ones
}

// settled takes a task that has just been written.
func (q *indexQueue) settled(e *ledger.Record) {
	if !e.Idle || !q.room() {
		return
	}
	task := toIndex(e)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks, q.bytes = append(q.tasks, task), q.bytes+len(task.words)
}

func (q *indexQueue) room() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used && len(q.tasks) < maxQueued && q.bytes < queuedBytes
}

// take returns at most so many tasks, fewer where they are large, the first that
// settled first, and whether there are more.
func (q *indexQueue) take(most int) (tasks []indexed, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, bytes := 0, 0
	for n < min(most, len(q.tasks)) && bytes < indexBytes {
		bytes += len(q.tasks[n].words)
		n++
	}
	tasks, q.tasks, q.bytes = q.tasks[:n:n], q.tasks[n:], q.bytes-bytes
	return tasks, len(q.tasks) > 0
}

// leftOver reports whether to look into the ledger for tasks that were left over,
// and for which: those that settled until then. At first that is all of them.
func (q *indexQueue) leftOver(now time.Time) (until time.Time, look bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used = true
	switch {
	case !q.caughtUp:
		return now.AddDate(1, 0, 0), true
	case now.Before(q.next):
		return time.Time{}, false
	}
	return now.Add(-leftOverAfter), true
}

// looked notes what a look has found: whether there may be more.
func (q *indexQueue) looked(now time.Time, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !more {
		q.caughtUp, q.next = true, now.Add(leftOverEvery)
	}
}
