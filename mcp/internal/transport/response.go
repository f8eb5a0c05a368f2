package transport

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"rialto/internal/sse"
	"rialto/mcp/internal/replay"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/session"
)

// response is the one response to a request: a JSON body, or an event stream that ends
// with the result. It becomes a stream when there is something to send before the
// result: a notification or a keep-alive comment. One lock guards all writes, so that
// nothing overtakes the result and nothing sent before it gets lost.
type response struct {
	w        http.ResponseWriter
	takes    accept
	interval time.Duration // between keep-alive comments
	alive    *time.Timer   // nil until keepAlive

	// Where a session keeps the stream, and for how long.
	streams            *replay.Store
	principal, session string
	primed             bool // an event with an id and no data comes first
	keepFor            time.Duration
	request            *Request // nil for the session's own stream

	shared bool // the stream belongs to a session of HTTP with SSE

	mu     sync.Mutex
	stream *sse.Writer    // nil until it is a stream
	log    *replay.Stream // keeps the stream; nil without a session
	over   bool
}

// accept is what a client can read.
type accept struct{ json, stream bool }

func (a *response) init(w http.ResponseWriter, r *http.Request, keepAlive time.Duration) {
	a.w = w
	a.takes = parseAccept(r.Header.Values("Accept"))
	a.interval = keepAlive
}

// parseAccept reads Accept leniently: clients send "*/*", nothing, or only one of the
// two types that they have to send. A client that names neither gets JSON.
func parseAccept(values []string) (a accept) {
	all := strings.ToLower(strings.Join(values, ","))
	any := strings.Contains(all, "*/*")
	a.stream = any || strings.Contains(all, sse.ContentType)
	a.json = any || !a.stream || strings.Contains(all, "application/json")
	return a
}

// quickAnswer is how long a call of a session may take without a stream. Then the stream begins, so
// that the client has an event id to come back with if the connection breaks.
const quickAnswer = time.Second

// keepAlive begins to write a comment at every interval, until the response ends.
func (a *response) keepAlive() {
	if !a.takes.stream || a.shared || a.alive != nil {
		return
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	first := a.interval
	if a.streams != nil {
		first = min(first, quickAnswer)
	}

	a.alive = time.AfterFunc(first, a.comment)
}

// comment shows the client, and proxies, that the response is still to come. A failure
// shows in the request's context.
func (a *response) comment() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	if a.log == nil || a.log.HeldBy(a) {
		_ = a.begin().Comment("keep-alive")
	}
	a.alive.Reset(a.interval)
}

// inSession keeps the stream, should the response become one, for the session. The request is
// nil for the session's own stream.
func (a *response) inSession(e *Endpoint, q *Request, principal string, open *session.Session) {
	a.streams = &e.streams
	a.request = q
	a.principal = principal
	a.session = open.Nonce
	a.keepFor = e.Limits.ResumeFor
	a.primed = revision.PrimesStreams(open.Client.Revision)
}

// retryAfter is how long a client should wait before it resumes a stream.
const retryAfter = time.Second

// begin makes the response a stream. The lock is held.
func (a *response) begin() *sse.Writer {
	if a.stream != nil {
		return a.stream
	}

	a.stream = sse.NewWriter(a.w)
	if a.streams == nil {
		return a.stream
	}

	a.log = a.streams.Open(a.principal, a.session, a)
	a.log.SetNote(a.note())
	a.prime()
	return a.stream
}

// prime sends the id of the latest event alone, if the client's revision knows that.
// The lock is held.
func (a *response) prime() {
	if a.primed && a.log.HeldBy(a) {
		_ = a.stream.Event(sse.Event{ID: a.log.LastID(), Retry: retryAfter})
	}
}

// notify sends a message ahead of the result, if the client takes streams. A failure
// shows in the request's context.
func (a *response) notify(message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.takes.stream && !a.over {
		a.send(message, false)
	}
}

// send sends a message on the stream, unless the client has resumed it on another
// connection. The lock is held.
func (a *response) send(message []byte, last bool) {
	w := a.begin()
	id := ""
	held := true
	if a.log != nil {
		id, held = a.log.Add(a, message, last)
	}
	if held {
		_ = w.Event(sse.Event{ID: id, Data: message})
	}
}

// again asks the client to come back later, unless the status has been sent.
func (a *response) again(seconds string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stream == nil && !a.shared {
		a.w.Header().Set("Retry-After", seconds)
	}
}

// finish sends the last message. On a stream the status has been sent already.
func (a *response) finish(status int, message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
	onlyStream := !a.takes.json && status == http.StatusOK
	if a.stream != nil || onlyStream {
		a.send(message, true)
		a.endLog()
		return
	}

	h := a.w.Header()
	h["Content-Type"], h["Cache-Control"] = typeJSON, noStore
	// As for an event: a client that does not read must not block the handler.
	_ = http.NewResponseController(a.w).SetWriteDeadline(time.Now().Add(sse.WriteTimeout))
	a.w.WriteHeader(status)
	_, _ = a.w.Write(message)
}

// Values of headers, shared by all responses.
var typeJSON, noStore = []string{"application/json"}, []string{"no-store"}

// accepted answers a message that has no result.
func (a *response) accepted() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
	a.w.WriteHeader(http.StatusAccepted)
}

// silence ends a stream without a last message. It returns false for a client that
// does not take streams: a JSON response needs a body.
func (a *response) silence() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.takes.stream {
		return false
	}
	a.end()
	_ = a.begin().Comment("cancelled") // the stream may be empty so far
	a.endLog()
	return true
}

// end stops everything that writes on its own. The lock is held.
func (a *response) end() {
	a.over = true
	if a.alive != nil {
		a.alive.Stop()
	}
}

// endLog marks the end of the stream for clients that resume it. The lock is held.
func (a *response) endLog() {
	if a.log != nil {
		a.log.End(a.keepFor)
	}
}

// CloseStream closes the connection on which the client waits for the response, and lets the client
// resume the stream later, so that a long call holds no connection (SEP-1699, in revision
// 2025-11-25). The call goes on. It returns false where the client could not come back.
func (q *Request) CloseStream() bool {
	return q.HTTP.ProtoMajor == 1 && q.HTTP.ProtoMinor > 0 && q.response.closeStream()
}

func (a *response) closeStream() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.primed || !a.takes.stream || a.over {
		return false
	}

	a.begin() // it says by which id, and when, to come back
	conn, out, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		return false
	}

	a.stream.Close()
	_, _ = out.WriteString("0\r\n\r\n") // a regular end of the body is no broken connection
	_ = out.Flush()
	_ = conn.Close()
	return true
}
