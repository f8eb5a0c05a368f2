package tools

import (
	"cmp"
	"context"
	"encoding/json"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/metering"
	"rialto/internal/usage"
	"rialto/mcp"
)

// metered records the calls of tools.
func (t *Tools) metered(tools []mcp.Tool) []mcp.Tool {
	if t.Meter == nil {
		return tools
	}
	for i, tool := range tools {
		tools[i].Call = t.meteredTool(tool)
		tools[i].Refused = func(ctx context.Context, c *mcp.Call) {
			u := t.Meter.Begin(ctx, usage.MCP, tool.Name, t.agentOf(ctx, c, nil))
			u.BytesIn, u.Outcome = int64(len(c.Arguments)), usage.Refused
			t.Meter.End(u)
		}
	}
	return tools
}

func (t *Tools) meteredTool(tool mcp.Tool) func(context.Context, *mcp.Call) (*mcp.Result, error) {
	return func(ctx context.Context, c *mcp.Call) (r *mcp.Result, err error) {
		u := t.Meter.Begin(ctx, usage.MCP, tool.Name, "")
		u.BytesIn, err = int64(len(c.Arguments)), metering.ErrPanicked
		defer func() {
			u.Agent, u.Outcome = t.agentOf(ctx, c, r), outcomeOf(ctx, r, err)
			if r != nil {
				u.BytesOut = int64(r.Size())
			}
			if c.Disconnected() {
				u.Outcome = usage.Canceled
			}
			t.Meter.End(u)
		}()
		return tool.Call(ctx, c)
	}
}

// agentOf returns the agent of a call, or "" if the call does not name an existing agent.
func (t *Tools) agentOf(ctx context.Context, c *mcp.Call, r *mcp.Result) string {
	if r != nil {
		switch info := r.Structured.(type) {
		case *documents.TaskInfo:
			return info.Agent
		case *taskCardView:
			return info.Agent
		case exactly:
			return info.agent
		case documents.Shared:
			return info.Agent
		}
		if r.Task != nil {
			return t.agentOfTask(ctx, r.Task.ID)
		}
	}
	if skills := t.skills.Load(); skills != nil {
		if s, ok := skills.of[c.Tool]; ok {
			return s.agent.Name
		}
	}
	var args struct{ Agent, ID string }
	if len(c.Arguments) > documents.MaxText || json.Unmarshal(c.Arguments, &args) != nil {
		return ""
	}
	p := t.Directory.Agent(t.Directory.Access(ctx), cmp.Or(args.Agent, documents.AgentNamed(args.ID)))
	if p == nil {
		return ""
	}
	return p.Name
}

// agentOfTask returns the agent of a task of the caller's, "" if there is no such task.
func (t *Tools) agentOfTask(ctx context.Context, id string) string {
	e, _, err := t.Runner.Current(ctx, t.Directory.Access(ctx), id)
	if err != nil {
		return ""
	}
	return e.Agent
}

// outcomeOf returns how a call ended. A call with a question is repeated with the answer.
func outcomeOf(ctx context.Context, r *mcp.Result, err error) usage.Outcome {
	switch {
	case mcp.IsInputRequired(err):
		return usage.OK
	case metering.Canceled(ctx):
		return usage.Canceled
	case err != nil:
		return usage.Failed
	case r == nil || !r.IsError:
		return usage.OK
	}
	info, ok := r.Structured.(*documents.TaskInfo)
	switch {
	case !ok:
		return usage.Refused
	case info.State == a2a.Canceled: // as was asked for, by this call or before
		return usage.OK
	}
	return usage.Failed
}

// Called reports a request about a task (mcp.Tasks).
func (t Tasks) Called(ctx context.Context, c mcp.TaskCall) {
	if t.Tools.Meter == nil {
		return
	}
	u := t.Tools.Meter.Begin(ctx, usage.MCP, c.Method, "")
	u.At, u.BytesOut = c.Began, int64(c.Out)
	var state a2a.State
	if e, _, err := t.Tools.Runner.Current(context.WithoutCancel(ctx), t.Tools.Directory.Access(ctx), c.Task); err == nil {
		u.Agent, state = e.Agent, e.State()
	}
	u.Outcome = metering.OutcomeWith(ctx, c.Err, state)
	t.Tools.Meter.End(u)
}
