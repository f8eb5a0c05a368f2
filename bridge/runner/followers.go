package runner

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// followers are those of this replica, by the handles of their tasks. A nil follower is
// of a task that is being added or taken over. The lease of each task is ours.
type followers struct {
	mu        sync.Mutex
	byHandle  map[string]*Follower
	unwritten map[*Follower]struct{} // those whose tasks the ledger does not have yet
	deferFrom time.Time              // no message leaves before its task is written, until then
}

// get returns the follower of a task, or nil.
func (l *followers) get(handle string) *Follower {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byHandle[handle]
}

// set makes f the follower of its task.
func (l *followers) set(f *Follower) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byHandle[f.record.Handle] = f
}

// remove undoes set, unless the follower of the next message has taken its place.
func (l *followers) remove(f *Follower) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byHandle[f.start.Handle] == f {
		delete(l.byHandle, f.start.Handle)
	}
}

// handles returns the handles of the tasks whose lease is ours.
func (l *followers) handles() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.byHandle))
}

// reserve notes that a task is being taken over. It reports false if it is ours already.
func (l *followers) reserve(handle string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ours := l.byHandle[handle]; ours {
		return false
	}
	l.byHandle[handle] = nil
	return true
}

// unreserve undoes reserve, unless a follower has taken its place.
func (l *followers) unreserve(handle string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byHandle[handle] == nil {
		delete(l.byHandle, handle)
	}
}

// setUnwritten makes f the follower of a task that the ledger does not have yet, if the
// ledger will take it: fewer than most run here, so that no owner has too many, and the
// ledger has not refused a task lately because of tasks of other replicas.
func (l *followers) setUnwritten(f *Follower, most int, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.byHandle) >= most || now.Before(l.deferFrom) {
		return false
	}
	l.byHandle[f.record.Handle] = f
	l.unwritten[f] = struct{}{}
	return true
}

// written notes that the ledger has got the task of f. deferFrom is the moment from which
// tasks may be unwritten again; zero changes nothing.
func (l *followers) written(f *Follower, deferFrom time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.unwritten, f)
	if !deferFrom.IsZero() {
		l.deferFrom = deferFrom
	}
}

// overdue returns the followers of unwritten tasks, if so many tasks run that the ledger
// must know of all of them.
func (l *followers) overdue(most int) []*Follower {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.byHandle) <= most {
		return nil
	}
	return slices.Collect(maps.Keys(l.unwritten))
}
