package a2aexec_test

import (
	"context"
	"fmt"
	"strings"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

// An Executor makes an a2a.Agent of a function. a2aserver serves it.
func ExampleExecutor() {
	shout := &a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		text := strings.ToUpper(turn.Message.Text())
		turn.Artifact(a2a.Artifact{ID: "answer", Parts: []a2a.Part{a2a.TextPart(text)}})
		return nil
	}}
	defer shout.Close()
	hello := &a2a.Message{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hello")}}
	event, err := shout.Send(context.Background(), &a2a.SendRequest{Message: hello})
	if err != nil {
		fmt.Println(err)
		return
	}
	task := event.(*a2a.Task)
	fmt.Println(task.Status.State, task.Artifacts[0].Text())
	// Output: completed HELLO
}
