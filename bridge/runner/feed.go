package runner

import (
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	maxEvents     = 256
	maxEventBytes = 1 << 20
)

// feed keeps the latest changes of a task that this replica follows. The number of a change
// is the time at which its record was updated, which rises with each change of the task, on
// all replicas. A watcher that falls behind gets the whole task.
type feed struct {
	since   time.Time // all changes after this one are kept
	changes []feedChange
	bytes   int
}

// feedChange is one change. It has no event if the follower made it, for example because the
// agent is lost.
type feedChange struct {
	at    time.Time
	event a2a.Event
	line  string // what callers that wait are shown of it
	idle  bool
	size  int
}

// add keeps a change, and drops the oldest ones that are too many.
func (l *feed) add(c feedChange) {
	l.changes = append(l.changes, c)
	l.bytes += c.size
	for len(l.changes) > 1 && l.full() {
		l.since = l.changes[0].at
		l.bytes = l.bytes - l.changes[0].size
		l.changes = l.changes[1:] // append moves the rest to another array in time
	}
}

// full reports whether the feed keeps more than it may.
func (l *feed) full() bool { return len(l.changes) > maxEvents || l.bytes > maxEventBytes }

// after returns the changes after one, zero being all that are kept, and false if some of them are
// not kept.
func (l *feed) after(from time.Time) ([]feedChange, bool) {
	if !from.IsZero() && from.Before(l.since) {
		return nil, false
	}
	n := len(l.changes)
	for n > 0 && l.changes[n-1].at.After(from) {
		n--
	}
	return l.changes[n:], true
}

// addChange keeps a change that the record has taken in. It is called with f.mu held.
func (f *Follower) addChange(e a2a.Event, size int) {
	f.feed.add(feedChange{
		at:    f.record.Updated,
		event: e,
		line:  f.progressLine(e),
		idle:  f.record.Idle,
		size:  size,
	})
}

// changesAfter returns what has changed since a moment, and a channel that is closed at the
// next change. It is nil if nothing more will come from this follower. The error says why the
// ledger does not have the task.
func (f *Follower) changesAfter(from time.Time) (all []Change, next <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recordErr != nil {
		return nil, nil, f.recordErr
	}
	if !f.ignoresEvents() {
		next = f.changed
	}

	kept, whole := f.feed.after(from)
	if !whole {
		return []Change{wholeChange(f.record.Clone())}, next, nil
	}

	for _, c := range kept {
		change := Change{
			Updated:  c.at,
			Idle:     c.idle,
			event:    c.event,
			follower: f,
		}
		if c.line != "" {
			change.Lines = []string{c.line}
		}
		all = append(all, change)
	}

	return all, next, nil
}

// Snapshot returns a copy of the record.
func (f *Follower) Snapshot() *ledger.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.record.Clone()
}
