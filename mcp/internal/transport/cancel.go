package transport

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// Call is the context of the handler that answers a request.
type Call struct {
	context.Context
	cancel context.CancelFunc

	running   *sync.Map // of the endpoint: there its client can cancel it; nil without a session
	key       callKey
	cancelled atomic.Bool // by the client, and not by its timeout
}

// Begin returns the context of the call that answers the request; zero means the default limit. A
// detached call goes on when the client disconnects. A request has one call.
func (q *Request) Begin(limit time.Duration, detached bool) *Call {
	if limit == 0 {
		limit = q.endpoint.Limits.CallTimeout
	}

	parent := q.HTTP.Context()
	if detached {
		parent = context.WithoutCancel(parent)
	}

	c := &Call{}
	c.Context, c.cancel = context.WithTimeout(parent, limit)
	if q.sessionID != "" { // else a client cannot name it
		c.running = &q.endpoint.running
		c.key = callKey{q.Principal, q.sessionID, q.Message.ID}
		c.running.Store(c.key, c)
	}

	q.response.keepAlive()
	return c
}

// DisconnectCancels tells whether a client cancels by closing the connection. Before
// 2026-07-28 it does not (2025-11-25, basic/transports, "Sending Messages", item 6),
// unless the stream is the session.
func (q *Request) DisconnectCancels() bool { return q.Modern() || q.legacy != nil }

// End ends the context.
func (c *Call) End() {
	if c.running != nil {
		c.running.CompareAndDelete(c.key, c) // a client may have used the id again
	}
	c.cancel()
}

// Cancelled tells whether the client has cancelled the call.
func (c *Call) Cancelled() bool { return c.cancelled.Load() }

// Cancelled returns the answer to a request that its client has cancelled: silence,
// as the specification wants, or an error where HTTP needs a body.
func (q *Request) Cancelled() error {
	if q.response.silence() {
		return ErrAnswered
	}
	return wire.Errorf(http.StatusOK, wire.CodeCancelled, "the request was cancelled")
}

// callKey names a running call. Clients count ids from zero, so an id is unique only
// together with the principal and the session.
type callKey struct {
	principal, session string
	id                 jsonrpc.ID
}

// notified takes a notification. Only notifications/cancelled within a session has an
// effect: without a session it does not say whose request it means, and since
// 2026-07-28 clients disconnect instead.
func (q *Request) notified() {
	if q.Message.Method != "notifications/cancelled" || q.sessionID == "" {
		return
	}
	key := callKey{q.Principal, q.sessionID, q.Params.Other().RequestID}
	if running, ok := q.endpoint.running.Load(key); ok {
		c := running.(*Call)
		c.cancelled.Store(true)
		c.cancel()
	}
}
