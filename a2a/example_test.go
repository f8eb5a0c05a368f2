package a2a_test

import (
	"fmt"

	"rialto/a2a"
)

// A task is kept up to date with the events of a stream.
func ExampleTask_Apply() {
	task := &a2a.Task{ID: "t1", Status: a2a.Status{State: a2a.Submitted}}
	for _, event := range []a2a.Event{
		&a2a.StatusUpdate{TaskID: "t1", Status: a2a.Status{State: a2a.Working}},
		&a2a.ArtifactUpdate{TaskID: "t1", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("Hello, ")}}},
		&a2a.ArtifactUpdate{TaskID: "t1", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("world.")}}, Append: true},
		&a2a.StatusUpdate{TaskID: "t1", Status: a2a.Status{State: a2a.Completed}},
	} {
		task.Apply(event)
	}
	fmt.Println(task.Status.State)
	for _, part := range task.Artifacts[0].Parts {
		fmt.Print(part.Content)
	}
	// Output:
	// completed
	// Hello, world.
}

// Errors of a remote agent and our own have a code to act on.
func ExampleIs() {
	err := fmt.Errorf("sending: %w", a2a.Errorf(a2a.TaskNotFound, "there is no task t1"))
	fmt.Println(a2a.Is(err, a2a.TaskNotFound))
	fmt.Println(err)
	// Output:
	// true
	// sending: there is no task t1
}
