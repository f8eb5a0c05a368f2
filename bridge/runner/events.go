package runner

import (
	"rialto/a2a"
	"rialto/bridge/ledger"
)

// Position returns the record and the number of the next event.
func (f *Follower) Position() (*ledger.Record, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.record.Clone(), f.events.next
}

// EventAfter returns event n under public ids and the number of the next. If n was
// dropped, the event is the whole task. If n has not happened, there is no event but a
// channel that is closed at the next change; it is nil if there will be none.
func (f *Follower) EventAfter(n int) (a2a.Event, int, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.events.event(n); ok {
		return f.record.PublicEvent(e), n + 1, nil
	}
	switch {
	case n < f.events.next:
		return f.record.Public(), f.events.next, nil
	case f.ended:
		return nil, n, nil
	default:
		return nil, n, f.changed
	}
}

// Opening returns the task as it was before the agent answered, with the message that was
// sent; nil if the follower sent none.
func (f *Follower) Opening() *a2a.Task {
	if f.message == nil {
		return nil
	}
	t := f.start.Public()
	t.History = append(t.History, f.start.WithPublicIDs(*f.message))
	return t
}
