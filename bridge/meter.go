package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"rialto/a2a"
	"rialto/mcp"
)

// Use is a call that has ended, without what was said in it.
type Use struct {
	Caller  Caller
	UseCase string // that the agent was told; "" is none
	Door    string // DoorMCP, DoorA2A or DoorREST
	Tool    string // the tool, or the method of A2A
	Agent   string // "" where it is about none, or several
	Began   time.Time
	Took    time.Duration
	In, Out int // bytes of content, without what is around it
	Outcome Outcome
}

// The doors that calls come through.
const (
	DoorMCP  = "mcp"
	DoorA2A  = "a2a"
	DoorREST = "rest"
)

// Outcome says how a call ended.
type Outcome string

// The outcomes of calls.
const (
	Succeeded Outcome = "ok"
	Broke     Outcome = "failed"   // the agent's task failed, or the server did
	Turned    Outcome = "refused"  // the caller asked for what cannot be, or the agent cannot be called
	Left      Outcome = "canceled" // the caller did not wait for the end
)

// meter returns a Use that begins now.
func (b *Bridge) meter(ctx context.Context, door, tool, agent string) Use {
	caller := b.Caller(ctx)
	return Use{Caller: caller, UseCase: b.useCase(caller), Door: door, Tool: tool, Agent: agent, Began: b.Now()}
}

// report reports a Use that ends now.
func (b *Bridge) report(u Use) {
	u.Took = b.Now().Sub(u.Began)
	b.Meter(u)
}

// metered makes tools report their calls.
func (b *Bridge) metered(tools []mcp.Tool) []mcp.Tool {
	if b.Meter == nil {
		return tools
	}
	for i, t := range tools {
		call := t.Call
		tools[i].Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			u := b.meter(ctx, DoorMCP, t.Name, "")
			u.In = len(c.Arguments)
			r, err := call(ctx, c)
			u.Agent, u.Outcome = b.agentOf(c, r), outcomeOf(ctx, r, err)
			if r != nil {
				u.Out = r.Size()
			}
			b.report(u)
			return r, err
		}
	}
	return tools
}

// agentOf returns which agent a tool's call was about, as far as it says. A name
// that a caller made up is nobody's.
func (b *Bridge) agentOf(c *mcp.Call, r *mcp.Result) string {
	if r != nil {
		if info, ok := r.Structured.(*TaskInfo); ok {
			return info.Agent
		}
	}
	var args struct {
		Agent string `json:"agent"`
	}
	if len(c.Arguments) > maxText || json.Unmarshal(c.Arguments, &args) != nil {
		return ""
	}
	if b.peer(args.Agent) == nil {
		return ""
	}
	return args.Agent
}

// outcomeOf tells how a tool's call ended.
func outcomeOf(ctx context.Context, r *mcp.Result, err error) Outcome {
	switch {
	case err != nil && ctx.Err() != nil:
		return Left
	case err != nil:
		return Broke
	case r == nil || !r.IsError:
		return Succeeded
	}
	info, ok := r.Structured.(*TaskInfo)
	switch {
	case !ok:
		return Turned
	case info.State == a2a.Canceled: // as was asked for, by this call or before
		return Succeeded
	}
	return Broke
}

// Metered returns a face whose calls are reported.
func (f *Face) Metered() a2a.Agent {
	if f.bridge.Meter == nil {
		return f
	}
	return &meteredFace{f}
}

// meteredFace reports the calls of a face. What it does not name is the face's.
type meteredFace struct{ *Face }

func (f *meteredFace) end(ctx context.Context, u Use, err error) {
	switch {
	case err == nil:
		u.Outcome = Succeeded
	case ctx.Err() != nil:
		u.Outcome = Left
	case refusedByUs(err):
		u.Outcome = Turned
	default:
		u.Outcome = Broke
	}
	f.bridge.report(u)
}

// refusedByUs tells an answer to what was asked from a failure.
func refusedByUs(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && !e.Remote && e.Code != a2a.Unavailable && e.Code != a2a.Internal
}

func (f *meteredFace) begin(ctx context.Context, method string) Use {
	return f.bridge.meter(ctx, DoorA2A, method, f.agent)
}

// Send implements a2a.Agent.
func (f *meteredFace) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	u := f.begin(ctx, "SendMessage")
	u.In = sizeOfRequest(req)
	e, err := f.Face.Send(ctx, req)
	u.Out = size(e)
	f.end(ctx, u, err)
	return e, err
}

func sizeOfRequest(req *a2a.SendRequest) int {
	if req == nil || req.Message == nil {
		return 0
	}
	return sizeOf(req.Message.Parts)
}

// Stream implements a2a.Agent. The call ends with the stream.
func (f *meteredFace) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return f.counted(ctx, "SendStreamingMessage", sizeOfRequest(req), f.Face.Stream(ctx, req))
}

// Subscribe implements a2a.Agent. The call ends with the stream.
func (f *meteredFace) Subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return f.counted(ctx, "SubscribeToTask", 0, f.Face.Subscribe(ctx, id))
}

func (f *meteredFace) counted(ctx context.Context, method string, in int, events iter.Seq2[a2a.Event, error]) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		u := f.begin(ctx, method)
		u.In = in
		var failed error
		for e, err := range events {
			u.Out += size(e)
			if failed = err; !yield(e, err) {
				break
			}
		}
		f.end(ctx, u, failed)
	}
}

// Task implements a2a.Agent.
func (f *meteredFace) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	u := f.begin(ctx, "GetTask")
	t, err := f.Face.Task(ctx, q)
	u.Out = sizeOfTask(t)
	f.end(ctx, u, err)
	return t, err
}

// Cancel implements a2a.Agent.
func (f *meteredFace) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	u := f.begin(ctx, "CancelTask")
	t, err := f.Face.Cancel(ctx, id)
	u.Out = sizeOfTask(t)
	f.end(ctx, u, err)
	return t, err
}

// Tasks implements a2a.Lister.
func (f *meteredFace) Tasks(ctx context.Context, q a2a.TaskFilter) (*a2a.TaskPage, error) {
	u := f.begin(ctx, "ListTasks")
	p, err := f.Face.Tasks(ctx, q)
	if p != nil {
		for i := range p.Tasks {
			u.Out += sizeOfTask(p.Tasks[i])
		}
	}
	f.end(ctx, u, err)
	return p, err
}

func sizeOfTask(t *a2a.Task) int {
	if t == nil {
		return 0
	}
	return size(t)
}

// Report reports a call that came through another door: what it was, when it
// began, and how it ended.
func (b *Bridge) Report(ctx context.Context, u Use) {
	if b.Meter == nil {
		return
	}
	u.Caller = b.Caller(ctx)
	u.UseCase = b.useCase(u.Caller)
	b.report(u)
}
