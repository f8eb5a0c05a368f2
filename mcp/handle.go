package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"
)

// handle calls what answers the request, on a context that ends when the
// client cancels. If it asks the client, and the questions have to be the
// answer, it returns them as asked. An exchange has one such call. The kind and
// the name are for the log.
func handle[T any](x *exchange, kind, name string, f func(context.Context, *asker) (T, error)) (result T, asked json.RawMessage, err error) {
	asker, err := x.newAsker()
	if err != nil {
		return result, nil, err
	}
	ctx := x.context()
	defer ctx.end()
	c := x.cancellable(ctx.end)
	defer x.s.running.remove(c)
	x.answer.keepAlive()
	result, err = guarded(ctx, asker, f)
	switch {
	case c.wasCancelled():
		return result, nil, x.cancelled()
	case errors.Is(err, errAsked) && len(asker.open) > 0:
		asked, err = asker.inputRequired()
		return result, asked, err
	case err != nil:
		return result, nil, fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return result, nil, nil
}

// guarded turns a panic into an error: one bad request must not leave its
// client without an answer.
func guarded[T any](ctx context.Context, a *asker, f func(context.Context, *asker) (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(ctx, a)
}

// context returns the context of a call. Since 2026-07-28 a client cancels by
// hanging up; before, hanging up meant nothing (2025-11-25, basic/transports,
// "Sending Messages", item 6). Where the stream is the session, a call ends
// with it. A tool may say that its calls go on in any case; then it says for
// how long.
func (x *exchange) context() *callContext {
	c := &x.call
	c.parent, c.limit = x.r.Context(), x.limit()
	c.detached = x.goesOn > 0 || !modern(x.client.Revision) && x.pair == nil
	return c
}

// limit returns how long a call may take.
func (x *exchange) limit() time.Duration {
	return or(x.goesOn, or(x.s.CallTimeout, 10*time.Minute))
}

// cancelled answers a call that its client has cancelled: with silence, which
// the specification wants, or with an error where HTTP wants words.
func (x *exchange) cancelled() error {
	if x.answer.silence() {
		return errAnswered
	}
	return faultf(http.StatusOK, codeCancelled, "the request was cancelled")
}
