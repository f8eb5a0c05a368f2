package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"
)

// DefaultMaxEvent is the size of an event, in bytes, that a Reader accepts by default.
const DefaultMaxEvent = 4 << 20

// largeLine is the size of a line whose memory is not kept for the next one.
const largeLine = 64 << 10

// ErrTooLarge is returned for an event that is larger than the Reader allows.
var ErrTooLarge = errors.New("sse: event too large")

// ErrTooSlow is returned for an event that takes longer than the Reader allows.
var ErrTooSlow = errors.New("sse: event too slow")

// Reader reads the events of a stream.
//
// It departs from the standard in one place: the standard drops an event that the end of
// the stream cuts short, but some agents close the stream without the empty line after
// their last event. So an event with data counts if the stream ends cleanly (io.EOF), and
// is dropped only if the connection breaks.
type Reader struct {
	// MaxEvent bounds the bytes of one event; zero means DefaultMaxEvent.
	MaxEvent int

	// MaxTime bounds the time from the first byte of an event to its last, as long as bytes
	// come; zero is no bound. Comments are no part of an event.
	MaxTime time.Duration

	// Hold, if set, is called with the bytes that are held of the event that is being read. If it
	// returns an error, so does Next.
	Hold func(bytes int) error

	in     *bufio.Reader
	line   []byte
	begun  bool // the byte order mark has been skipped
	skipLF bool // the last line ended with CR; a LF that follows belongs to it
	id     string
	retry  time.Duration
	err    error     // sticky
	since  time.Time // when the event began that is being read
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: bufio.NewReader(r)}
}

// LastID returns the last id of the stream, even if no event followed it. A client that
// reconnects sends it as Last-Event-ID.
func (r *Reader) LastID() string { return r.id }

// Retry returns how long a client should wait before it reconnects; zero if the stream did not say.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next returns the next event. At the clean end of the stream it returns
// io.EOF; every error is final.
func (r *Reader) Next() (Event, error) {
	var e pending
	r.begin()
	for r.err == nil {
		line, err := r.readLine(r.max() - len(e.data))
		r.err = err
		if err != nil && err != io.EOF {
			return Event{}, err
		}

		if len(line) > 0 {
			e.field(r, line)
		} else {
			r.since = time.Time{}
		}

		complete := err == io.EOF || len(line) == 0
		switch {
		case complete && e.hasData:
			return e.event(r.id), nil
		case err == io.EOF:
			return Event{}, io.EOF
		case complete:
			e = pending{} // an event without data is none
		}
	}

	return Event{}, r.err
}

// begin skips a byte order mark. NewReader cannot do that, because it would wait for the stream.
func (r *Reader) begin() {
	if r.begun {
		return
	}
	r.begun = true
	if bom, _ := r.in.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = r.in.Discard(3) // cannot fail, the bytes are buffered
	}
}

func (r *Reader) max() int {
	if r.MaxEvent > 0 {
		return r.MaxEvent
	}
	return DefaultMaxEvent
}

// readLine returns the next line without its end, which is CR, LF or both. It does not wait for a
// byte after CR. With an error it returns the line so far. The next call may overwrite the line.
func (r *Reader) readLine(limit int) ([]byte, error) {
	r.line = r.line[:0]
	if cap(r.line) > largeLine {
		r.line = nil
	}

	for {
		if r.Hold != nil {
			if err := r.Hold(r.max() - limit + len(r.line)); err != nil {
				return nil, err
			}
		}
		if _, err := r.in.Peek(1); err != nil {
			return r.line, err
		}
		buf, _ := r.in.Peek(r.in.Buffered()) // cannot fail, the bytes are there
		if r.skipLF {
			r.skipLF = false
			if buf[0] == '\n' {
				_, _ = r.in.Discard(1)
				continue
			}
		}
		n := lineEnd(buf)
		part := buf[:n]
		if r.late(buf[0]) {
			return nil, ErrTooSlow
		}
		if len(r.line)+n > limit {
			return nil, ErrTooLarge
		}
		if n == len(buf) {
			if len(r.line)+n > cap(r.line) { // append would copy a large line nine times
				r.line = slices.Grow(r.line, len(r.line)+n)
			}
			r.line = append(r.line, part...)
			_, _ = r.in.Discard(n)
			continue
		}
		r.skipLF = buf[n] == '\r'
		_, _ = r.in.Discard(n + 1)
		if len(r.line) == 0 {
			return part, nil // the common case: nothing is copied
		}
		r.line = append(r.line, part...)
		return r.line, nil
	}
}

// late reports whether the event takes too long to which a line belongs, or b, its first byte.
func (r *Reader) late(b byte) bool {
	switch {
	case r.MaxTime == 0:
		return false
	case !r.since.IsZero():
		return time.Since(r.since) > r.MaxTime
	case len(r.line) == 0 && b != ':' && b != '\n' && b != '\r':
		r.since = time.Now()
	}
	return false
}

// lineEnd returns where in b a line ends: the index of the first CR or LF, or the length of b.
func lineEnd(b []byte) int {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		b = b[:n]
	}
	if n := bytes.IndexByte(b, '\r'); n >= 0 {
		return n
	}
	return len(b)
}

// pending is an event that is not complete yet.
type pending struct {
	typ     string
	data    []byte
	hasData bool
}

func (e *pending) event(id string) Event {
	if e.typ == "" {
		e.typ = DefaultType
	}
	return Event{ID: id, Type: e.typ, Data: e.data}
}

// field takes one line that is not empty. Comments and unknown fields are ignored.
func (e *pending) field(r *Reader, line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if e.hasData {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
		e.hasData = true
	case "event":
		e.typ = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			r.retry = time.Duration(ms) * time.Millisecond
		}
	}
}
