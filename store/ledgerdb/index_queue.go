package ledgerdb

import (
	"sync"
	"time"

	"rialto/bridge/ledger"
)

// The bounds of the tasks that wait in memory for the search index. Tasks above them are
// found in the database later.
const (
	maxQueued      = 2000
	maxQueuedBytes = 2 << 20
)

const (
	overdueAfter    = 5 * time.Second  // a task that waits longer is of another replica, or had no room
	overdueInterval = 10 * time.Second // between two looks for such tasks
)

// indexQueue holds the tasks that became idle in this process and that the search index
// does not have yet, so that they are not read from the database again.
type indexQueue struct {
	mu    sync.Mutex
	used  bool // IndexTasks was called
	tasks []indexEntry
	bytes int // of their words

	caughtUp bool      // the tasks of earlier processes are indexed
	next     time.Time // when to look for overdue tasks
}

// add adds a task that was written.
func (q *indexQueue) add(e *ledger.Record) {
	if !e.Idle || !q.room() {
		return
	}
	task := newIndexEntry(e)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks = append(q.tasks, task)
	q.bytes += len(task.words)
}

func (q *indexQueue) room() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used && len(q.tasks) < maxQueued && q.bytes < maxQueuedBytes
}

// IndexWaiting returns how many tasks wait in memory for the search index.
func (db *Store) IndexWaiting() int {
	db.queue.mu.Lock()
	defer db.queue.mu.Unlock()
	return len(db.queue.tasks)
}

// take returns at most so many tasks, fewer if they are large, the oldest first, and
// whether there are more.
func (q *indexQueue) take(most int) (tasks []indexEntry, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	bytes := 0
	for n < min(most, len(q.tasks)) && bytes < indexBytes {
		bytes += len(q.tasks[n].words)
		n++
	}

	tasks, q.tasks, q.bytes = q.tasks[:n:n], q.tasks[n:], q.bytes-bytes
	return tasks, len(q.tasks) > 0
}

// overdue reports whether to look for overdue tasks in the database, and for those that
// became idle until when. The first look is for all tasks.
func (q *indexQueue) overdue(now time.Time) (until time.Time, look bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used = true
	switch {
	case !q.caughtUp:
		return now.AddDate(1, 0, 0), true
	case now.Before(q.next):
		return time.Time{}, false
	}

	return now.Add(-overdueAfter), true
}

// polled records the result of a look: whether there may be more tasks.
func (q *indexQueue) polled(now time.Time, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !more {
		q.caughtUp, q.next = true, now.Add(overdueInterval)
	}
}
