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

// callTool answers tools/call.
func (x *exchange) callTool() (json.RawMessage, error) {
	t := x.s.ready.tools[x.params.Name]
	if t == nil {
		return nil, invalidParams("there is no tool %q, tools/list names them all", clip(x.params.Name))
	}
	if err := x.refuseTask(t); err != nil {
		return nil, err
	}
	args := x.params.Arguments
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	if problem := t.input.problem(t.Name, args); problem != "" {
		return ErrorResult(problem).render(x.client.Revision, x.s.ready.info)
	}
	asker, err := x.newAsker()
	if err != nil {
		return nil, err
	}
	result, err := x.run(t, args, asker)
	if question, ok, err := asker.unanswered(err); ok || err != nil {
		return question, err
	}
	if result.Task != nil {
		return x.created(result.Task)
	}
	return result.render(x.client.Revision, x.s.ready.info)
}

// run calls the tool on a context that ends when the client cancels.
func (x *exchange) run(t *tool, args json.RawMessage, a *asker) (*Result, error) {
	ctx, cancel := x.context()
	defer cancel(nil)
	if x.session != "" {
		defer x.s.running.add(callKey{x.principal, x.session, x.req.ID}, cancel)()
	}
	x.answer.keepAlive()
	progress := progress{answer: &x.answer, token: x.progressToken()}
	result, err := guarded(ctx, t, &Call{
		Tool: t.Name, Arguments: args, Principal: x.principal, Client: x.client, Progress: progress.send, TakesTask: x.takesTask(), asker: a,
	})
	switch {
	case context.Cause(ctx) == errCancelled:
		return nil, x.cancelled()
	case errors.Is(err, ErrNoAnswer):
		return ErrorResult("This needs an answer from the person at the client, and there was none."), nil
	case err != nil:
		return nil, fmt.Errorf("tool %s: %w", t.Name, err)
	case result == nil:
		return nil, fmt.Errorf("tool %s returned neither a result nor an error", t.Name)
	}
	return result, nil
}

// guarded calls the tool and turns a panic into an error: one bad call must
// not leave its client without an answer.
func guarded(ctx context.Context, t *tool, c *Call) (result *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return t.Call(ctx, c)
}

// context returns the context of a call. Since 2026-07-28 a client cancels by
// hanging up; before, hanging up meant nothing (2025-11-25, basic/transports,
// "Sending Messages", item 6).
func (x *exchange) context() (context.Context, context.CancelCauseFunc) {
	parent := x.r.Context()
	if !modern(x.client.Revision) {
		parent = context.WithoutCancel(parent)
	}
	return x.limited(parent)
}

// limited returns a context that ends with the parent, when it is cancelled,
// or when a call has taken too long.
func (x *exchange) limited(parent context.Context) (context.Context, context.CancelCauseFunc) {
	timed, stop := context.WithTimeout(parent, or(x.s.CallTimeout, 10*time.Minute))
	ctx, cancel := context.WithCancelCause(timed)
	return ctx, func(cause error) { cancel(cause); stop() }
}

// errCancelled is the cause of a context that the client has cancelled.
var errCancelled = errors.New("cancelled by the client")

// cancelled answers a call that its client has cancelled: with silence, which
// the specification wants, or with an error where HTTP wants words.
func (x *exchange) cancelled() error {
	if x.answer.silence() {
		return errAnswered
	}
	return faultf(http.StatusOK, codeCancelled, "the request was cancelled")
}
