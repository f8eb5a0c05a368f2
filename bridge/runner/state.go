package runner

import "context"

// state is the state of a follower. The package comment says what each state means, and has the
// transitions.
type state int

const (
	unanswered state = iota
	following
	idle
	released
	unrecorded
)

// ignoresEvents reports whether no more events count: the task is idle or released, or is
// unrecorded and its id at the agent is known. It is called with f.mu held.
func (f *Follower) ignoresEvents() bool {
	switch f.state {
	case idle, released:
		return true
	case unrecorded:
		return f.record.Task != nil
	}
	return false
}

// finished is ignoresEvents for callers that do not hold f.mu.
func (f *Follower) finished() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ignoresEvents()
}

// awaitsAnswer reports whether the next event is the first one after the message, which an
// unrecorded task may wait for, too. It is called with f.mu held.
func (f *Follower) awaitsAnswer() bool {
	switch f.state {
	case unanswered:
		return true
	case unrecorded:
		return f.record.Task == nil
	}
	return false
}

// awaitAnswer waits for the first event after the message. It reports false if ctx ends first.
func (f *Follower) awaitAnswer(ctx context.Context) bool {
	for {
		f.mu.Lock()
		waits := f.awaitsAnswer()
		changed := f.changed
		f.mu.Unlock()
		if !waits {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// dirty reports whether the latest change is yet to be written. It is called with f.mu held.
func (f *Follower) dirty() bool {
	if f.state == released || f.state == unrecorded {
		return false
	}
	return !f.record.Updated.Equal(f.recorded)
}
