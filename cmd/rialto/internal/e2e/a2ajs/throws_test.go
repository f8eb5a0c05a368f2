package a2ajs

import (
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
)

// TestAnExecutorThatThrowsEndsItsTask: the SDKs before 1.0 report it in the same stream, as
// the last status of a task with a new id.
func TestAnExecutorThatThrowsEndsItsTask(t *testing.T) {
	for _, p := range peers() {
		if p.version == "1.3.0" {
			continue
		}
		t.Run(p.String(), func(t *testing.T) {
			s := p.serve(t)
			var task *a2a.Task
			events := 0
			for e, err := range s.Stream(deadline(t), a2atest.Say("throw no such thing")) {
				if err != nil {
					t.Fatal(err)
				}
				events++
				if task == nil {
					task = e.(*a2a.Task).Clone()
				} else {
					task.Apply(e)
				}
			}
			if task == nil || task.Status.State != a2a.Failed || !strings.Contains(task.Status.Message.Text(), "no such thing") || events > 3 {
				t.Errorf("got %d events, the task %+v", events, task)
			}
		})
	}
}
