package runner

import (
	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	maxEvents     = 256
	maxEventBytes = 1 << 20
)

// eventLog keeps the latest events of a task for readers that stream them. A reader
// that falls behind gets the whole task. The zero value is empty.
type eventLog struct {
	events []a2a.Event
	next   int // the number of the event after the last
	bytes  int
}

// add notes an event of the weight n.
func (l *eventLog) add(e a2a.Event, n int) {
	l.events = append(l.events, e)
	l.next++
	l.bytes += n
	for len(l.events) > maxEvents || l.bytes > maxEventBytes && len(l.events) > 1 {
		l.bytes -= ledger.Size(l.events[0])
		l.events = l.events[1:] // append moves the rest to another array in time
	}
}

// event returns event number n; ok is unset if it was dropped or has not happened yet.
func (l *eventLog) event(n int) (e a2a.Event, ok bool) {
	first := l.next - len(l.events)
	if n < first || n >= l.next {
		return nil, false
	}
	return l.events[n-first], true
}
