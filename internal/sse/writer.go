package sse

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// WriteTimeout bounds how long the peer may take to receive one event. Without
// it a client that stops reading would block the handler forever, since the
// server as a whole cannot have a write timeout when streams stay open.
const WriteTimeout = 30 * time.Second

// Writer writes an event stream. It is safe for concurrent use. Once a write
// has failed, every later one fails with the same error.
type Writer struct {
	mu  sync.Mutex
	w   http.ResponseWriter
	rc  *http.ResponseController
	buf bytes.Buffer
	err error
}

// NewWriter makes w an event stream: it sets the header but does not send it, so that the handler
// may still add to it. The stream begins with the first Event, Comment or Flush.
func NewWriter(w http.ResponseWriter) *Writer {
	h := w.Header()
	h.Set("Content-Type", ContentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	return &Writer{w: w, rc: http.NewResponseController(w)}
}

var (
	errLineBreak = errors.New("sse: line break in an event's id or type")
	errClosed    = errors.New("sse: the stream has ended")
)

// Event writes e and flushes it. Data may have several lines.
func (w *Writer) Event(e Event) error {
	if strings.ContainsAny(e.ID, "\r\n\x00") || strings.ContainsAny(e.Type, "\r\n") {
		return errLineBreak
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if e.ID != "" {
		w.field("id: ", []byte(e.ID))
	}
	if e.Type != "" && e.Type != DefaultType {
		w.field("event: ", []byte(e.Type))
	}
	if e.Retry != 0 {
		w.field("retry: ", strconv.AppendInt(nil, e.Retry.Milliseconds(), 10))
	}

	w.field("data: ", e.Data)
	w.buf.WriteByte('\n')
	return w.send()
}

// Comment writes text as a comment, which clients ignore. It keeps proxies
// from closing a stream that is quiet.
func (w *Writer) Comment(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.field(": ", []byte(text))
	w.buf.WriteByte('\n')
	return w.send()
}

// Flush sends the header if nothing has been written yet.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.send()
}

// Close makes every later write fail: the handler that the stream belongs to is about to return.
func (w *Writer) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = errClosed
	}
}

// Err returns the error of the first write that failed, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// field writes value under name, once for each of its lines.
func (w *Writer) field(name string, value []byte) {
	for {
		i := bytes.IndexAny(value, "\r\n")
		w.buf.WriteString(name)
		if i < 0 {
			w.buf.Write(value)
			w.buf.WriteByte('\n')
			return
		}
		w.buf.Write(value[:i])
		w.buf.WriteByte('\n')
		if value[i] == '\r' && i+1 < len(value) && value[i+1] == '\n' {
			i++
		}
		value = value[i+1:]
	}
}

// send writes what is buffered in one piece, so that an event reaches the peer
// whole or the stream is broken.
func (w *Writer) send() error {
	defer w.buf.Reset()
	if w.err != nil {
		return w.err
	}
	// A ResponseWriter that knows no deadlines (a recorder) has no slow peer.
	_ = w.rc.SetWriteDeadline(time.Now().Add(WriteTimeout))
	if w.buf.Len() > 0 {
		_, w.err = w.w.Write(w.buf.Bytes())
	}
	if w.err == nil {
		w.err = w.rc.Flush()
	}

	return w.err
}
