package tools

import (
	"context"
	"errors"
	"fmt"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/internal/dberr"
	"rialto/mcp"
)

// errorTexts tell the model what to do about errors. The first that fits counts.
var errorTexts = []struct {
	err  error
	text string
}{
	{
		ledger.ErrNoTask,
		"There is no such task. Use the task_id of a send_task result of this same user; " +
			"tasks of others cannot be seen.",
	},
	{
		documents.ErrNotShareable,
		"This can be shared when its task has ended. Wait for it with get_task, or cancel it.",
	},
	{documents.ErrTooManyShares, fmt.Sprintf("The user shares %d documents already. "+
		"They can end some links on the documents' pages.", documents.MostShares)},
	{ledger.ErrTooManyTasks, "You have too many tasks running (limits.tasks_per_user). " +
		"Wait for some of them to finish, or cancel them: list_tasks shows them."},
	{ledger.ErrTaskBusy, "The task is still working and takes no message now. " +
		"Call get_task with its task_id until it asks for input or ends."},
	{ledger.ErrTaskEnded, "The task has ended and takes no answer. Call get_task for its result."},
}

// errorResult is the one place where an error becomes a result. Errors that the model
// cannot act on are returned for the log.
func (t *Tools) errorResult(ctx context.Context, err error) (*mcp.Result, error) {
	var input ledger.InputError
	var down directory.Unreachable
	var agent *a2a.Error
	var left runner.ErrNotRecorded
	var away *dberr.Error
	switch {
	case errors.As(err, &left):
		return mcp.ErrorResult(
			"The message was sent, but its task could not be recorded, so the agent is asked to stop it and there will be no result. " +
				"Before you send it again, find out what the agent has done already.",
		), nil
	case errors.As(err, &input):
		return mcp.ErrorResult(input.Text), nil
	case errors.As(err, &down):
		return mcp.ErrorResult(
			down.Error() + " Try again later, or choose another agent with list_agents.",
		), nil
	}

	for _, known := range errorTexts {
		if errors.Is(err, known.err) {
			return mcp.ErrorResult(known.text), nil
		}
	}

	switch {
	case errors.As(err, &away):
		t.Runner.Log.ErrorContext(ctx, "a tool failed", "err", err)
		return mcp.ErrorResult(away.Text() + " (code " + string(a2a.Unavailable) + ")"), nil
	case errors.As(err, &agent):
		return mcp.ErrorResult(
			fmt.Sprintf(
				"%s (code %s)",
				sanitize.Short(ledger.WithoutAddresses(agent, err.Error()), ledger.MaxReason),
				agent.Code,
			),
		), nil
	}

	return nil, err
}
