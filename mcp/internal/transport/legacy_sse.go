package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"rialto/internal/sse"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// The transport of revision 2024-11-05, deprecated since 2025-03-26: a client opens a
// stream with GET, learns from it where to POST messages, and gets every response on
// the stream (2024-11-05, basic/transports, "HTTP with SSE"). The stream is the
// session, and lives in the process that holds it.

// maxStreamAge bounds such a stream. It ends earlier when nothing has been posted for
// Limits.ListenFor.
const maxStreamAge = 24 * time.Hour

// legacyStream is one such stream, and what its client has said of itself.
type legacyStream struct {
	id, principal string
	stream        *sse.Writer
	ctx           context.Context // ends with the stream
	idle          *time.Timer

	mu     sync.Mutex
	client wire.Client
}

// SSE returns the handler of the streams of revision 2024-11-05. Clients post their
// messages to the path messages, which Messages serves.
func (e *Endpoint) SSE(messages string) http.Handler {
	return e.only(func(w http.ResponseWriter, r *http.Request) {
		principal := e.Server.Principal(r)
		closed := e.acquireStream(w, r, principal)
		if closed == nil {
			return
		}
		defer closed()
		e.serveLegacy(w, r, principal, messages)
	}, http.MethodGet)
}

// Messages returns the handler of the messages of revision 2024-11-05. It answers with 202; the
// response follows on the stream that sessionId names, which has to be the same principal's.
func (e *Endpoint) Messages() http.Handler {
	return e.only(func(w http.ResponseWriter, r *http.Request) {
		open, _ := e.legacy.Load(r.URL.Query().Get("sessionId"))
		st, ok := open.(*legacyStream)
		if !ok || st.principal != e.Server.Principal(r) {
			writeError(
				w,
				wire.Errorf(
					http.StatusNotFound,
					wire.CodeSession,
					"the stream of this session is not open, open a new one",
				),
			)
			return
		}
		if q := e.enter(w, r); q != nil {
			st.idle.Reset(e.Limits.ListenFor)
			q.legacy = st
			q.sessionID = "sse " + st.id
			q.Session = st.id
			q.Client = st.known(r)
			q.postLegacy()
		}
	}, http.MethodPost)
}

// serveLegacy holds a stream until its client disconnects or becomes idle.
func (e *Endpoint) serveLegacy(w http.ResponseWriter, r *http.Request, principal, messages string) {
	ctx, cancel := context.WithTimeout(r.Context(), maxStreamAge)
	defer cancel()
	st := &legacyStream{
		id:        rand.Text(),
		principal: principal,
		stream:    sse.NewWriter(w),
		ctx:       ctx,
	}
	st.idle = time.AfterFunc(e.Limits.ListenFor, cancel)
	defer st.idle.Stop()
	defer st.stream.Close() // calls may still be running
	changes, err := e.Changes.Session(ctx, principal, st.id, false)
	if err != nil {
		e.unavailable(w, r, err)
		return
	}
	defer changes.Close()
	e.legacy.Store(st.id, st)
	defer e.legacy.Delete(st.id)
	begun := e.Sessions.Now()
	defer func() { e.Server.SessionEnded(revision.V20241105, e.Sessions.Now().Sub(begun)) }()
	if st.stream.Event(
		sse.Event{Type: "endpoint", Data: []byte(messages + "?sessionId=" + st.id)},
	) != nil {
		return
	}

	alive := time.NewTicker(e.Limits.KeepAlive)
	defer alive.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-alive.C:
			if st.stream.Comment("keep-alive") != nil {
				return
			}
		case <-changes.Pending():
			for _, c := range changes.Take() {
				_ = st.stream.Event(sse.Event{Data: wire.Notification(c.Method, c.Params())})
			}
		}
	}
}

// postLegacy takes a message. A request is answered on the stream, after the POST.
func (q *Request) postLegacy() {
	body, err := q.read()
	if err == nil {
		err = q.decode(body)
	}

	switch {
	case err != nil:
		q.finish(nil, err)
	case q.Message.IsNotification():
		q.notified()
		q.response.accepted()
	default:
		q.response.accepted()
		go q.answerLegacy()
		return
	}

	q.leave()
}

// answerLegacy answers a request on its session's stream.
func (q *Request) answerLegacy() {
	defer q.leave()
	ctx, cancel := context.WithCancel(context.WithoutCancel(q.HTTP.Context()))
	defer cancel()
	defer context.AfterFunc(q.legacy.ctx, cancel)()
	q.HTTP = q.HTTP.WithContext(ctx)
	q.response = response{takes: accept{stream: true}, stream: q.legacy.stream, shared: true}
	defer func() {
		if p := recover(); p != nil { // the HTTP server recovers only its own goroutines
			q.finish(nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	q.finish(q.endpoint.Server.Handle(q))
}

// identify notes what the client has said of itself.
func (st *legacyStream) identify(c wire.Client) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.client = c.Kept()
}

// known returns what is known of the client that posts. Until it has initialized it is
// one of the transport's own revision.
func (st *legacyStream) known(r *http.Request) wire.Client {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.client.Revision == "" {
		return wire.Client{Revision: revision.V20241105}.FromUserAgent(r.UserAgent())
	}
	return st.client
}
