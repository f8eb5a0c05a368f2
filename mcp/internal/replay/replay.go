// Package replay keeps what was sent on event streams, so that a client whose connection broke can
// resume one (2025-11-25, basic/transports, "Resumability and Redelivery"). It knows event ids,
// messages and bounds. It does not know what the messages say, nor how they are sent.
package replay

import (
	"bytes"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The bounds of the store. The newest message of a stream is kept whatever its
// size, because it usually is the result.
const (
	maxStreams        = 1024     // in all
	maxSessionStreams = 32       // of one session
	maxEvents         = 256      // of one stream
	maxStreamBytes    = 1 << 20  // of one stream
	maxBytes          = 64 << 20 // in all
)

// Store keeps the streams of this process. When there are too many it drops the oldest of the
// principal that has the most, so that one principal cannot evict the streams of another; and it
// drops each some time after its end. The zero value is ready.
type Store struct {
	mu    sync.Mutex
	order []*Stream // the oldest first
	size  int       // bytes of all events
}

// Stream is one event stream. The lock of its Store guards it.
type Stream struct {
	store     *Store
	id        string // random, so that no other process has given it out
	principal string
	session   string
	events    [][]byte
	first     int // the number of events[0]
	size      int
	ended     bool          // there will be no more events
	dropped   bool          // it is not kept any more
	holder    any           // the connection that sends it
	changed   chan struct{} // closed when any of this changes
	timer     *time.Timer   // drops it; nil while it is in use
	stop      func()        // ends its source; nil if the source ends on its own
}

// EventID returns the id of the nth event, by which Resume finds the stream.
func (st *Stream) EventID(n int) string { return st.id + "-" + strconv.Itoa(n) }

// Open begins a stream of the principal's session, sent by conn.
func (s *Store) Open(principal, session string, conn any) *Stream {
	st := &Stream{
		store: s, id: rand.Text()[:16], principal: principal, session: session,
		first: 1, holder: conn, changed: make(chan struct{}),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, old := range slices.Backward(s.order) {
		if old.session != session {
			continue
		}
		if n++; n >= maxSessionStreams {
			s.drop(old)
		}
	}
	if len(s.order) >= maxStreams {
		s.drop(s.victim(nil, func(*Stream) int { return 1 }))
	}
	s.order = append(s.order, st)
	return st
}

// victim returns the oldest stream, other than keep, of the principal whose streams
// weigh the most together; nil if there is no other. The lock is held.
func (s *Store) victim(keep *Stream, weigh func(*Stream) int) (oldest *Stream) {
	weights := map[string]int{}
	for _, st := range s.order {
		if st != keep {
			weights[st.principal] += weigh(st)
		}
	}
	for _, st := range s.order {
		if st != keep && (oldest == nil || weights[st.principal] > weights[oldest.principal]) {
			oldest = st
		}
	}
	return oldest
}

// Add appends a message and returns the id of its event. Held tells whether conn is
// still the connection to send it on.
func (st *Stream) Add(conn any, message []byte) (id string, held bool) {
	s := st.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.dropped || st.ended {
		return "", st.holder == conn
	}
	st.events = append(st.events, bytes.Clone(message))
	st.resize(len(message))
	for len(st.events) > 1 && (len(st.events) > maxEvents || st.size > maxStreamBytes) {
		st.resize(-len(st.events[0]))
		st.events = slices.Delete(st.events, 0, 1)
		st.first++
	}
	for s.size > maxBytes && len(s.order) > 1 {
		s.drop(s.victim(st, func(st *Stream) int { return st.size }))
	}
	st.wake()
	return st.EventID(st.first + len(st.events) - 1), st.holder == conn
}

// The lock is held.
func (st *Stream) resize(by int) { st.size, st.store.size = st.size+by, st.store.size+by }

// wake wakes those who wait for a change. The lock is held.
func (st *Stream) wake() {
	close(st.changed)
	st.changed = make(chan struct{})
}

// HeldBy tells whether conn is the connection that the stream is sent on.
func (st *Stream) HeldBy(conn any) bool {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	return st.holder == conn
}

// End marks the last event. The stream is kept for a while.
func (st *Stream) End(keep time.Duration) {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	st.ended = true
	st.wake()
	st.expire(keep)
}

// StopWith sets the function that ends the source of the stream. It is called when
// the stream is dropped, which may be now.
func (st *Stream) StopWith(stop func()) {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	if st.dropped {
		stop()
	}
	st.stop = stop
}

// Leave says that conn has ended. A stream whose source has to be stopped is then
// kept for a while only.
func (st *Stream) Leave(conn any, keep time.Duration) {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	if st.stop != nil && st.holder == conn {
		st.expire(keep)
	}
}

// expire drops the stream after a while. The lock is held.
func (st *Stream) expire(keep time.Duration) {
	if st.dropped || st.timer != nil {
		return
	}
	st.timer = time.AfterFunc(keep, func() {
		st.store.mu.Lock()
		defer st.store.mu.Unlock()
		if !st.dropped {
			st.store.drop(st)
		}
	})
}

// Drop drops the streams of a session: all, or only those with a source to be stopped.
func (s *Store) Drop(session string, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range slices.Clone(s.order) {
		if st.session == session && (all || st.stop != nil) {
			s.drop(st)
		}
	}
}

// The lock is held.
func (s *Store) drop(st *Stream) {
	s.order = slices.DeleteFunc(s.order, func(other *Stream) bool { return other == st })
	st.resize(-st.size)
	st.events, st.dropped = nil, true
	if st.timer != nil {
		st.timer.Stop()
	}
	if st.stop != nil {
		st.stop()
	}
	st.wake()
}

// Resume finds the session's stream after the event with the id, and hands it over to
// conn. It returns nil, or the number of the next event.
func (s *Store) Resume(session, eventID string, conn any) (st *Stream, next int) {
	id, number, _ := strings.Cut(eventID, "-")
	last, err := strconv.Atoi(number)
	if err != nil {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.order, func(st *Stream) bool { return st.id == id && st.session == session })
	if i < 0 {
		return nil, 0
	}
	st = s.order[i]
	end := st.first + len(st.events)
	if last+1 < st.first || last >= end || st.ended && last+1 == end {
		return nil, 0
	}
	if st.timer != nil && !st.ended {
		st.timer.Stop()
		st.timer = nil
	}
	st.holder = conn
	st.wake()
	return st, last + 1
}

// Read returns the events from next on, and what to wait for if there are none. Open
// tells whether there can be more for conn.
func (st *Stream) Read(conn any, next int) (events [][]byte, from int, changed <-chan struct{}, open bool) {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	if st.dropped || st.holder != conn {
		return nil, next, nil, false
	}
	from = max(next, st.first)
	return slices.Clone(st.events[from-st.first:]), from, st.changed, !st.ended
}
