package bridge_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
)

// TestWritesThatBeginLaterEndLater: writes share the context that ends them in time, and
// one that began after that time would not be written.
func TestWritesThatBeginLaterEndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
			return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}})
		}}
		r := newRig(t, "", map[string]peer{"agent": {agent, &a2a.Card{Name: "Quick"}}})
		for _, pause := range []time.Duration{0, 900 * time.Millisecond, time.Minute, time.Hour} {
			time.Sleep(pause)
			got := r.call("send_task", `{"message":"work"}`)
			got.want(t, a2a.Completed, false)
			r.call("get_task", `{"task_id":"`+got.TaskID+`"}`).want(t, a2a.Completed, false)
		}
	})
}
