package push

import "sync"

// Signal wakes one goroutine that has work. Signals that come before it looks are
// one. The zero value is ready for use, and may be used concurrently.
type Signal struct {
	once sync.Once
	c    chan struct{}
}

// Notify makes Ready ready. It does not wait.
func (s *Signal) Notify() {
	select {
	case s.ready() <- struct{}{}:
	default: // it is ready already
	}
}

// Ready is ready after Notify.
func (s *Signal) Ready() <-chan struct{} { return s.ready() }

func (s *Signal) ready() chan struct{} {
	s.once.Do(func() { s.c = make(chan struct{}, 1) })
	return s.c
}
