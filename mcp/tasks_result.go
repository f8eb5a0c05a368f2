package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// Tasks as revision 2025-11-25 had them, where they were in the core: the
// client asks for one, and waits for its result with tasks/result (2025-11-25,
// basic/utilities/tasks). There is no tasks/list: the server need not offer it,
// and a client knows its own.

func (x *exchange) earlierTaskMethod() func() (json.RawMessage, error) {
	switch x.req.Method {
	case "tasks/get":
		return x.getEarlierTask
	case "tasks/result":
		return x.taskResult
	case "tasks/cancel":
		return x.cancelEarlierTask
	}
	return nil
}

func (x *exchange) getEarlierTask() (json.RawMessage, error) {
	t, err := x.s.Tasks.Task(x.r.Context(), x.principal, x.params.other().TaskID)
	if err != nil {
		return nil, taskError(err)
	}
	return append(earlier(x.shown(t)).append([]byte("{"), "ttl", "pollInterval"), '}'), nil
}

// earlier returns the task with the status that it had in 2025-11-25: one whose result
// is an error has failed ("Task Execution Errors"), and there is that result still.
func earlier(t *Task) *Task {
	if t.Status != Completed || !t.result().IsError {
		return t
	}
	failed := *t
	failed.Status = Failed
	return &failed
}

// noTask answers a call for a task that did not come to one. A client that asked for a
// task reads nothing else, so that why there is none has to be an error.
func (x *exchange) noTask(r *Result, code int) (json.RawMessage, error) {
	if !r.IsError || modern(x.client.Revision) || !x.takesTask() {
		return r.render(x.client.Revision, x.s.ready.info)
	}
	return nil, jsonrpc.Errorf(code, "%s", r.words())
}

// cancelEarlierTask refuses tasks that have ended, as it then had to.
func (x *exchange) cancelEarlierTask() (json.RawMessage, error) {
	t, err := x.s.Tasks.Task(x.r.Context(), x.principal, x.params.other().TaskID)
	switch {
	case err != nil:
		return nil, taskError(err)
	case t.Status.Final():
		return nil, invalidParams("the task has ended: it is %s", earlier(t).Status)
	}
	if err := x.s.Tasks.CancelTask(x.r.Context(), x.principal, t.ID); err != nil {
		return nil, taskError(err)
	}
	return x.getEarlierTask()
}

// taskResult answers tasks/result: it waits for the task to end, and asks the
// client what the task asks meanwhile.
func (x *exchange) taskResult() (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(x.r.Context(), x.limit()) // it ends with the client: nothing is lost
	defer cancel()
	c := x.cancellable(cancel)
	defer x.s.running.remove(c)
	x.answer.keepAlive()
	t, err := x.s.Tasks.Task(ctx, x.principal, x.params.other().TaskID)
	for err == nil && !x.shown(t).Status.Final() {
		if err = x.askForTask(ctx, t); err == nil {
			t, err = x.s.Tasks.Next(ctx, x.principal, t.ID, t.Updated)
		}
	}
	switch {
	case c.wasCancelled():
		return nil, x.cancelled()
	case ctx.Err() != nil:
		return nil, jsonrpc.Errorf(codeServer, "the task has not ended yet, ask again")
	case err != nil:
		return nil, taskError(err)
	}
	return x.outcome(x.shown(t))
}

// askForTask asks the client the task's questions. A client that cannot be
// asked, or does not answer, leaves the task waiting.
func (x *exchange) askForTask(ctx context.Context, t *Task) error {
	a := &asker{x: x}
	if t.Status != InputRequired || a.refused(t.Questions) != nil {
		return nil
	}
	for _, q := range t.Questions {
		answer, err := x.askNow(ctx, q.about(t.ID))
		if errors.Is(err, ErrNoAnswer) {
			return nil
		}
		if err != nil {
			return err
		}
		err = x.s.Tasks.AnswerTask(ctx, x.principal, t.ID, map[string]json.RawMessage{q.key: answer.Raw})
		if err != nil {
			return err
		}
	}
	return nil
}

// about returns the question as one that a task depends on: "an elicitation that a
// task-augmented tool call depends on MUST share the same related task ID with that tool
// call's task" (2025-11-25, "Associating Task-Related Messages").
func (q Question) about(task string) Question {
	var params, about map[string]json.RawMessage
	if json.Unmarshal(q.params, &params) != nil || params == nil {
		return q
	}
	_ = json.Unmarshal(params["_meta"], &about) // mostly there is none
	if about == nil {
		about = map[string]json.RawMessage{}
	}
	about[gomcp.RelatedTaskMetaKey] = append(jsonrpc.AppendString([]byte(`{"taskId":`), task), '}')
	params["_meta"], _ = json.Marshal(about) // it has been read from JSON
	q.params, _ = json.Marshal(params)
	return q
}

// outcome returns what the call would have, had it been no task.
func (x *exchange) outcome(t *Task) (json.RawMessage, error) {
	switch t.Status {
	case Failed:
		return nil, t.failure()
	case Cancelled:
		return nil, jsonrpc.Errorf(codeServer, "the task was cancelled")
	}
	result := *t.result()
	result.Meta = maps.Clone(result.Meta)
	if result.Meta == nil {
		result.Meta = map[string]any{}
	}
	result.Meta[gomcp.RelatedTaskMetaKey] = map[string]string{"taskId": t.ID}
	return result.render(x.client.Revision, x.s.ready.info)
}
