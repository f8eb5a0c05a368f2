package mcp

import (
	"context"
	"net/http"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/sse"
)

// get opens a stream for a session of before 2026-07-28: one that broke off
// (Last-Event-ID), or the one on which it is told of changes (2025-11-25,
// basic/transports, "Listening for Messages from the Server"). A server without
// any has nothing to say on the latter.
func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	id, last := r.Header.Get(gomcp.HeaderSessionID), r.Header.Get("Last-Event-ID")
	if header, _ := revisionHeader(r.Header); id == "" || modern(header) || last == "" && !s.Changing {
		s.notAllowed(w)
		return
	}
	principal := s.principal(r)
	open := s.openSession(id, principal)
	if open == nil {
		s.writeError(w, "", faultf(http.StatusNotFound, codeSession, "the session is not known"))
		return
	}
	if !parseAccept(r.Header.Values("Accept")).stream {
		s.writeError(w, "", faultf(http.StatusNotAcceptable, codeServer, "the answer is a text/event-stream"))
		return
	}
	if !s.listens.enter(principal, or(s.MaxListens, 16)) {
		s.writeTooMany(w)
		return
	}
	defer s.listens.leave(principal)
	if last != "" {
		s.resume(w, r, open.Nonce, last)
		return
	}
	s.streamChanges(w, r, principal, open)
}

// streamChanges tells a session of changes. What there is to tell is noted for
// as long as the client may come back for it. A message must not be sent on two
// streams, so the newest is the only one.
func (s *Server) streamChanges(w http.ResponseWriter, r *http.Request, principal string, open *session) {
	s.replays.forget(func(st *stream) bool { return st.nonce == open.Nonce && st.stop != nil })
	a := s.newAnswer(w, r)
	a.inSession(&s.replays, principal, open, s.resumeFor())
	ctx, stop := context.WithCancel(context.WithoutCancel(r.Context()))
	changes, remove := s.listeners.add(s.owner(principal), s.wantsOfSession(open.Nonce), s.mayFollow(ctx))
	a.begin()
	st := a.log
	s.replays.writtenUntil(st, func() { stop(); remove() })
	go s.listeners.serve(ctx, changes, func(method string, params []byte) {
		s.replays.add(st, nil, notification(method, params))
	})
	s.follow(r, a, st, st.first)
}

// wantsOfSession tells which changes a session is told of: of the resources
// that it has subscribed to, and of all else.
func (s *Server) wantsOfSession(nonce string) func(Change) []Change {
	return func(c Change) []Change {
		if c.uri == "" {
			return []Change{c}
		}
		uris, _ := s.watched.get(nonce)
		return c.among(uris)
	}
}

// notification returns a message with the members of its params.
func notification(method string, params []byte) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","method":"`+method+`","params":{`), params...)
	return append(b, "}}"...)
}

func (s *Server) listenFor() time.Duration { return or(s.ListenFor, time.Hour) }

// writtenUntil notes how what writes to the stream is ended: when it is
// forgotten. It may be already, for the session can have ended meanwhile.
func (r *replays) writtenUntil(st *stream, stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if st.gone {
		stop()
	}
	st.stop = stop
}

// follow sends what the stream says from next on, until it ends, the client
// hangs up or takes it up elsewhere. Then the stream may still go on.
func (s *Server) follow(r *http.Request, a *answer, st *stream, next int) {
	ctx, cancel := context.WithTimeout(r.Context(), s.listenFor())
	defer cancel()
	defer s.replays.leave(st, a, s.resumeFor())
	a.open()
	defer a.close()
	for {
		events, from, more, open := s.replays.read(st, a, next)
		for i, message := range events {
			a.event(st.eventID(from+i), message)
		}
		next = from + len(events)
		if !open {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Server) resumeFor() time.Duration { return or(s.ResumeFor, 5*time.Minute) }

// open begins a stream that says nothing yet, and keeps it alive.
func (a *answer) open() {
	a.mu.Lock()
	_ = a.begin().Comment("open") // a failure shows in the request's context
	a.mu.Unlock()
	a.keepAlive()
}

// event sends one event.
func (a *answer) event(id string, message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.begin().Event(sse.Event{ID: id, Data: message})
}

// close ends a stream that has no last message.
func (a *answer) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
}
