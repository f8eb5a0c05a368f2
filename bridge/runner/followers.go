package runner

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// followers are those of this replica, by the handles of their tasks, which it holds.
type followers struct {
	mu        sync.Mutex
	byHandle  map[string]*Follower
	reserved  map[string]int         // tasks that are being added, continued or taken over: how often
	unwritten map[*Follower]struct{} // those whose tasks the ledger does not have yet
	deferFrom time.Time              // no message leaves before its task is written, until then
}

func newFollowers() followers {
	return followers{
		byHandle:  map[string]*Follower{},
		reserved:  map[string]int{},
		unwritten: map[*Follower]struct{}{},
	}
}

// get returns the follower of a task, or nil.
func (l *followers) get(handle string) *Follower {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byHandle[handle]
}

// wake lets the follower of a task poll its agent now. It reports whether there is one.
func (l *followers) wake(handle string) bool {
	f := l.get(handle)
	if f == nil {
		return false
	}
	select {
	case f.woken <- struct{}{}:
	default: // it is about to poll
	}
	return true
}

// all returns the followers.
func (l *followers) all() []*Follower {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.byHandle))
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

// handles returns the handles of the tasks that this replica takes care of.
func (l *followers) handles() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Keys(l.byHandle)), maps.Keys(l.reserved))
}

// reserve notes that a task is being added or continued, until release.
func (l *followers) reserve(handle string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved[handle]++
}

// claim reserves a task that is being taken over. It reports false if it is ours already.
func (l *followers) claim(handle string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byHandle[handle] != nil || l.reserved[handle] > 0 {
		return false
	}
	l.reserved[handle]++
	return true
}

// release undoes reserve or claim.
func (l *followers) release(handle string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved[handle]--
	if l.reserved[handle] == 0 {
		delete(l.reserved, handle)
	}
}

// setUnwritten makes f the follower of a task that the ledger does not have yet, if the
// ledger will take it: fewer than most run here, so that no owner has too many, and the
// ledger has not refused a task lately because of tasks of other replicas.
func (l *followers) setUnwritten(f *Follower, most int, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.byHandle)+len(l.reserved) >= most || now.Before(l.deferFrom) {
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
	if len(l.byHandle)+len(l.reserved) <= most {
		return nil
	}
	return slices.Collect(maps.Keys(l.unwritten))
}
