package transport

import (
	"context"
	"net/http"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/sse"
	"rialto/mcp/internal/replay"
	"rialto/mcp/internal/session"
	"rialto/mcp/internal/subscription"
	"rialto/mcp/internal/wire"
)

// get opens a stream for a session: it resumes one that broke (Last-Event-ID), or opens the one for
// changes (2025-11-25, basic/transports, "Listening for Messages from the Server").
func (e *Endpoint) get(w http.ResponseWriter, r *http.Request) {
	last := r.Header.Get("Last-Event-ID")
	nothingToSend := last == "" && !e.Changing
	if !namesSession(r) || nothingToSend {
		e.notAllowed(w)
		return
	}

	principal := e.Server.Principal(r)
	open := e.sessionOf(w, r, principal)
	if open == nil {
		return
	}
	if !parseAccept(r.Header.Values("Accept")).stream {
		writeError(w, wire.Refuse(http.StatusNotAcceptable, "the answer is a text/event-stream"))
		return
	}

	note, kept := e.streams.Keeps(open.Nonce, last)
	if c := e.continuationOf(principal, open.Nonce, last); c != nil && !kept {
		e.answerContinuation(w, r, open, r.Header.Get(gomcp.HeaderSessionID), c)
		return
	}
	if !kept || note == changesNote { // the limits of calls bound the others
		closed := e.acquireStream(w, r, principal)
		if closed == nil {
			return
		}
		defer closed()
	}

	a := &response{}
	a.init(w, r, e.Limits.KeepAlive)
	st, next := e.streams.Resume(open.Nonce, last, a)
	switch {
	case st != nil:
		e.follow(r, a, st, next)
	case last == "" || e.Changing && strings.HasSuffix(last, "."+changesNote):
		e.streamChanges(r, a, principal, open, last != "")
	default:
		writeError(w, wire.Refuse(
			http.StatusGone,
			"there are no events after %q, or not any more: send the request again",
			wire.Truncate(last),
		))
	}
}

// streamChanges sends changes to a session. They are kept for as long as the client may come back
// for them. A message must not be sent on two streams, so a new stream replaces the earlier one.
func (e *Endpoint) streamChanges(
	r *http.Request, a *response, principal string, open *session.Session, missed bool,
) {
	e.streams.Drop(open.Nonce, false)
	a.inSession(e, nil, principal, open)
	ctx, stop := context.WithCancel(context.WithoutCancel(r.Context()))
	changes, err := e.Changes.Session(ctx, principal, open.Nonce, missed)
	if err != nil {
		stop()
		e.unavailable(a.w, r, err)
		return
	}

	a.begin()
	st := a.log
	st.StopWith(func() {
		stop()
		changes.Close()
	})
	go changes.Serve(ctx, func(c subscription.Change) {
		st.Add(nil, wire.Notification(c.Method, c.Params()), false)
	})
	e.follow(r, a, st, 1)
}

// follow sends the events of a stream from next on, until it ends or the client
// disconnects or resumes it elsewhere. The stream may go on after that.
func (e *Endpoint) follow(r *http.Request, a *response, st *replay.Stream, next int) {
	ctx, cancel := context.WithTimeout(r.Context(), e.Limits.ListenFor)
	defer cancel()
	defer st.Leave(a, e.Limits.ResumeFor)
	a.open()
	defer a.close()
	for {
		events, changed, open := st.Read(a, next)
		for _, e := range events {
			a.event(e.ID, e.Message)
			next = e.Number + 1
		}
		if !open {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// open begins an empty stream.
func (a *response) open() {
	a.mu.Lock()
	_ = a.begin().Comment("open") // a failure shows in the request's context
	a.mu.Unlock()
	a.keepAlive()
}

func (a *response) event(id string, message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.begin().Event(sse.Event{ID: id, Data: message})
}

// close ends a stream that has no last message.
func (a *response) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
}
