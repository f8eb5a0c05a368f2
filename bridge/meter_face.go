package bridge

import (
	"context"
	"iter"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
)

// Metered returns a face whose calls are reported.
func (f *Face) Metered() a2a.Agent {
	if f.bridge.Meter == nil {
		return f
	}
	return &meteredFace{f}
}

// meteredFace reports the calls of a face. What it does not name is the face's.
type meteredFace struct{ *Face }

func (f *meteredFace) begin(ctx context.Context, method string) usage.Record {
	return f.bridge.meter(ctx, usage.A2A, method, f.agent)
}

// meteredCall makes one call of a face, with in bytes of content, and reports it, with
// the bytes of its answer and the state that this tells of.
func meteredCall[T any](ctx context.Context, f *meteredFace, method string, in int, told func(T) (bytes int, _ a2a.State), call func() (T, error)) (answer T, err error) {
	u := f.begin(ctx, method)
	u.BytesIn, err = int64(in), errCrashed
	defer func() {
		var state a2a.State
		if err == nil {
			var out int
			out, state = told(answer)
			u.BytesOut = int64(out)
		}
		u.Outcome = outcomeWith(ctx, err, state)
		f.bridge.report(u)
	}()
	return call()
}

// outcomeWith tells how a call ended whose answer told of a state.
func outcomeWith(ctx context.Context, err error, state a2a.State) usage.Outcome {
	o := outcome(ctx, err)
	if o == usage.OK && Bad(state) {
		return usage.Failed
	}
	return o
}

// Bad tells of which states a task did not do what it should.
func Bad(state a2a.State) bool { return endCodes[state] != "" && state != a2a.Canceled }

// Send implements a2a.Agent.
func (f *meteredFace) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	return meteredCall(ctx, f, "SendMessage", sizeOfRequest(req), toldByEvent, func() (a2a.Event, error) { return f.Face.Send(ctx, req) })
}

func sizeOfRequest(req *a2a.SendRequest) int {
	if req == nil || req.Message == nil {
		return 0
	}
	return ledger.PartsSize(req.Message.Parts)
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
		u, failed := f.begin(ctx, method), errCrashed
		var last a2a.Event
		u.BytesIn = int64(in)
		defer func() {
			if failed == nil && endsStream(last) {
				ctx = context.WithoutCancel(ctx) // whoever left had seen all of it
			}
			_, state := toldByEvent(last)
			u.Outcome = outcomeWith(ctx, failed, state)
			f.bridge.report(u)
		}()
		for e, err := range events {
			u.BytesOut += int64(ledger.ContentSize(e))
			if last, failed = e, err; !yield(e, err) {
				return
			}
		}
		if failed == errCrashed { // there was no event
			failed = nil
		}
	}
}

// endsStream tells whether nothing comes in a stream after an event.
func endsStream(e a2a.Event) bool {
	_, message := e.(*a2a.Message)
	_, state := toldByEvent(e)
	return message || state.Idle()
}

// toldByEvent returns how much an event says, and of which state.
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
func (f *meteredFace) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return meteredCall(ctx, f, "GetTask", 0, toldByTask, func() (*a2a.Task, error) { return f.Face.Task(ctx, q) })
}

// Cancel implements a2a.Agent.
func (f *meteredFace) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return meteredCall(ctx, f, "CancelTask", 0, toldByTask, func() (*a2a.Task, error) { return f.Face.Cancel(ctx, id) })
}

func toldByTask(t *a2a.Task) (int, a2a.State) { return toldByEvent(t) }

// Tasks implements a2a.Lister.
func (f *meteredFace) Tasks(ctx context.Context, q a2a.TaskFilter) (*a2a.TaskPage, error) {
	return meteredCall(ctx, f, "ListTasks", 0, toldByPage, func() (*a2a.TaskPage, error) { return f.Face.Tasks(ctx, q) })
}

func toldByPage(p *a2a.TaskPage) (bytes int, _ a2a.State) {
	for i := range p.Tasks {
		bytes += ledger.ContentSize(p.Tasks[i])
	}
	return bytes, ""
}

func nothing[T any](T) (int, a2a.State) { return 0, "" }

// SetPush implements a2a.Pusher.
func (f *meteredFace) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	return meteredCall(ctx, f, "CreateTaskPushNotificationConfig", 0, nothing, func() (*a2a.PushConfig, error) { return f.Face.SetPush(ctx, c) })
}

// Push implements a2a.Pusher.
func (f *meteredFace) Push(ctx context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
	return meteredCall(ctx, f, "GetTaskPushNotificationConfig", 0, nothing, func() (*a2a.PushConfig, error) { return f.Face.Push(ctx, task, id) })
}

// Pushes implements a2a.Pusher.
func (f *meteredFace) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	return meteredCall(ctx, f, "ListTaskPushNotificationConfigs", 0, nothing, func() ([]*a2a.PushConfig, error) { return f.Face.Pushes(ctx, task) })
}

// DropPush implements a2a.Pusher.
func (f *meteredFace) DropPush(ctx context.Context, task a2a.TaskID, id string) error {
	_, err := meteredCall(ctx, f, "DeleteTaskPushNotificationConfig", 0, nothing, func() (struct{}, error) { return struct{}{}, f.Face.DropPush(ctx, task, id) })
	return err
}
