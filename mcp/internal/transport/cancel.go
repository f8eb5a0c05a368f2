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

// Call is the context of what answers a request. The context is created when it is
// first waited for, and its timeout counts from then: most handlers return at once,
// and a context that ends with a connection or after a time is expensive.
type Call struct {
	parent   context.Context
	limit    time.Duration
	detached bool // goes on when the parent ends

	mu      sync.Mutex
	created context.Context // nil until it is needed
	cancel  context.CancelFunc
	ended   bool

	running   *running // where its client can cancel it; nil without a session
	key       callKey
	cancelled atomic.Bool // by the client, and not by its timeout
}

// Begin returns the context of the call that answers the request; zero means the
// default limit. A detached call goes on when the client disconnects. A request has
// one call.
func (q *Request) Begin(limit time.Duration, detached bool) *Call {
	c := &q.call
	if c.limit = limit; limit == 0 {
		c.limit = q.endpoint.Limits.CallTimeout
	}
	c.parent, c.detached = q.HTTP.Context(), detached
	if q.sessionID != "" { // else a client cannot name it
		c.running, c.key = &q.endpoint.running, callKey{q.Principal, q.sessionID, q.Message.ID}
		c.running.add(c)
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
		c.running.remove(c)
	}
	c.end()
}

func (c *Call) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.cancel != nil {
		c.cancel()
	}
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

func (c *Call) context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.created == nil {
		parent := c.parent
		if c.detached {
			parent = context.WithoutCancel(parent)
		}
		c.created, c.cancel = context.WithTimeout(parent, c.limit)
		if c.ended {
			c.cancel()
		}
	}
	return c.created
}

// Deadline implements context.Context.
func (c *Call) Deadline() (time.Time, bool) { return c.context().Deadline() }

// Done implements context.Context.
func (c *Call) Done() <-chan struct{} { return c.context().Done() }

// Err implements context.Context. Before the context has been created, only its
// parent can have ended.
func (c *Call) Err() error {
	c.mu.Lock()
	created, ended := c.created, c.ended
	c.mu.Unlock()
	switch {
	case created != nil || ended:
		return c.context().Err()
	case c.detached:
		return nil
	}
	return c.parent.Err()
}

// Value implements context.Context. Package context looks for its own contexts among
// the values, but only after it has called Done.
func (c *Call) Value(key any) any {
	c.mu.Lock()
	created := c.created
	c.mu.Unlock()
	if created != nil {
		return created.Value(key)
	}
	return c.parent.Value(key)
}

// callKey names a running call. Clients count ids from zero, so an id is unique only
// together with the principal and the session.
type callKey struct {
	principal, session string
	id                 jsonrpc.ID
}

// running holds the calls that clients of sessions can cancel. The zero value is
// ready. The limit on calls bounds it.
type running struct {
	mu    sync.Mutex
	calls map[callKey]*Call
}

func (r *running) add(c *Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[callKey]*Call{}
	}
	r.calls[c.key] = c
}

func (r *running) remove(c *Call) {
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
		c.end()
	}
}

// notified takes a notification. Only notifications/cancelled within a session has an
// effect: without a session it does not say whose request it means, and since
// 2026-07-28 clients disconnect instead.
func (q *Request) notified() {
	if q.Message.Method == "notifications/cancelled" && q.sessionID != "" {
		q.endpoint.running.cancel(callKey{q.Principal, q.sessionID, q.Params.Other().RequestID})
	}
}
