package bridge_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"rialto/a2a"
)

// TestAListOfTasksHasOneClock lists tasks of an agent whose clock is an hour ahead at first, and is set
// then. A caller that asks for what came after the latest task that it has seen missed all later ones,
// and the list was not sorted by the times in it.
func TestAListOfTasksHasOneClock(t *testing.T) {
	ahead := time.Hour
	agent := &scripted{answer: func(_ context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		at := time.Now().Add(ahead)
		return yield(&a2a.Task{ID: a2a.TaskID(req.Message.ID), Status: a2a.Status{State: a2a.Completed, Timestamp: at}})
	}}
	f := faceOf(t, peer{agent, &a2a.Card{Name: "Ahead", Capabilities: a2a.Capabilities{Streaming: true}}})
	list := func(since time.Time) []*a2a.Task {
		page, err := f.Tasks(t.Context(), a2a.TaskFilter{Since: since})
		if err != nil {
			t.Fatal(err)
		}
		return page.Tasks
	}
	sent(t, f, t.Context(), say("first"))
	seen := list(time.Time{})[0].Status.Timestamp
	ahead = 0
	second := sent(t, f, t.Context(), say("second"))
	all := list(time.Time{})
	if len(all) != 2 || all[0].Status.Timestamp.Before(all[1].Status.Timestamp) {
		t.Errorf("got %+v, want the latest first", all)
	}
	if later := list(seen.Add(time.Millisecond)); len(later) != 1 || later[0].ID != second.ID {
		t.Errorf("after the first task: got %+v, want the second", later)
	}
	one, err := f.Task(t.Context(), a2a.TaskQuery{ID: second.ID})
	if err != nil || !one.Status.Timestamp.Equal(all[0].Status.Timestamp) {
		t.Errorf("got %v of the task, %v, and %v in the list", one.Status.Timestamp, err, all[0].Status.Timestamp)
	}
}
