package mcp

import (
	"context"
	"sync"
	"sync/atomic"

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
	calls map[callKey]*call
}

// call is one that its client can cancel.
type call struct {
	key       callKey
	cancel    context.CancelFunc
	cancelled atomic.Bool // by the client, and not because it took too long
}

// wasCancelled tells whether the client has cancelled the call. One that cannot
// be is nil.
func (c *call) wasCancelled() bool { return c != nil && c.cancelled.Load() }

// cancellable notes the request as one that its client can cancel, until it is
// removed. It returns nil without a session, for nobody could name it.
func (x *exchange) cancellable(cancel context.CancelFunc) *call {
	if x.session == "" {
		return nil
	}
	c := &call{key: callKey{x.principal, x.session, x.req.ID}, cancel: cancel}
	r := &x.s.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[callKey]*call{}
	}
	r.calls[c.key] = c
	return c
}

func (r *running) remove(c *call) {
	if c == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls[c.key] == c { // a client may have used the id again
		delete(r.calls, c.key)
	}
}

func (r *running) cancel(key callKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.calls[key]; c != nil {
		c.cancelled.Store(true)
		c.cancel()
	}
}

// notified takes a notification. Only one means anything to the server:
// notifications/cancelled, within a session. Without a session it cannot be
// told whose request is meant, and since 2026-07-28 hanging up says the same;
// then it is taken and ignored, as are those we do not know.
func (x *exchange) notified() {
	if x.req.Method == "notifications/cancelled" && x.session != "" {
		x.s.running.cancel(callKey{x.principal, x.session, x.params.other().RequestID})
	}
}
