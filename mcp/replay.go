package mcp

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What is kept of the streams of sessions, so that a client whose connection
// broke can take one up where it was (2025-11-25, basic/transports,
// "Resumability and Redelivery"). The newest message of a stream is kept
// whatever its size: mostly it is the result.
const (
	mostStreams        = 1024     // in all
	mostSessionStreams = 32       // of one session
	mostEvents         = 256      // of one stream
	mostStreamBytes    = 1 << 20  // of one stream
	mostReplayBytes    = 64 << 20 // in all
)

// replays keeps the streams of sessions in the process that they began in. When
// there are too many it forgets the oldest of the principal that has the most,
// so that nobody pushes out what others may come back for; and it forgets each
// some time after it has ended. The zero value is ready.
type replays struct {
	mu    sync.Mutex
	order []*stream // the oldest first
	size  int       // bytes of all events
}

// stream is what was said on one stream of a session. It is guarded by the
// lock of its replays.
type stream struct {
	id     string // random, so that no other process has given it out
	owner  string // the principal of its session
	nonce  string // of its session
	events [][]byte
	first  int // the number of events[0]
	size   int
	ended  bool // there will be no more
	gone   bool // it is not kept any more
	holder *answer
	more   chan struct{} // closed when any of this changes
	timer  *time.Timer   // forgets it; nil while somebody needs it
	stop   func()        // ends what writes to it; nil if that ends by itself
}

// eventID names an event so that the stream can be found by it.
func (st *stream) eventID(n int) string { return st.id + "-" + strconv.Itoa(n) }

// open begins a stream of the owner's session, held by the connection of a.
func (r *replays) open(owner, nonce string, a *answer) *stream {
	st := &stream{id: rand.Text()[:16], owner: owner, nonce: nonce, first: 1, holder: a, more: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	of := 0
	for _, old := range slices.Backward(r.order) {
		if old.nonce != nonce {
			continue
		}
		if of++; of >= mostSessionStreams {
			r.drop(old)
		}
	}
	if len(r.order) >= mostStreams {
		r.drop(r.spare(nil, func(*stream) int { return 1 }))
	}
	r.order = append(r.order, st)
	return st
}

// spare returns the oldest stream, other than keep, of the owner whose streams
// weigh the most together; nil if there is no other. The lock is held.
func (r *replays) spare(keep *stream, weigh func(*stream) int) (oldest *stream) {
	weights := map[string]int{}
	for _, st := range r.order {
		if st != keep {
			weights[st.owner] += weigh(st)
		}
	}
	for _, st := range r.order {
		if st != keep && (oldest == nil || weights[st.owner] > weights[oldest.owner]) {
			oldest = st
		}
	}
	return oldest
}

// add appends a message and returns the id of its event. It tells whether the
// connection of a is still the one to send it on.
func (r *replays) add(st *stream, a *answer, message []byte) (id string, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if st.gone || st.ended {
		return "", st.holder == a
	}
	st.events = append(st.events, bytes.Clone(message))
	r.resize(st, len(message))
	for len(st.events) > 1 && (len(st.events) > mostEvents || st.size > mostStreamBytes) {
		r.resize(st, -len(st.events[0]))
		st.events = slices.Delete(st.events, 0, 1)
		st.first++
	}
	for r.size > mostReplayBytes && len(r.order) > 1 {
		r.drop(r.spare(st, func(st *stream) int { return st.size }))
	}
	st.changed()
	return st.eventID(st.first + len(st.events) - 1), st.holder == a
}

func (r *replays) resize(st *stream, by int) { st.size, r.size = st.size+by, r.size+by }

// changed wakes who waits. The lock is held.
func (st *stream) changed() {
	close(st.more)
	st.more = make(chan struct{})
}

// holds tells whether the connection of a is the one that st is sent on.
func (r *replays) holds(st *stream, a *answer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return st.holder == a
}

// end notes that nothing follows, and keeps the stream for a while.
func (r *replays) end(st *stream, keep time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st.ended = true
	st.changed()
	r.expire(st, keep)
}

// leave notes that the connection of a has ended. A stream that is written to
// only while somebody may come back is then kept for a while.
func (r *replays) leave(st *stream, a *answer, keep time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if st.stop != nil && st.holder == a {
		r.expire(st, keep)
	}
}

// expire forgets the stream after a while. The lock is held.
func (r *replays) expire(st *stream, keep time.Duration) {
	if !st.gone && st.timer == nil {
		st.timer = time.AfterFunc(keep, func() { r.forget(func(s *stream) bool { return s == st }) })
	}
}

// forget drops the streams of which which tells so.
func (r *replays) forget(which func(*stream) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, st := range slices.Clone(r.order) {
		if which(st) {
			r.drop(st)
		}
	}
}

// drop forgets the stream. The lock is held.
func (r *replays) drop(st *stream) {
	r.order = slices.DeleteFunc(r.order, func(s *stream) bool { return s == st })
	r.resize(st, -st.size)
	st.events, st.gone = nil, true
	if st.timer != nil {
		st.timer.Stop()
	}
	if st.stop != nil {
		st.stop()
	}
	st.changed()
}

// resume finds what the session's stream said after the event with the id, and
// sends it on the connection of a from now on. It returns nil, or the number of
// the next event.
func (r *replays) resume(nonce, eventID string, a *answer) (st *stream, next int) {
	id, number, _ := strings.Cut(eventID, "-")
	last, err := strconv.Atoi(number)
	if err != nil {
		return nil, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.order, func(st *stream) bool { return st.id == id && st.nonce == nonce })
	if i < 0 {
		return nil, 0
	}
	st = r.order[i]
	end := st.first + len(st.events)
	if last+1 < st.first || last >= end || st.ended && last+1 == end {
		return nil, 0
	}
	if st.timer != nil && !st.ended {
		st.timer.Stop()
		st.timer = nil
	}
	st.holder = a
	st.changed()
	return st, last + 1
}

// read returns the events from next on, and what to wait for if there are none.
// It tells whether there can be more for the connection of a.
func (r *replays) read(st *stream, a *answer, next int) (events [][]byte, from int, more <-chan struct{}, open bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if st.gone || st.holder != a {
		return nil, next, nil, false
	}
	from = max(next, st.first)
	return slices.Clone(st.events[from-st.first:]), from, st.more, !st.ended
}

// resume answers a GET that wants to take a stream up again.
func (s *Server) resume(w http.ResponseWriter, r *http.Request, nonce, lastEventID string) {
	a := s.newAnswer(w, r)
	st, next := s.replays.resume(nonce, lastEventID, a)
	if st == nil {
		s.writeError(w, "", faultf(http.StatusGone, codeServer,
			"what followed the event %q of this session is not held any more, or there was nothing: send the request again", clip(lastEventID)))
		return
	}
	s.follow(r, a, st, next)
}
