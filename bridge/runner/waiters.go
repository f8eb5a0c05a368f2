package runner

import (
	"context"
	"slices"
	"sync"
)

// waiters wakes the callers that wait for tasks of other replicas.
type waiters struct {
	ctx context.Context // in which callers may wait
	end context.CancelFunc

	mu      sync.Mutex
	waiting map[string][]chan struct{} // by handle
}

// add returns a channel that is ready after the task was woken, and a function that ends that.
func (l *waiters) add(handle string) (woken <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting == nil {
		l.waiting = map[string][]chan struct{}{}
	}
	c := make(chan struct{}, 1)
	l.waiting[handle] = append(l.waiting[handle], c)
	return c, func() { l.remove(handle, c) }
}

func (l *waiters) remove(handle string, c chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := slices.DeleteFunc(
		l.waiting[handle], func(other chan struct{}) bool { return other == c },
	)
	l.waiting[handle] = left
	if len(left) == 0 {
		delete(l.waiting, handle)
	}
}

func (l *waiters) wake(handle string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.waiting[handle] {
		select {
		case c <- struct{}{}:
		default: // it is awake already
		}
	}
}
