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
			c.Tool, c.Agent = o.Call.Tool, t.agentOf(ctx, o.Call, o.Result)
			c.In = len(o.Call.Arguments)
		case o.Read != nil:
			c.Agent = t.agentOfResource(ctx, o.Read)
			c.In = len(o.Read.URI)
		case o.Task != nil:
			c.Agent, c.State = t.agentOfTask(ctx, o.Task.ID)
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

// agentOf returns the agent of a call, or "" if the call does not name an existing agent.
func (t *Tools) agentOf(ctx context.Context, c *mcp.Call, r *mcp.Result) string {
	if r != nil {
		switch info := r.Structured.(type) {
		case *documents.TaskInfo:
			return info.Agent
		case *taskCardView:
			return info.Agent
		case rawResult:
			return info.agent
		case documents.Shared:
			return info.Agent
		}
		if r.Task != nil {
			agent, _ := t.agentOfTask(ctx, r.Task.ID)
			return agent
		}
	}
	if s, ok := t.skillTools().of[c.Tool]; ok {
		return s.agent.Name
	}
	var args struct{ Agent, ID string }
	if len(c.Arguments) > documents.MaxText || json.Unmarshal(c.Arguments, &args) != nil {
		return ""
	}
	return t.existing(ctx, cmp.Or(args.Agent, documents.AgentNamed(args.ID)))
}

// agentOfResource returns the agent of a resource, "" if there is no such resource.
func (t *Tools) agentOfResource(ctx context.Context, r *mcp.Read) string {
	if task, ok := r.Variables["task"]; ok {
		agent, _ := t.agentOfTask(ctx, task)
		return agent
	}
	return t.existing(ctx, r.Variables["agent"])
}

// agentOfTask returns the agent of a task of the caller's and the state of the task, "" if there is
// no such task.
func (t *Tools) agentOfTask(ctx context.Context, id string) (string, a2a.State) {
	e, err := t.Runner.Current(ctx, t.Directory.Access(ctx), id)
	if err != nil {
		return "", ""
	}
	return e.Agent, e.State()
}

// existing returns the name of an agent that the caller may know of, "" if there is none.
func (t *Tools) existing(ctx context.Context, name string) string {
	p := t.Directory.Agent(t.Directory.Access(ctx), name)
	if p == nil {
		return ""
	}
	return p.Name
}
