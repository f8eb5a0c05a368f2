package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// callTool answers tools/call.
func (x *exchange) callTool() (json.RawMessage, error) {
	t := x.s.ready.tool(x.params.Name)
	if t == nil || x.s.Visible != nil && !x.s.Visible(x.r.Context(), x.principal, t.Name) {
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
		if t.Refused != nil {
			t.Refused(x.r.Context(), &Call{Tool: t.Name, Arguments: args, Principal: x.principal, Client: x.client})
		}
		return x.noTask(ErrorResult(problem), codeInvalidParams)
	}
	x.goesOn = t.DetachedFor
	result, asked, err := handle(x, "tool", t.Name, func(ctx context.Context, a *asker) (*Result, error) {
		return t.Call(ctx, &Call{
			Tool: t.Name, Arguments: args, Principal: x.principal, Client: x.client,
			Progress: x.progress(), TakesTask: x.takesTask(), asker: a,
		})
	})
	switch {
	case errors.Is(err, ErrNoAnswer):
		result = ErrorResult("This needs an answer from the person at the client, and there was none.")
	case err != nil || asked != nil:
		return asked, err
	case result == nil:
		return nil, fmt.Errorf("tool %s returned neither a result nor an error", t.Name)
	case result.Task != nil:
		return x.created(result.Task)
	}
	return x.noTask(result, codeServer)
}
