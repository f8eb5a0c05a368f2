package store

import (
	"sync"
	"time"

	"rialto/bridge/ledger"
)

// The bounds of what waits in memory for the index. What finds no room is found
// in the ledger later.
const (
	maxFresh   = 2000
	freshBytes = 2 << 20
)

const (
	leftOverAfter = 5 * time.Second  // a task that waits longer was forgotten, or is another replica's
	leftOverEvery = 10 * time.Second // between two looks for such tasks
)

// fresh are the tasks that settled in this process and that the index does not
// have yet: they need not be read from the ledger again.
type fresh struct {
	mu    sync.Mutex
	used  bool // somebody takes them
	tasks []indexed
	bytes int // of their words

	caughtUp bool      // with what was left over before this process
	next     time.Time // when to look for left over ones
}

// settled takes a task that has just been written.
func (f *fresh) settled(e *ledger.Record) {
	if !e.Idle || !f.room() {
		return
	}
	task := toIndex(e)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tasks, f.bytes = append(f.tasks, task), f.bytes+len(task.words)
}

func (f *fresh) room() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used && len(f.tasks) < maxFresh && f.bytes < freshBytes
}

// take returns at most so many tasks, fewer where they are large, the first that
// settled first, and whether there are more.
func (f *fresh) take(most int) (tasks []indexed, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, bytes := 0, 0
	for n < min(most, len(f.tasks)) && bytes < indexBytes {
		bytes += len(f.tasks[n].words)
		n++
	}
	tasks, f.tasks, f.bytes = f.tasks[:n:n], f.tasks[n:], f.bytes-bytes
	return tasks, len(f.tasks) > 0
}

// leftOver reports whether to look into the ledger for tasks that were left over,
// and for which: those that settled until then. At first that is all of them.
func (f *fresh) leftOver(now time.Time) (until time.Time, look bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used = true
	switch {
	case !f.caughtUp:
		return now.AddDate(1, 0, 0), true
	case now.Before(f.next):
		return time.Time{}, false
	}
	return now.Add(-leftOverAfter), true
}

// looked notes what a look has found: whether there may be more.
func (f *fresh) looked(now time.Time, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !more {
		f.caughtUp, f.next = true, now.Add(leftOverEvery)
	}
}
