package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
	"rialto/mcp"
)

// meter returns the record of a call that begins now.
func (b *Bridge) meter(ctx context.Context, door, tool, agent string) usage.Record {
	caller := b.Directory.Caller(ctx)
	return usage.Record{UserID: caller.User, Client: caller.Client, UseCase: b.Directory.UseCase(caller), Door: door, Tool: tool, Agent: agent, At: b.Now()}
}

// report reports a call that ends now.
func (b *Bridge) report(u usage.Record) {
	if b.Meter == nil {
		return
	}
	u.Took = b.Now().Sub(u.At)
	b.Meter(u)
}

// errCrashed is how a call ended that panicked.
var errCrashed = errors.New("the call crashed")

// metered makes tools report their calls.
func (b *Bridge) metered(tools []mcp.Tool) []mcp.Tool {
	if b.Meter == nil {
		return tools
	}
	for i, t := range tools {
		tools[i].Call = b.meteredTool(t)
		tools[i].Refused = func(ctx context.Context, c *mcp.Call) {
			u := b.meter(ctx, usage.MCP, t.Name, b.agentOf(ctx, c, nil))
			u.BytesIn, u.Outcome = int64(len(c.Arguments)), usage.Refused
			b.report(u)
		}
	}
	return tools
}

func (b *Bridge) meteredTool(t mcp.Tool) func(context.Context, *mcp.Call) (*mcp.Result, error) {
	return func(ctx context.Context, c *mcp.Call) (r *mcp.Result, err error) {
		u := b.meter(ctx, usage.MCP, t.Name, "")
		u.BytesIn, err = int64(len(c.Arguments)), errCrashed
		defer func() {
			u.Agent, u.Outcome = b.agentOf(ctx, c, r), outcomeOf(ctx, r, err)
			if r != nil {
				u.BytesOut = int64(r.Size())
			}
			if c.Disconnected() {
				u.Outcome = usage.Canceled
			}
			b.report(u)
		}()
		return t.Call(ctx, c)
	}
}

// agentOf returns which agent a tool's call was about, as far as it says. A name
// that a caller made up is nobody's.
func (b *Bridge) agentOf(ctx context.Context, c *mcp.Call, r *mcp.Result) string {
	if r != nil {
		switch info := r.Structured.(type) {
		case *TaskInfo:
			return info.Agent
		case exactly:
			return info.agent
		case Shared:
			return info.Agent
		}
		if r.Task != nil {
			return b.agentOfTask(ctx, r.Task.ID)
		}
	}
	if skills := b.skills.Load(); skills != nil {
		if s, ok := skills.of[c.Tool]; ok {
			return s.agent.Name
		}
	}
	var args struct{ Agent, ID string }
	if len(c.Arguments) > maxText || json.Unmarshal(c.Arguments, &args) != nil {
		return ""
	}
	return b.called(cmp.Or(args.Agent, agentNamed(args.ID)))
}

// called returns a name if an agent is called so, and else "".
func (b *Bridge) called(name string) string {
	if b.Directory.Lookup(name) == nil {
		return ""
	}
	return name
}

// agentNamed returns the agent that the id of a document names, "" if it names none.
func agentNamed(id string) string {
	kind, rest, _ := strings.Cut(id, ":")
	if kind != "agent" && kind != "doc" {
		return ""
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}

// agentOfTask returns the agent of a task of the caller's, "" if there is no such task.
func (b *Bridge) agentOfTask(ctx context.Context, id string) string {
	e, _, err := b.now(ctx, b.Directory.Caller(ctx).User, id)
	if err != nil {
		return ""
	}
	return e.Agent
}

// outcomeOf tells how a tool's call ended. One that asks is called again with the
// answer.
func outcomeOf(ctx context.Context, r *mcp.Result, err error) usage.Outcome {
	switch {
	case mcp.IsInputRequired(err):
		return usage.OK
	case left(ctx):
		return usage.Canceled
	case err != nil:
		return usage.Failed
	case r == nil || !r.IsError:
		return usage.OK
	}
	info, ok := r.Structured.(*TaskInfo)
	switch {
	case !ok:
		return usage.Refused
	case info.State == a2a.Canceled: // as was asked for, by this call or before
		return usage.OK
	}
	return usage.Failed
}

// left tells whether a caller did not wait.
func left(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// outcome tells how a call ended that has no more to say of it than an error.
func outcome(ctx context.Context, err error) usage.Outcome {
	var input ledger.InputError
	var protocol *mcp.Error
	switch {
	case left(ctx):
		return usage.Canceled
	case err == nil:
		return usage.OK
	case errors.As(err, &input), errors.As(err, &protocol), errors.Is(err, mcp.ErrNoResource), errors.Is(err, ledger.ErrNoTask),
		errors.Is(err, ledger.ErrTaskBusy), errors.Is(err, ledger.ErrTaskEnded), refusedByUs(err):
		return usage.Refused
	}
	return usage.Failed
}

// refusedByUs tells an answer to what was asked from a failure.
func refusedByUs(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && !e.Remote && e.Code != a2a.Unavailable && e.Code != a2a.Internal && e.Code != a2a.InvalidAgentResponse
}

// meteredRead makes the reading of a resource report itself. What reads says which
// agent it is about.
func (b *Bridge) meteredRead(read func(context.Context, *mcp.Read) (agent string, _ []mcp.Contents, _ error)) func(context.Context, *mcp.Read) ([]mcp.Contents, error) {
	return func(ctx context.Context, r *mcp.Read) (contents []mcp.Contents, err error) {
		u := b.meter(ctx, usage.MCP, "resources/read", "")
		u.BytesIn, err = int64(len(r.URI)), errCrashed
		defer func() {
			for _, c := range contents {
				u.BytesOut += int64(len(c.Text) + len(c.Data))
			}
			u.Outcome = outcome(ctx, err)
			b.report(u)
		}()
		u.Agent, contents, err = read(ctx, r)
		return contents, err
	}
}

// Called reports a request about a task (mcp.Server.TaskCalled).
func (t Tasks) Called(ctx context.Context, c mcp.TaskCall) {
	b := t.Bridge
	if b.Meter == nil {
		return
	}
	u := b.meter(ctx, usage.MCP, c.Method, "")
	u.At, u.BytesOut = c.Began, int64(c.Out)
	var state a2a.State
	if e, _, err := b.now(context.WithoutCancel(ctx), t.Owner(c.Principal), c.Task); err == nil {
		u.Agent, state = e.Agent, e.State()
	}
	u.Outcome = outcomeWith(ctx, c.Err, state)
	b.report(u)
}

// onPage reports what somebody does on a page that calls an agent, in and out being
// bytes of content.
func (b *Bridge) onPage(ctx context.Context, what string, in int, do func() (agent string, out int, _ error)) error {
	u, err := b.meter(ctx, usage.Web, what, ""), errCrashed
	defer func() {
		u.BytesIn, u.Outcome = int64(in), outcome(ctx, err)
		b.report(u)
	}()
	var out int
	u.Agent, out, err = do()
	u.BytesOut = int64(out)
	return err
}

// Report reports a call that came through another door: what it was, when it
// began, and how it ended.
func (b *Bridge) Report(ctx context.Context, u usage.Record) {
	caller := b.Directory.Caller(ctx)
	u.UserID, u.Client, u.UseCase = caller.User, caller.Client, b.Directory.UseCase(caller)
	b.report(u)
}
