package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"rialto/mcp/internal/transport"
)

// request is a request of the transport, and the server that answers it.
type request struct {
	*transport.Request
	s        *Server
	identity *Identity
	elicitor elicitor

	observed Outcome // so far, for the observers
}

// run calls a handler on a context that ends when the client cancels. If the handler asks the
// client and the questions have to be the result, run returns them as asked. A request has one such
// handler. The kind and the name are for the log. DetachedFor is that of a Tool.
func run[T any](
	r *request,
	kind, name string,
	detachedFor time.Duration,
	f func(context.Context, *elicitor) (T, error),
) (result T, asked json.RawMessage, err error) {
	a, err := r.newElicitor()
	if err != nil {
		return result, nil, err
	}

	call := r.Begin(detachedFor, detachedFor > 0 || !r.DisconnectCancels())
	defer call.End()
	result, err = recovered(call, a, f)
	// Since 2026-07-28, a client that disconnects cannot come back for the result.
	gone := r.Modern() && r.HTTP.Context().Err() != nil
	r.observed.Err = err
	r.observed.Canceled = gone || errors.Is(call.Err(), context.Canceled)
	switch {
	case call.Cancelled():
		return result, nil, r.Cancelled()
	case errors.Is(err, errAsked) && len(a.open) > 0:
		asked, err = a.inputRequired()
		return result, asked, err
	case err != nil:
		return result, nil, fmt.Errorf("%s %s: %w", kind, name, err)
	}

	return result, nil, nil
}

// recovered turns a panic into an error, so that the client gets an answer.
func recovered[T any](
	ctx context.Context, a *elicitor, f func(context.Context, *elicitor) (T, error),
) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(ctx, a)
}

// result returns a result with one member.
func (r *request) result(hint, member string, value json.RawMessage) json.RawMessage {
	return r.identity.result(r.Modern(), hint, member, value)
}

// empty returns a result without members.
func (r *request) empty() json.RawMessage {
	if !r.Modern() {
		return json.RawMessage("{}")
	}
	return fmt.Appendf(nil, `{"resultType":"complete",%s}`, r.identity.meta())
}
