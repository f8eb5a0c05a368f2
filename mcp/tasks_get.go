package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// taskMethod returns what answers a method about tasks, nil if there is none
// in the request's era.
func (x *exchange) taskMethod() func() (json.RawMessage, error) {
	if x.s.Tasks == nil {
		return nil
	}
	method := x.methodOfTasks()
	if method == nil || x.s.TaskCalled == nil {
		return method
	}
	return func() (json.RawMessage, error) {
		c := TaskCall{Method: x.req.Method, Principal: x.principal, Task: x.params.other().TaskID, Began: x.s.now()}
		result, err := method()
		c.Out, c.Err = len(result), err
		x.s.TaskCalled(x.r.Context(), c)
		return result, err
	}
}

// TaskCall is a request about a task.
type TaskCall struct {
	Method, Principal string
	Task              string // as the client names it
	Began             time.Time
	Out               int // bytes of the answer
	Err               error
}

func (x *exchange) methodOfTasks() func() (json.RawMessage, error) {
	switch {
	case x.client.Revision == Revision20251125:
		return x.earlierTaskMethod()
	case !modern(x.client.Revision):
		return nil
	}
	switch x.req.Method {
	case "tasks/get":
		return x.declared(x.getTask)
	case "tasks/update":
		return x.declared(x.updateTask)
	case "tasks/cancel":
		return x.declared(x.cancelTask)
	}
	return nil
}

// declared refuses clients that did not declare the extension.
func (x *exchange) declared(method func() (json.RawMessage, error)) func() (json.RawMessage, error) {
	return func() (json.RawMessage, error) {
		if !x.takesTask() {
			return nil, errTasksUndeclared()
		}
		return method()
	}
}

// getTask answers tasks/get.
func (x *exchange) getTask() (json.RawMessage, error) {
	t, err := x.s.Tasks.Task(x.r.Context(), x.principal, x.params.other().TaskID)
	if err != nil {
		return nil, taskError(err)
	}
	b, err := x.shown(t).detailed([]byte(`{"resultType":"complete",`), x.s.ready.info)
	if err != nil {
		return nil, err
	}
	b = append(append(b, `,"_meta":{"`+gomcp.MetaKeyServerInfo+`":`...), x.s.ready.info...)
	return append(b, "}}"...), nil
}

// updateTask answers tasks/update, which brings answers to a task's questions.
func (x *exchange) updateTask() (json.RawMessage, error) {
	err := x.s.Tasks.AnswerTask(x.r.Context(), x.principal, x.params.other().TaskID, x.params.other().InputResponses)
	if err != nil {
		return nil, taskError(err)
	}
	return x.empty(), nil
}

// cancelTask answers tasks/cancel. That is all it says: a client sees by
// tasks/get whether it has ended.
func (x *exchange) cancelTask() (json.RawMessage, error) {
	if err := x.s.Tasks.CancelTask(x.r.Context(), x.principal, x.params.other().TaskID); err != nil {
		return nil, taskError(err)
	}
	return x.empty(), nil
}

// empty returns the result that says nothing.
func (x *exchange) empty() json.RawMessage {
	if !modern(x.client.Revision) {
		return json.RawMessage("{}")
	}
	return json.RawMessage(`{"resultType":"complete","_meta":{"` + gomcp.MetaKeyServerInfo + `":` + string(x.s.ready.info) + "}}")
}

func taskError(err error) error {
	if errors.Is(err, ErrNoTask) {
		return invalidParams("there is no such task, or not any more")
	}
	return err
}

// followTask sends the task whenever it changes, beginning with how it stands,
// until it has ended.
func (x *exchange) followTask(ctx context.Context, t *Task, send func(method string, params []byte)) {
	for {
		t = x.shown(t)
		b, err := t.detailed(nil, x.s.ready.info)
		if err != nil {
			x.s.log().Error("task cannot be shown", "task", t.ID, "err", err)
			return
		}
		send("notifications/tasks", b)
		if t.Status.Final() {
			return
		}
		if t, err = x.s.Tasks.Next(ctx, x.principal, t.ID, t.Updated); err != nil {
			if ctx.Err() == nil && !errors.Is(err, ErrNoTask) {
				x.s.log().Error("task cannot be followed", "err", err)
			}
			return
		}
	}
}
