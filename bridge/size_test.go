package bridge_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"rialto/a2a"
	"rialto/internal/raced"
)

// Agents that send more and more in places that are not shown.
func TestATaskIsBoundedInAllThatItsAgentSays(t *testing.T) {
	raced.Skip(t)
	const steps = 40
	much := strings.Repeat("x", 1<<20)
	artifact := func(a a2a.Artifact) a2a.Event { return &a2a.ArtifactUpdate{TaskID: "t", Artifact: a, Append: true} }
	for name, step := range map[string]func(name string) a2a.Event{
		"metadata of a task": func(name string) a2a.Event {
			return &a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working}, Metadata: a2a.Metadata{name: much}}
		},
		"metadata of artifacts": func(name string) a2a.Event {
			return artifact(a2a.Artifact{ID: name, Metadata: a2a.Metadata{"k": []any{map[string]any{"l": much}}}})
		},
		"metadata of parts": func(string) a2a.Event {
			return artifact(a2a.Artifact{ID: "a", Parts: []a2a.Part{{Content: a2a.Text("x"), Metadata: a2a.Metadata{"k": much}}}})
		},
		"metadata of messages": func(name string) a2a.Event {
			said := &a2a.Message{ID: name, Parts: []a2a.Part{a2a.TextPart("x")}, Metadata: a2a.Metadata{"k": much}}
			return &a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working, Message: said}}
		},
		"descriptions": func(name string) a2a.Event { return artifact(a2a.Artifact{ID: name, Description: much}) },
	} {
		t.Run(name, func(t *testing.T) {
			var said atomic.Int64 // by the follower, which may still be on its way out
			agent := &scripted{answer: func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
				return func(more func(a2a.Event, error) bool) {
					next := more(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}}, nil)
					for ; next && said.Load() < steps; said.Add(1) {
						next = more(step(fmt.Sprint(said.Load())), nil)
					}
				}
			}}
			r := newRig(t, "", map[string]peer{"one": {agent, &a2a.Card{}}})
			if got := r.call("send_task", `{"message":"go"}`); got.Error == nil || !strings.Contains(got.Error.Message, "more than 16 MiB") || said.Load() > 17 {
				t.Errorf("after %d MiB it got %+v", said.Load(), got.Error)
			}
		})
	}
}
