package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// Tasks have two forms. In 2025-11-25 they are a part of the core: the client asks for a task, and
// waits for its result with tasks/result (2025-11-25, basic/utilities/tasks); tasks/list is
// optional and not served, because a client knows its own tasks. Since 2026-07-28 they are an
// extension: the server decides to begin a task, and tasks/get carries the result.

// aboutTask returns a method that refuses clients that did not declare the extension, and tells the
// observers of the task.
func aboutTask(m method) method {
	if m == nil {
		return nil
	}
	return func(r *request) (result json.RawMessage, err error) {
		if r.Modern() && !r.takesTask() {
			err = errTasksUndeclared()
		} else {
			result, err = m(r)
		}
		o := &r.observed
		o.Task = &TaskCall{ID: r.Params.Other().TaskID}
		o.Size = len(result)
		o.Err = err
		o.Canceled = errors.Is(r.HTTP.Context().Err(), context.Canceled)
		return result, err
	}
}

// errTasksUndeclared is the error for a client that did not declare the extension.
func errTasksUndeclared() *Error {
	return MissingCapability(json.RawMessage(`{"extensions":{"` + TasksExtension + `":{}}}`))
}

// takesTask tells whether the client takes a task instead of a result: because it
// declared the extension, or, in 2025-11-25, because it asked for a task.
func (r *request) takesTask() bool {
	switch {
	case r.s.Tasks == nil:
		return false
	case r.Modern():
		return r.Client.Extends(TasksExtension)
	}
	return revision.HasCoreTasks(r.Client.Revision) && len(r.Params.Other().Task) > 0
}

// refuseTask returns the error of a call that the tool's TaskSupport forbids.
func (r *request) refuseTask(t *tool) error {
	takes := r.takesTask()
	switch {
	case t.Tasks == TasksRequired && !takes && r.Modern():
		return errTasksUndeclared()
	case t.Tasks == TasksRequired && !takes:
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "%s can only be called as a task", t.Name)
	case t.Tasks == NoTasks && takes && !r.Modern():
		return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "%s cannot be called as a task", t.Name)
	case takes && !r.Modern() && r.Params.Other().Task[0] != '{':
		return wire.InvalidParams("\"task\" must be an object, for example {\"ttl\":60000}")
	}

	return nil
}

func (r *request) task() (*Task, error) {
	t, err := r.s.Tasks.Task(r.HTTP.Context(), r.Principal, r.Params.Other().TaskID)
	if err != nil {
		return nil, taskError(err)
	}
	return t.shownTo(r.Client), nil
}

func taskError(err error) error {
	if errors.Is(err, ErrNoTask) {
		return wire.InvalidParams("there is no such task, or not any more")
	}
	return err
}

// created returns the result of a call that began a task. A client that takes results
// as well gets the result, if the task has ended.
func (r *request) created(begun *Task) (json.RawMessage, error) {
	switch t := begun.shownTo(r.Client); {
	case !r.takesTask():
		return nil, errTasksUndeclared()
	case r.Modern() && t.Status == Completed:
		return t.result().render(r.Client.Revision, r.identity.info)
	case r.Modern():
		b := t.append([]byte(`{"resultType":"task",`), "ttlMs", "pollIntervalMs")
		b, err := appendMeta(b, t.immediateResponse(), r.Client.Revision, r.identity.info)
		return append(b, '}'), err
	default: // "Tasks MUST begin in the `working` status when created" (2025-11-25, "Task Status Lifecycle")
		begins := *t
		begins.Status = Working
		b := append(begins.append([]byte(`{"task":{`), "ttl", "pollInterval"), '}')
		b, err := appendMeta(b, t.immediateResponse(), r.Client.Revision, nil)
		return append(b, '}'), err
	}
}

func (t *Task) immediateResponse() map[string]any {
	if t.ImmediateResponse == "" {
		return nil
	}
	return map[string]any{"io.modelcontextprotocol/model-immediate-response": t.ImmediateResponse}
}

// withoutTask answers a call with a result and no task. A client of 2025-11-25 that
// asked for a task reads nothing else, so the reason has to be an error.
func (r *request) withoutTask(result *Result, code int) (json.RawMessage, error) {
	r.observed.ToolError = result.IsError
	if !result.IsError || r.Modern() || !r.takesTask() {
		return result.render(r.Client.Revision, r.identity.info)
	}
	return nil, jsonrpc.Errorf(code, "%s", result.text())
}
