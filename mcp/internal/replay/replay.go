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

// The bounds of the store. Streams in use count only by their bytes: the transport bounds
// their number. The newest message of a stream is kept whatever its size, because it usually is
// the result.
const (
	maxIdle        = 1024     // streams that are kept after use, in all
	maxSessionIdle = 32       // of one session
	maxEvents      = 256      // of one stream
	maxStreamBytes = 1 << 20  // of one stream
	maxBytes       = 64 << 20 // in all
)

// Store keeps the streams of this process, and each for some time after its use. When it keeps too
// many it drops the oldest idle one of the principal that has the most, so that one principal
// cannot evict the streams of another. It never drops a stream in use: when there are too many
// bytes and no idle stream is left, a stream in use loses its older events and goes on.
// The zero value is ready.
type Store struct {
	mu    sync.Mutex
	order []*Stream // the oldest, or longest idle, first
	size  int       // bytes of all events
}

// Stream is one event stream. The lock of its Store guards it.
type Stream struct {
	store     *Store
	id        string // random, so that no other process has given it out
	note      string // see SetNote
	principal string
	session   string
	events    [][]byte
	first     int // the number of events[0]
	size      int
	ended     bool          // there will be no more events
	dropped   bool          // it is not kept any more
	holder    any           // the connection that sends it
	changed   chan struct{} // closed when any of this changes
	timer     *time.Timer   // drops it; nil while it is in use, and not nil while it is idle
	stop      func()        // ends its source; nil if the source ends on its own
}

// The lock is held.
func (st *Stream) eventID(n int) string {
	id := st.id + "-" + strconv.Itoa(n)
	final := st.ended && n == st.last()
	if st.note == "" || final {
		return id
	}
	return id + "." + st.note
}

// last returns the number of the latest event, 0 before the first. The lock is held.
func (st *Stream) last() int { return st.first + len(st.events) - 1 }

// SetNote sets what follows in the ids of the events, after a point, but for the last event.
// It is for processes that do not have the stream; Resume does not read it.
func (st *Stream) SetNote(note string) {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	st.note = note
}

