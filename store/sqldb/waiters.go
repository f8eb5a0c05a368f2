package sqldb

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"rialto/internal/dberr"
)

// MaxWaiting is how many writers wait; more are refused with ErrBusy.
const MaxWaiting = 4096

// ErrBusy says that too many writers wait.
var ErrBusy = errors.New("store: too many writers wait")

var errFull = &dberr.Error{Overloaded: true, Cause: ErrBusy}

// Waiters is a queue of writers that one goroutine serves, which ends when none waits.
type Waiters[T comparable] struct {
	mu      sync.Mutex
	all     []T
	running bool
}

// Enter adds a writer, and starts serve if it does not run.
func (w *Waiters[T]) Enter(one T, serve func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.all) >= MaxWaiting {
		return errFull
	}

	w.all = append(w.all, one)
	if !w.running {
		w.running = true
		go serve()
	}

	return nil
}

// Leave takes a writer out of the queue, if it is still there.
func (w *Waiters[T]) Leave(one T) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.all, one)
	if i < 0 {
		return false
	}
	w.all = slices.Delete(w.all, i, i+1)
	return true
}

// Len returns how many wait.
func (w *Waiters[T]) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// Idle reports whether none waits: then serve ends, and the next one starts it.
func (w *Waiters[T]) Idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = len(w.all) > 0
	return !w.running
}

// Take takes at most so many out of the queue. It lets callers that are about to come
// get there first: the wait for the disk costs more than what is written before it.
func (w *Waiters[T]) Take(most int) []T {
	runtime.Gosched()
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := slices.Clone(w.all[:min(len(w.all), most)])
	w.all = slices.Delete(w.all, 0, len(taken))
	return taken
}
