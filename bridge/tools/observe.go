package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/internal/usage"
	"rialto/mcp"
)

var _ mcp.Observer = (*Tools)(nil)

// ObserveRequest implements mcp.Observer: it records the calls of tools, the reading of resources,
// and the requests about tasks.
func (t *Tools) ObserveRequest(
	ctx context.Context, op mcp.Operation,
) (context.Context, func(mcp.Outcome)) {
	c := t.Calls.Begin(t.Directory.Access(ctx), usage.MCP, op.Method)
	return ctx, func(o mcp.Outcome) {
		ctx := context.WithoutCancel(ctx)
		switch {
		case o.Call != nil:
			c.Tool, c.In = o.Call.Tool, len(o.Call.Arguments)
			c.Agent, c.Task = t.subjectOf(ctx, o.Call, o.Result)
		case o.Read != nil:
			c.Agent, c.Task = t.subjectOfResource(ctx, o.Read)
			c.In = len(o.Read.URI)
		case o.Task != nil:
			c.Agent, c.Task, c.State = t.task(ctx, o.Task.ID)
		default:
			return
		}
		c.Out, c.Outcome = o.Size, outcomeOf(o)
		c.End(ctx, &o.Err)
	}
}

// outcomeOf returns how a request ended, "" if its error and the state of its task tell. A call
// with a question is repeated with the answer.
func outcomeOf(o mcp.Outcome) usage.Outcome {
	var protocol *mcp.Error
	switch {
	case o.Canceled:
		return usage.Canceled
	case mcp.IsInputRequired(o.Err):
		return usage.OK
	case o.Call != nil && o.Err != nil:
		return usage.Failed
	case errors.As(o.Err, &protocol), errors.Is(o.Err, mcp.ErrNoResource):
		return usage.Refused
	case o.Result == nil || !o.Result.IsError:
		return ""
	}

	info, ok := o.Result.Structured.(*documents.TaskInfo)
	switch {
	case !ok:
		return usage.Refused
	case info.State == a2a.Canceled: // as was asked for, by this call or before
		return usage.OK
	}

	return usage.Failed
}

// subjectOf returns the agent and the task that a call is about, "" if it does not name an existing
// agent, or if its result shows no task.
func (t *Tools) subjectOf(
	ctx context.Context, c *mcp.Call, r *mcp.Result,
) (agent, task string) {
	if r != nil {
		switch info := r.Structured.(type) {
		case *documents.TaskInfo:
			return info.Agent, info.TaskID
		case *taskCardView:
			return info.Agent, info.TaskID
		case rawResult:
			return info.agent, info.task
		case documents.Shared:
			return info.Agent, info.Handle
		}
		if r.Task != nil {
			agent, task, _ = t.task(ctx, r.Task.ID)
			return agent, task
		}
	}
	if s, ok := t.skillTools().of[c.Tool]; ok {
		return s.agent.Name, ""
	}
	var args struct{ Agent, ID string }
	if len(c.Arguments) > documents.MaxText || json.Unmarshal(c.Arguments, &args) != nil {
		return "", ""
	}
	return t.existing(ctx, cmp.Or(args.Agent, documents.AgentNamed(args.ID))), ""
}

// subjectOfResource returns the agent and the task of a resource, "" if there is no such resource.
func (t *Tools) subjectOfResource(ctx context.Context, r *mcp.Read) (agent, task string) {
	if id, ok := r.Variables["task"]; ok {
		agent, task, _ = t.task(ctx, id)
		return agent, task
	}
	return t.existing(ctx, r.Variables["agent"]), ""
}

// task returns the agent, the handle and the state of a task of the caller's, "" if there is no
// such task.
func (t *Tools) task(ctx context.Context, id string) (agent, handle string, state a2a.State) {
	e, err := t.Runner.Current(ctx, t.Directory.Access(ctx), id)
	if err != nil {
		return "", "", ""
	}
	return e.Agent, e.Handle, e.State()
}

// existing returns the name of an agent that the caller may know of, "" if there is none.
func (t *Tools) existing(ctx context.Context, name string) string {
	p := t.Directory.Agent(t.Directory.Access(ctx), name)
	if p == nil {
		return ""
	}
	return p.Name
}
