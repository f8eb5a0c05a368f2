package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

func (r *request) callTool() (json.RawMessage, error) {
	t := r.s.built.tools.Load().named[r.Params.Name]
	if t != nil && t.headers != nil && r.Modern() {
		if err := t.headers.Check(r.HTTP.Header, r.Message.Params, r.Lenient); err != nil {
			return nil, err
		}
	}
	if t == nil || !r.s.Access.ToolVisible(r.HTTP.Context(), r.Principal, t.Name) {
		return nil, wire.InvalidParams(
			"there is no tool %q, tools/list names them all", wire.Truncate(r.Params.Name),
		)
	}
	if err := r.refuseTask(t); err != nil {
		return nil, err
	}

	args := r.Params.Arguments
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}

	args, problem := t.input.Accept(t.Name, args)
	c := &Call{
		Tool:      t.Name,
		Arguments: args,
		Principal: r.Principal,
		Client:    r.Client,
	}
	if problem != "" {
		r.observed.Call = c
		r.observed.Result = ErrorResult(problem)
		return r.withoutTask(r.observed.Result, jsonrpc.CodeInvalidParams)
	}

	result, asked, err := run(
		r,
		"tool",
		t.Name,
		t.DetachedFor,
		func(ctx context.Context, a *elicitor) (*Result, error) {
			c.elicitor = a
			return r.runTool(ctx, t, c)
		},
	)
	switch {
	case errors.Is(err, ErrNoAnswer):
		result = ErrorResult(
			"This needs an answer from the person at the client, and there was none.",
		)
	case err != nil || asked != nil:
		return asked, err
	case result == nil:
		return nil, fmt.Errorf("tool %s returned neither a result nor an error", t.Name)
	case result.Task != nil:
		return r.created(result.Task)
	}

	return r.withoutTask(result, wire.CodeServer)
}

// runTool calls a tool, and shows the call and its result to observers.
func (r *request) runTool(ctx context.Context, t *tool, c *Call) (*Result, error) {
	c.Progress = r.progress()
	c.TakesTask = r.takesTask()
	r.observed.Call = c
	result, err := t.Call(ctx, c)
	if result != nil {
		r.observed.Result = result
		r.observed.Size = result.Size()
	}
	return result, err
}
