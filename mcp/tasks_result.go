package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// taskResult answers tasks/result of 2025-11-25: it waits for the task to end, and asks
// the client the task's questions meanwhile.
func (r *request) taskResult() (json.RawMessage, error) {
	call := r.Begin(0, false) // it may end with the client: nothing is lost
	defer call.End()
	t, err := r.s.Tasks.Task(call, r.Principal, r.Params.Other().TaskID)
	for err == nil && !t.shownTo(r.Client).Status.Final() {
		if err = r.elicitForTask(call, t); err == nil {
			t, err = r.s.Tasks.Next(call, r.Principal, t.ID, t.Updated)
		}
	}

	switch {
	case call.Cancelled():
		return nil, r.Cancelled()
	case call.Err() != nil:
		return nil, jsonrpc.Errorf(wire.CodeServer, "the task has not ended yet, ask again")
	case err != nil:
		return nil, taskError(err)
	}

	return t.shownTo(r.Client).outcome(r.Client.Revision, r.identity.info)
}

// elicitForTask asks the client the task's questions. If the client cannot be asked, or
// does not answer, the task keeps waiting.
func (r *request) elicitForTask(ctx context.Context, t *Task) error {
	a := &elicitor{r: r}
	if t.Status != InputRequired || a.refused(t.Questions) != nil {
		return nil
	}
	for _, q := range t.Questions {
		answer, err := a.elicitAndWait(ctx, q.relatedTo(t.ID))
		if errors.Is(err, ErrNoAnswer) {
			return nil
		}
		if err != nil {
			return err
		}
		err = r.s.Tasks.AnswerTask(
			ctx,
			r.Principal,
			t.ID,
			map[string]json.RawMessage{q.key: answer.Raw},
		)
		if err != nil {
			return err
		}
	}

	return nil
}

// relatedTo returns the question as one that a task depends on: "an elicitation that a
// task-augmented tool call depends on MUST share the same related task ID with that tool
// call's task" (2025-11-25, "Associating Task-Related Messages").
func (q Question) relatedTo(task string) Question {
	var params, meta map[string]json.RawMessage
	if json.Unmarshal(q.params, &params) != nil || params == nil {
		return q
	}

	_ = json.Unmarshal(params["_meta"], &meta) // usually absent
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}

	meta[gomcp.RelatedTaskMetaKey] = fmt.Appendf(nil, `{"taskId":%s}`, quoted(task))
	params["_meta"], _ = json.Marshal(meta) // it has been read from JSON
	q.params, _ = json.Marshal(params)
	return q
}

// outcome returns what the call would have returned without a task.
func (t *Task) outcome(rev string, info json.RawMessage) (json.RawMessage, error) {
	switch t.Status {
	case Failed:
		return nil, t.failure()
	case Cancelled:
		return nil, jsonrpc.Errorf(wire.CodeServer, "the task was cancelled")
	}

	result := *t.result()
	result.Meta = maps.Clone(result.Meta)
	if result.Meta == nil {
		result.Meta = map[string]any{}
	}

	result.Meta[gomcp.RelatedTaskMetaKey] = map[string]string{"taskId": t.ID}
	return result.render(rev, info)
}
