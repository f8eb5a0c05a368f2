package mcp

import (
	"context"
	"sync"

	"rialto/internal/jsonrpc"
)

// callKey names a running call. Clients count their ids from zero, so only
// principal, session and id together name one.
type callKey struct {
	principal, session string
	id                 jsonrpc.ID
}

// running knows how to cancel the calls that clients of sessions have open.
// The zero value is ready. It is bounded by the limit on calls.
type running struct {
	mu    sync.Mutex
	calls map[callKey]*context.CancelCauseFunc
}

// add remembers a call until the function that it returns is called.
func (r *running) add(key callKey, cancel context.CancelCauseFunc) (remove func()) {
	entry := &cancel
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[callKey]*context.CancelCauseFunc{}
	}
	r.calls[key] = entry
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.calls[key] == entry { // a client may have used the id again
			delete(r.calls, key)
		}
	}
}

func (r *running) cancel(key callKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.calls[key]; cancel != nil {
		(*cancel)(errCancelled)
	}
}

// notified takes a notification. Only one means anything to the server:
// notifications/cancelled, within a session. Without a session it cannot be
// told whose request is meant, and since 2026-07-28 hanging up says the same;
// then it is taken and ignored, as are those we do not know.
func (x *exchange) notified() {
	if x.req.Method == "notifications/cancelled" && x.session != "" {
		x.s.running.cancel(callKey{x.principal, x.session, x.params.RequestID})
	}
}
