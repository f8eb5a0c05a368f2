package mcp

import "encoding/json"

// updateTask answers tasks/update, which brings answers to a task's questions.
func (r *request) updateTask() (json.RawMessage, error) {
	p := r.Params.Other()
	if err := r.s.Tasks.AnswerTask(
		r.HTTP.Context(),
		r.Principal,
		p.TaskID,
		p.InputResponses,
	); err != nil {
		return nil, taskError(err)
	}

	return r.empty(), nil
}