// Open begins a stream of the principal's session, sent by conn.
func (s *Store) Open(principal, session string, conn any) *Stream {
	st := &Stream{
		store: s, id: rand.Text()[:16], principal: principal, session: session,
		first: 1, holder: conn, changed: make(chan struct{}),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = append(s.order, st)
	return st
}

// boundIdle drops idle streams while there are too many of the session or in all. The
// lock is held.
func (s *Store) boundIdle(session string) {
	all := 0
	var own []*Stream
	for _, st := range s.order {
		if st.idle() {
			all++
		}
		if st.idle() && st.session == session {
			own = append(own, st)
		}
	}

	switch {
	case len(own) > maxSessionIdle:
		s.drop(own[0])
	case all > maxIdle:
		s.drop(s.evictable((*Stream).idle, func(*Stream) int { return 1 }))
	}
}

// boundBytes makes room for the events of st. The lock is held.
func (s *Store) boundBytes(st *Stream) {
	size := func(other *Stream) int { return other.size }
	for s.size > maxBytes {
		if idle := s.evictable((*Stream).idle, size); idle != nil {
			s.drop(idle)
			continue
		}
		used := s.evictable(
			func(other *Stream) bool { return other != st && len(other.events) > 1 }, size,
		)
		if used == nil {
			return
		}
		used.forget(len(used.events) - 1)
	}
}

// evictable returns the oldest of the streams that may be chosen, of the principal whose streams
// weigh the most together; nil if there is none. The lock is held.
func (s *Store) evictable(may func(*Stream) bool, weigh func(*Stream) int) (oldest *Stream) {
	weights := map[string]int{}
	for _, st := range s.order {
		if may(st) {
			weights[st.principal] += weigh(st)
		}
	}

	for _, st := range s.order {
		if may(st) && (oldest == nil || weights[st.principal] > weights[oldest.principal]) {
			oldest = st
		}
	}

	return oldest
}

// idle tells whether the stream is only kept for a client that may come back for it. The
// lock is held.
func (st *Stream) idle() bool { return st.timer != nil }

// forget drops the oldest events of the stream. The lock is held.
func (st *Stream) forget(n int) {
	for _, event := range st.events[:n] {
		st.resize(-len(event))
	}
	st.events = slices.Delete(st.events, 0, n)
	st.first += n
}

// Add appends a message, which may be the last, and returns the id of its event. Held tells
// whether conn is still the connection to send it on.
func (st *Stream) Add(conn any, message []byte, last bool) (id string, held bool) {
	s := st.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.dropped || st.ended {
		return "", st.holder == conn
	}

	st.events = append(st.events, bytes.Clone(message))
	st.resize(len(message))
	for len(st.events) > 1 && (len(st.events) > maxEvents || st.size > maxStreamBytes) {
		st.forget(1)
	}

	s.boundBytes(st)
	st.ended = last
	st.wake()
	return st.eventID(st.last()), st.holder == conn
}

// The lock is held.
func (st *Stream) resize(by int) { st.size, st.store.size = st.size+by, st.store.size+by }

// wake wakes those who wait for a change. The lock is held.
func (st *Stream) wake() {
	close(st.changed)
	st.changed = make(chan struct{})
}

// LastID returns the id of the latest event, by which Resume finds what follows it.
func (st *Stream) LastID() string {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	return st.eventID(st.last())
}

// HeldBy tells whether conn is the connection that the stream is sent on.
func (st *Stream) HeldBy(conn any) bool {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	return st.holder == conn
}

// End says that no events follow. The stream is kept for a while.
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

// expire makes the stream idle, and drops it after a while. The lock is held.
func (st *Stream) expire(keep time.Duration) {
	if st.dropped || st.timer != nil {
		return
	}

	s := st.store
	s.remove(st)
	s.order = append(s.order, st) // the longest idle goes first
	defer s.boundIdle(st.session)
	st.timer = time.AfterFunc(keep, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !st.dropped {
			s.drop(st)
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
func (s *Store) remove(st *Stream) {
	s.order = slices.DeleteFunc(s.order, func(other *Stream) bool { return other == st })
}

// The lock is held.
func (s *Store) drop(st *Stream) {
	s.remove(st)
	st.resize(-st.size)
	st.events = nil
	st.dropped = true
	if st.timer != nil {
		st.timer.Stop()
	}
	if st.stop != nil {
		st.stop()
	}

	st.wake()
}

// Keeps tells whether Resume finds the session's stream after the event with the id, and returns
// the stream's note.
func (s *Store) Keeps(session, eventID string) (note string, kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, _ := s.find(session, eventID)
	if st == nil {
		return "", false
	}
	return st.note, true
}

// Resume finds the session's stream after the event with the id, and hands it over to
// conn. It returns nil, or the number of the next event.
func (s *Store) Resume(session, eventID string, conn any) (*Stream, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, next := s.find(session, eventID)
	if st == nil {
		return nil, 0
	}
	if st.timer != nil && !st.ended {
		st.timer.Stop()
		st.timer = nil
	}

	st.holder = conn
	st.wake()
	return st, next
}

// find returns the session's stream and the number of the next event; nil if there is none.
// The lock is held.
func (s *Store) find(session, eventID string) (*Stream, int) {
	eventID, _, _ = strings.Cut(eventID, ".")
	id, number, _ := strings.Cut(eventID, "-")
	last, err := strconv.Atoi(number)
	i := slices.IndexFunc(
		s.order, func(st *Stream) bool { return st.id == id && st.session == session },
	)
	if err != nil || i < 0 {
		return nil, 0
	}

	st := s.order[i]
	next := last + 1
	end := st.first + len(st.events)
	complete := st.ended && next == end
	if next < st.first || next > end || complete {
		return nil, 0
	}

	return st, next
}

// Read returns the events from next on, and what to wait for if there are none. Open
// tells whether there can be more for conn.
func (st *Stream) Read(conn any, next int) (events []Event, changed <-chan struct{}, open bool) {
	st.store.mu.Lock()
	defer st.store.mu.Unlock()
	if st.dropped || st.holder != conn {
		return nil, nil, false
	}
	for n := max(next, st.first); n <= st.last(); n++ {
		events = append(events, Event{n, st.eventID(n), st.events[n-st.first]})
	}
	return events, st.changed, !st.ended
}

// Event is an event of a stream. Resume finds what follows it by its ID.
type Event struct {
	Number  int
	ID      string
	Message []byte
}
