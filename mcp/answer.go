package mcp

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rialto/internal/sse"
)

// answer is the one answer to a request: a JSON body, or an event stream that
// ends with it. It becomes a stream when there is something to say before the
// result is known: a notification, or that the server is still there. What is
// written goes through one lock, so that nothing can overtake the result and
// nothing said before it gets lost.
type answer struct {
	w        http.ResponseWriter
	takes    accept
	keeper   *keeper
	interval time.Duration // of silence, before a comment
	kept     kept
	reading  atomic.Bool // the body is, and has not taken too long

	// Of sessions: where a stream is kept, for the session's nonce. From
	// 2025-11-25 on a client can take it up before the first message.
	replays *replays
	owner   string // the session's principal
	nonce   string
	primed  bool
	keepFor time.Duration

	shared bool // the stream is there before the answer, and for others too

	mu     sync.Mutex
	stream *sse.Writer // nil until it is one
	log    *stream     // what is kept of it; nil if nothing is
	over   bool
}

// accept is what a client can read.
type accept struct{ json, stream bool }

func (s *Server) newAnswer(w http.ResponseWriter, r *http.Request) *answer {
	a := new(answer)
	a.prepare(s, w, r)
	return a
}

func (a *answer) prepare(s *Server, w http.ResponseWriter, r *http.Request) {
	a.w, a.takes, a.keeper, a.interval = w, parseAccept(r.Header.Values("Accept")), &s.keeper, or(s.KeepAlive, 15*time.Second)
}

// parseAccept reads Accept generously: clients say "*/*", nothing, or only one
// of the two that they must say. What names neither gets JSON.
func parseAccept(values []string) (a accept) {
	all := strings.ToLower(strings.Join(values, ","))
	any := strings.Contains(all, "*/*")
	a.stream = any || strings.Contains(all, sse.ContentType)
	a.json = any || !a.stream || strings.Contains(all, "application/json")
	return a
}

// keepAlive begins to write a comment whenever there has been silence for the
// interval, until the answer is finished.
func (a *answer) keepAlive() {
	if !a.takes.stream || a.shared {
		return
	}
	if a.kept.by == nil {
		a.keeper.add(a)
	}
	a.keeper.comment(a)
}

// leave has the answer looked after no more.
func (a *answer) leave() {
	if a.kept.by != nil {
		a.kept.by.remove(a)
	}
}

// inSession has the stream kept for the principal's session, should it become
// one.
func (a *answer) inSession(r *replays, principal string, open *session, keep time.Duration) {
	a.replays, a.owner, a.nonce, a.keepFor = r, principal, open.Nonce, keep
	a.primed = open.Revision >= Revision20251125
}

// retryAfter is what a client is asked to wait before it takes a stream up
// again.
const retryAfter = time.Second

// begin makes the answer a stream. The lock is held.
func (a *answer) begin() *sse.Writer {
	if a.stream != nil {
		return a.stream
	}
	a.stream = sse.NewWriter(a.w)
	if a.replays == nil {
		return a.stream
	}
	a.log = a.replays.open(a.owner, a.nonce, a)
	if a.primed { // those before it take an event without data for a message
		_ = a.stream.Event(sse.Event{ID: a.log.eventID(0), Retry: retryAfter})
	}
	return a.stream
}

// notify sends a message ahead of the result, if the client takes streams. A
// write that fails shows in the request's context.
func (a *answer) notify(message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.takes.stream && !a.over {
		a.send(message)
	}
}

// send sends a message on the stream, unless the client has taken it up on
// another connection. The lock is held.
func (a *answer) send(message []byte) {
	w, id, mine := a.begin(), "", true
	if a.log != nil {
		id, mine = a.replays.add(a.log, a, message)
	}
	if mine {
		_ = w.Event(sse.Event{ID: id, Data: message})
	}
}

// sent notes that nothing follows on the stream. The lock is held.
func (a *answer) sent() {
	if a.log != nil {
		a.replays.end(a.log, a.keepFor)
	}
}

// finish sends the last message. On a stream the status has been sent, and the
// message alone says how it ended.
func (a *answer) finish(status int, message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
	if a.stream != nil || !a.takes.json && status == http.StatusOK {
		a.send(message)
		a.sent()
		return
	}
	h := a.w.Header()
	h["Content-Type"], h["Cache-Control"] = typeJSON, notStored
	// As for an event: a client that does not read must not hold the handler.
	_ = http.NewResponseController(a.w).SetWriteDeadline(time.Now().Add(sse.WriteTimeout))
	a.w.WriteHeader(status)
	_, _ = a.w.Write(message)
}

// Values of headers of all answers, made once.
var typeJSON, notStored = []string{"application/json"}, []string{"no-store"}

// accepted answers a message that has no result.
func (a *answer) accepted() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
	a.w.WriteHeader(http.StatusAccepted)
}

// silence ends a stream without a last message, which is how a cancelled
// request is answered. It tells whether it could: an answer in JSON has to say
// something.
func (a *answer) silence() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.takes.stream {
		return false
	}
	a.end()
	_ = a.begin().Comment("cancelled") // the stream may have said nothing yet
	a.sent()
	return true
}

func (a *answer) end() {
	a.over = true
	a.leave()
}
