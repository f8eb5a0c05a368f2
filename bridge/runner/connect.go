package runner

import (
	"context"
	"errors"
	"fmt"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// Owns reports whether the caller owns a task at an agent.
func (r *Runner) Owns(ctx context.Context, access directory.Access, agent, handle string) bool {
	e, err := r.Task(ctx, access, handle)
	return err == nil && e.Agent == agent
}

// Resume continues a task of the caller that waited until they connected its agent. It
// leaves other tasks unchanged. Of several calls, one resumes the task.
func (r *Runner) Resume(ctx context.Context, access directory.Access, agent, handle string) error {
	e, err := r.Task(ctx, access, handle)
	if err != nil {
		return err
	}
	if e.Agent != agent || !e.Idle || e.State() != a2a.AuthRequired {
		return nil
	}

	connected := &Request{
		TaskID:  handle,
		Message: "The user has connected the account.",
		Pause:   e.MessageID,
	}
	sent, err := r.SendRequest(ctx, access, connected)
	if errors.Is(err, ledger.ErrTaskBusy) {
		return nil // it has been resumed
	}
	if err != nil {
		return err
	}

	_, err = sent.Accepted(ctx)
	return err
}

// notTaken returns the error for a message to an existing task that the agent did not take.
func (r *Runner) notTaken(e *ledger.Record, err error) error {
	switch {
	case r.Directory.NeedsConnection(e.Agent, err):
		return r.Directory.NotConnected(
			e.Agent,
			fmt.Sprintf(
				"Task %s stands where it stood; when the user has connected the agent, send the message again.",
				e.Handle,
			),
		)
	case e.State().Terminal():
		return endedError(e)
	case !e.Idle:
		return ledger.InputError{
			Text: fmt.Sprintf(
				"The agent did not take the message: task %s has gone on without it. Call get_task with its task_id.",
				e.Handle,
			),
		}
	}

	if !ledger.Refused(err) {
		return fmt.Errorf(
			"whether the agent received the message is not known. Task %s still stands where it stood; look with get_task before the message is sent again: %w",
			e.Handle, err,
		)
	}

	return fmt.Errorf(
		"the agent did not take the message, and task %s stands where it stood: %w", e.Handle, err,
	)
}
