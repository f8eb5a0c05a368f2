package mcp

import (
	"encoding/json"

	"rialto/mcp/internal/wire"
)

// cancelTask answers tasks/cancel. The result is empty: a client learns with tasks/get
// whether the task has ended.
func (r *request) cancelTask() (json.RawMessage, error) {
	if err := r.s.Tasks.CancelTask(
		r.HTTP.Context(), r.Principal, r.Params.Other().TaskID,
	); err != nil {
		return nil, taskError(err)
	}
	return r.empty(), nil
}

// cancelCoreTask answers tasks/cancel in 2025-11-25, which refuses tasks that have
// ended and returns the task.
func (r *request) cancelCoreTask() (json.RawMessage, error) {
	t, err := r.s.Tasks.Task(r.HTTP.Context(), r.Principal, r.Params.Other().TaskID)
	switch {
	case err != nil:
		return nil, taskError(err)
	case t.Status.Final():
		return nil, wire.InvalidParams("the task has ended: it is %s", t.asCore().Status)
	}

	if err := r.s.Tasks.CancelTask(r.HTTP.Context(), r.Principal, t.ID); err != nil {
		return nil, taskError(err)
	}

	return r.getCoreTask()
}
