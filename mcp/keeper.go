package mcp

import (
	"net/http"
	"sync"
	"time"
)

// keeper looks after what may take long: it ends the reading of bodies that do not
// come, and has answers say that they are still being worked on. It does so for all
// of them together, once in a period: most calls have ended by then, and timers for
// each would cost as much as they do. The zero value is ready.
type keeper struct {
	mu      sync.Mutex
	first   *answer // of a list without order; nil while there is nothing to look after
	looking bool    // a timer is set
	looks   int64
}

// kept is an answer's place in the list of a keeper. Whether it has one is its
// handler's to know, all else the keeper's.
type kept struct {
	by         *keeper // nil when it has none
	prev, next *answer
	since      int64 // the look before which it came, or got its last comment
	streams    bool  // it is to get comments
}

// add begins to look after a, until it is removed: so far, after its body.
func (k *keeper) add(a *answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a.kept = kept{by: k, next: k.first, since: k.looks}
	if k.first != nil {
		k.first.kept.prev = a
	}
	k.first = a
	if !k.looking {
		k.looking = true
		k.lookIn(min(a.interval, time.Second))
	}
}

// comment has a, which was added, say from now on that it is not forgotten.
func (k *keeper) comment(a *answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a.kept.since, a.kept.streams = k.looks, true
}

func (k *keeper) remove(a *answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.kept.prev != nil {
		a.kept.prev.kept.next = a.kept.next
	} else {
		k.first = a.kept.next
	}
	if a.kept.next != nil {
		a.kept.next.kept.prev = a.kept.prev
	}
	a.kept = kept{}
}

// lookIn looks after a period, and then as long as there is anything to look after.
func (k *keeper) lookIn(period time.Duration) {
	time.AfterFunc(period, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.look(period)
		if k.looking = k.first != nil; k.looking {
			k.lookIn(period)
		}
	})
}

func (k *keeper) look(period time.Duration) {
	k.looks++
	for a := k.first; a != nil; a = a.kept.next {
		quiet := time.Duration(k.looks-a.kept.since-1) * period // at least
		switch {
		case a.kept.streams && quiet >= a.interval:
			a.kept.since = k.looks
			go a.comment() // not here: it may have to wait for its client
		case quiet >= bodyTimeout && a.reading.CompareAndSwap(true, false):
			_ = http.NewResponseController(a.w).SetReadDeadline(time.Unix(1, 0)) // a recorder knows none, and needs none
		}
	}
}

// comment tells the client, and the proxies between, that it does not wait in
// vain. It makes the answer a stream. That the client has gone shows in the
// request's context.
func (a *answer) comment() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over && (a.log == nil || a.replays.holds(a.log, a)) {
		_ = a.begin().Comment("keep-alive")
	}
}
