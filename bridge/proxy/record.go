package proxy

import (
	"context"
	"errors"
	"iter"

	"rialto/a2a"
	"rialto/bridge/call"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
)

// Recorded returns the agent for the A2A door, which records the calls.
func (f *Agent) Recorded() a2a.Agent { return &recordedAgent{f} }

// recordedAgent records the calls of an Agent.
type recordedAgent struct{ *Agent }

// begin begins a call with a request, and returns the agent for it.
func (f *recordedAgent) begin(
	ctx context.Context, method string, request any,
) (*call.Call, *Agent) {
	c := f.proxy.Calls.Begin(f.access(ctx), usage.A2A, method)
	c.Agent = f.name
	if req, _ := request.(*a2a.SendRequest); req != nil && req.Message != nil {
		c.In = ledger.PartsSize(req.Message.Parts)
	}
	return c, &Agent{f.proxy, f.name, c}
}

// recorded makes and records a call.
func recorded[Q, A any](
	ctx context.Context, f *recordedAgent, method string, request Q,
	do func(*Agent, context.Context, Q) (A, error),
) (answer A, err error) {
	c, agent := f.begin(ctx, method, request)
	defer c.End(ctx, &err)
	answer, err = do(agent, ctx, request)
	if err != nil {
		return answer, err
	}
	switch answer := any(answer).(type) {
	case a2a.Event:
		c.Out, c.State = ledger.ContentSize(answer), a2a.StateOf(answer)
	case *a2a.TaskPage:
		for _, t := range answer.Tasks {
			c.Out += ledger.ContentSize(t)
		}
	}
	return answer, nil
}

// Send implements a2a.Agent.
func (f *recordedAgent) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	return recorded(ctx, f, "SendMessage", req, (*Agent).Send)
}

// Stream implements a2a.Agent. The call ends with the stream.
func (f *recordedAgent) Stream(
	ctx context.Context, req *a2a.SendRequest,
) iter.Seq2[a2a.Event, error] {
	return streamed(ctx, f, "SendStreamingMessage", req, (*Agent).Stream)
}

// Subscribe implements a2a.Agent. The call ends with the stream.
func (f *recordedAgent) Subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return streamed(ctx, f, "SubscribeToTask", id, (*Agent).Subscribe)
}

// streamed makes and records a call that is answered by a stream.
func streamed[Q any](
	ctx context.Context, f *recordedAgent, method string, request Q,
	do func(*Agent, context.Context, Q) iter.Seq2[a2a.Event, error],
) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		var e a2a.Event
		var err error
		c, agent := f.begin(ctx, method, request)
		defer c.End(context.WithoutCancel(ctx), &err)
		for e, err = range do(agent, ctx, request) {
			c.Out += ledger.ContentSize(e)
			c.State = a2a.StateOf(e)
			if !yield(e, err) {
				break
			}
		}
		_, message := e.(*a2a.Message)
		whole := message || c.State.Idle() // a caller that leaves then has everything
		if !whole && errors.Is(ctx.Err(), context.Canceled) {
			c.Outcome = usage.Canceled
		}
	}
}

// Task implements a2a.Agent.
func (f *recordedAgent) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return recorded(ctx, f, "GetTask", q, (*Agent).Task)
}

// Cancel implements a2a.Agent.
func (f *recordedAgent) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return recorded(ctx, f, "CancelTask", id, (*Agent).Cancel)
}

// Tasks implements a2a.Lister.
func (f *recordedAgent) Tasks(ctx context.Context, q a2a.TaskFilter) (*a2a.TaskPage, error) {
	return recorded(ctx, f, "ListTasks", q, (*Agent).Tasks)
}

// SetPush implements a2a.Pusher.
func (f *recordedAgent) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	return recorded(ctx, f, "CreateTaskPushNotificationConfig", c, (*Agent).SetPush)
}

// Push implements a2a.Pusher.
func (f *recordedAgent) Push(
	ctx context.Context, task a2a.TaskID, id string,
) (*a2a.PushConfig, error) {
	push := func(f *Agent, ctx context.Context, id string) (*a2a.PushConfig, error) {
		return f.Push(ctx, task, id)
	}
	return recorded(ctx, f, "GetTaskPushNotificationConfig", id, push)
}

// Pushes implements a2a.Pusher.
func (f *recordedAgent) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	return recorded(ctx, f, "ListTaskPushNotificationConfigs", task, (*Agent).Pushes)
}

// DropPush implements a2a.Pusher.
func (f *recordedAgent) DropPush(ctx context.Context, task a2a.TaskID, id string) (err error) {
	c, agent := f.begin(ctx, "DeleteTaskPushNotificationConfig", nil)
	defer c.End(ctx, &err)
	return agent.DropPush(ctx, task, id)
}
