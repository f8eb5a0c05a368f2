package mcp

import (
	"context"
	"net/http"
	"slices"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// get opens the stream on which a session of before 2026-07-28 is told of
// changes (2025-11-25, basic/transports, "Listening for Messages from the
// Server"). A server without any has nothing to say there.
func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(gomcp.HeaderSessionID)
	if header, _ := revisionHeader(r.Header); id == "" || modern(header) || !s.Changing {
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
	s.streamChanges(w, r, callKey{principal: principal, session: id}, open.Nonce)
}

// streamChanges tells a session of changes until its client hangs up or ends
// it. A message must not be sent on two streams, so the newest is the only one.
func (s *Server) streamChanges(w http.ResponseWriter, r *http.Request, key callKey, nonce string) {
	timed, stop := context.WithTimeout(r.Context(), or(s.ListenFor, time.Hour))
	defer stop()
	ctx, cancel := context.WithCancelCause(timed)
	defer cancel(nil)
	s.running.cancel(key)
	defer s.running.add(key, cancel)()

	var a answer
	a.prepare(w, r, or(s.KeepAlive, 15*time.Second))
	wants := func(c Change) bool {
		if c.uri == "" {
			return true
		}
		uris, _ := s.watched.get(nonce)
		return slices.Contains(uris, c.uri)
	}
	changes, remove := s.listeners.add(key.principal, wants)
	defer remove()
	a.open()
	s.listeners.serve(ctx, changes, func(method string, params []byte) {
		b := append([]byte(`{"jsonrpc":"2.0","method":"`+method+`","params":{`), params...)
		a.notify(append(b, "}}"...))
	})
	a.close()
}

// open begins a stream that says nothing yet, and keeps it alive.
func (a *answer) open() {
	a.mu.Lock()
	_ = a.begin().Comment("open") // a failure shows in the request's context
	a.mu.Unlock()
	a.keepAlive()
}

// close ends a stream that has no last message.
func (a *answer) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
}
