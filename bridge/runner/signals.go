package runner

import (
	"context"
	"slices"
	"sync"

	"rialto/bridge/ledger"
)

// maxSignals limits the queue of signals; more are dropped.
const maxSignals = 256

// signal queues a signal for the other replicas.
func (r *Runner) signal(s ledger.Signal) {
	if r.Signals == nil {
		return
	}
	minor := s.Owner != "" && s.About != ledger.AboutLedger
	if minor && len(r.outgoing) > maxSignals/2 {
		return // leave room for signals of idle tasks, for which callers wait
	}
	s.From = r.Replica
	select {
	case r.outgoing <- s:
	default:
	}
}

// exchange sends and receives signals until the runner closes.
func (r *Runner) exchange() {
	r.wg.Go(func() { r.Signals.Listen(r.running, r.heard) })
	for {
		select {
		case <-r.running.Done():
			return
		case s := <-r.outgoing:
			r.send(s)
		}
	}
}

// send sends a signal, and those that wait behind it, to the other replicas.
func (r *Runner) send(first ledger.Signal) {
	all := []ledger.Signal{first}
	for range len(r.outgoing) { // only this goroutine receives them
		all = append(all, <-r.outgoing)
	}
	ctx, cancel := context.WithTimeout(r.running, writeBudget)
	defer cancel()
	if err := r.Signals.Send(ctx, all...); err != nil {
		r.logError("telling other replicas", err)
	}
}

func (r *Runner) heard(s ledger.Signal) {
	switch s.About {
	case ledger.AboutSession:
		if r.Sessions != nil {
			r.Sessions.SessionChanged(s.Handle)
		}
		return
	case ledger.AboutAgent:
		r.wakeFollower(s.Handle)
	case ledger.AboutLedger, ledger.AboutTask:
		r.waiters.wake(s.Handle)
	}
	if s.From != r.Replica { // this one has told already
		r.notify(s.Owner, s.Handle, s.About)
	}
}

// waiters wakes the callers that wait for tasks of other replicas.
type waiters struct {
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
	left := slices.DeleteFunc(l.waiting[handle], func(other chan struct{}) bool { return other == c })
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
