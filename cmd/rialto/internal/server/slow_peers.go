package server

import (
	"io"
	"net/http"
	"os"
	"time"

	"rialto/internal/slowconn"
)

// The limits of peers that are slow. The deadlines move with what arrives, so that a slow
// connection works and one that stands still ends.
const (
	bodyTimeout = 30 * time.Second // for a request body to begin, and for one that is small
	minBodyRate = 16 << 10         // bytes per second of a body, of a request or an answer, that takes longer
	refusedBody = time.Second / 2  // for an unread body
)

// limitBodyTime gives a request body a read deadline. ReadTimeout of the server would also end
// long responses. Before a response, the server reads what the handler left of the body: of a
// request that was refused by its header, it waits for refusedBody alone.
func limitBodyTime(conn *http.ResponseController, r *http.Request) {
	if r.Body == http.NoBody {
		return
	}
	now := time.Now()
	if conn.SetReadDeadline(now.Add(refusedBody)) == nil {
		r.Body = &deadlineBody{ReadCloser: r.Body, conn: conn, begun: now}
	}
}

// deadlineBody is a body with a read deadline until its end. An unread body keeps it.
type deadlineBody struct {
	io.ReadCloser
	conn  *http.ResponseController
	begun time.Time
	read  int64
}

func (b *deadlineBody) Read(p []byte) (int, error) {
	_ = b.conn.SetReadDeadline(
		b.begun.Add(bodyTimeout + time.Duration(b.read/minBodyRate)*time.Second),
	) // setting it has worked before
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err == io.EOF {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

// response is an answer whose peer must take the next piece in time, and read at minBodyRate if it
// takes longer. Each event of a stream, which is flushed, has its own time. The connection itself is
// up to slowconn.Listener. Over HTTP/2, a connection that is read may have streams that are not.
type response struct {
	statusRecorder
	conn   *http.ResponseController
	shared bool          // over HTTP/2: the stream and its connection have deadlines
	waited time.Duration // for the peer, since the last flush
	taken  int64         // bytes since then
	late   bool
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (written int, err error) {
	for {
		begun := w.begin()
		n, err := w.ResponseWriter.Write(p[written:min(len(p), written+slowconn.Piece)])
		err = w.wrote(begun, n, err)
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// FlushError is for http.ResponseController.
func (w *response) FlushError() error {
	err := w.wrote(w.begin(), 0, w.conn.Flush())
	if err == nil {
		w.waited = 0
		w.taken = 0
	}
	return err
}

// begin sets the deadline of a write.
func (w *response) begin() time.Time {
	now := time.Now()
	_ = w.SetWriteDeadline(now.Add(slowconn.WriteTimeout)) // a recorder has no deadlines, and needs none
	return now
}

// SetWriteDeadline is for http.ResponseController. Over HTTP/1, each write to the connection sets a
// deadline of its own.
func (w *response) SetWriteDeadline(deadline time.Time) error {
	if !w.shared {
		return nil
	}
	return w.conn.SetWriteDeadline(deadline)
}

// wrote lifts the deadline after a write, for over HTTP/2 one that passes ends a stream that is idle,
// too. It returns the error of the write, or that the peer is too slow.
func (w *response) wrote(begun time.Time, n int, err error) error {
	_ = w.SetWriteDeadline(time.Time{})
	w.waited += time.Since(begun)
	w.taken += int64(n)
	if err == nil && w.waited > slowconn.WriteTimeout+time.Duration(w.taken/minBodyRate)*time.Second {
		w.late = true
		err = os.ErrDeadlineExceeded
	}
	return err
}

// end ends the answer.
func (w *response) end() {
	if w.late {
		panic(http.ErrAbortHandler) // the peer must not take what it has for the whole
	}
	_ = w.SetWriteDeadline(time.Now().Add(slowconn.WriteTimeout)) // for what is buffered
}
