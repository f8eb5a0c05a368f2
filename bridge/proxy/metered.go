package proxy

import (
	"context"
	"iter"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/metering"
	"rialto/internal/usage"
)

// Metered returns the agent with its calls recorded.
func (f *Agent) Metered() a2a.Agent {
	if f.proxy.Meter == nil {
		return f
	}
	return &meteredAgent{f}
}

// meteredAgent records the calls of an Agent.
type meteredAgent struct{ *Agent }

func (f *meteredAgent) begin(ctx context.Context, method string) usage.Record {
	return f.proxy.Meter.Begin(ctx, usage.A2A, method, f.name)
}

// meteredCall makes and records one call, with in bytes of content. told returns the
// bytes and the state of the answer.
func meteredCall[T any](ctx context.Context, f *meteredAgent, method string, in int, told func(T) (bytes int, _ a2a.State), call func() (T, error)) (answer T, err error) {
	u := f.begin(ctx, method)
	u.BytesIn, err = int64(in), metering.ErrPanicked
	defer func() {
		var state a2a.State
		if err == nil {
			var out int
			out, state = told(answer)
			u.BytesOut = int64(out)
		}
		u.Outcome = metering.OutcomeWith(ctx, err, state)
		f.proxy.Meter.End(u)
	}()
	return call()
}

// Send implements a2a.Agent.
func (f *meteredAgent) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	return meteredCall(ctx, f, "SendMessage", sizeOfRequest(req), toldByEvent, func() (a2a.Event, error) { return f.Agent.Send(ctx, req) })
}

func sizeOfRequest(req *a2a.SendRequest) int {
	if req == nil || req.Message == nil {
		return 0
	}
	return ledger.PartsSize(req.Message.Parts)
}

// Stream implements a2a.Agent. The call ends with the stream.
func (f *meteredAgent) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return f.counted(ctx, "SendStreamingMessage", sizeOfRequest(req), f.Agent.Stream(ctx, req))
}

// Subscribe implements a2a.Agent. The call ends with the stream.
func (f *meteredAgent) Subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return f.counted(ctx, "SubscribeToTask", 0, f.Agent.Subscribe(ctx, id))
}

func (f *meteredAgent) counted(ctx context.Context, method string, in int, events iter.Seq2[a2a.Event, error]) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		u, failed := f.begin(ctx, method), metering.ErrPanicked
		var last a2a.Event
		u.BytesIn = int64(in)
		defer func() {
			if failed == nil && endsStream(last) {
				ctx = context.WithoutCancel(ctx) // the caller had everything when it left
			}
			_, state := toldByEvent(last)
			u.Outcome = metering.OutcomeWith(ctx, failed, state)
			f.proxy.Meter.End(u)
		}()
		for e, err := range events {
			u.BytesOut += int64(ledger.ContentSize(e))
			if last, failed = e, err; !yield(e, err) {
				return
			}
		}
		if failed == metering.ErrPanicked { // there was no event
			failed = nil
		}
	}
}

func endsStream(e a2a.Event) bool {
	_, message := e.(*a2a.Message)
	_, state := toldByEvent(e)
	return message || state.Idle()
}

// toldByEvent returns the size of an event and its state.
func toldByEvent(e a2a.Event) (bytes int, state a2a.State) {
	switch e := e.(type) {
	case nil:
		return 0, ""
	case *a2a.Task:
		state = e.Status.State
	case *a2a.StatusUpdate:
		state = e.Status.State
	}
	return ledger.ContentSize(e), state
}

// Task implements a2a.Agent.
func (f *meteredAgent) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return meteredCall(ctx, f, "GetTask", 0, toldByTask, func() (*a2a.Task, error) { return f.Agent.Task(ctx, q) })
}

// Cancel implements a2a.Agent.
func (f *meteredAgent) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return meteredCall(ctx, f, "CancelTask", 0, toldByTask, func() (*a2a.Task, error) { return f.Agent.Cancel(ctx, id) })
}

func toldByTask(t *a2a.Task) (int, a2a.State) { return toldByEvent(t) }

// Tasks implements a2a.Lister.
func (f *meteredAgent) Tasks(ctx context.Context, q a2a.TaskFilter) (*a2a.TaskPage, error) {
	return meteredCall(ctx, f, "ListTasks", 0, toldByPage, func() (*a2a.TaskPage, error) { return f.Agent.Tasks(ctx, q) })
}

func toldByPage(p *a2a.TaskPage) (bytes int, _ a2a.State) {
	for i := range p.Tasks {
		bytes += ledger.ContentSize(p.Tasks[i])
	}
	return bytes, ""
}

func nothing[T any](T) (int, a2a.State) { return 0, "" }

// SetPush implements a2a.Pusher.
func (f *meteredAgent) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	return meteredCall(ctx, f, "CreateTaskPushNotificationConfig", 0, nothing, func() (*a2a.PushConfig, error) { return f.Agent.SetPush(ctx, c) })
}

// Push implements a2a.Pusher.
func (f *meteredAgent) Push(ctx context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
	return meteredCall(ctx, f, "GetTaskPushNotificationConfig", 0, nothing, func() (*a2a.PushConfig, error) { return f.Agent.Push(ctx, task, id) })
}

// Pushes implements a2a.Pusher.
func (f *meteredAgent) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	return meteredCall(ctx, f, "ListTaskPushNotificationConfigs", 0, nothing, func() ([]*a2a.PushConfig, error) { return f.Agent.Pushes(ctx, task) })
}

// DropPush implements a2a.Pusher.
func (f *meteredAgent) DropPush(ctx context.Context, task a2a.TaskID, id string) error {
	_, err := meteredCall(ctx, f, "DeleteTaskPushNotificationConfig", 0, nothing, func() (struct{}, error) { return struct{}{}, f.Agent.DropPush(ctx, task, id) })
	return err
}
