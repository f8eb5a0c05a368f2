package runner

import (
	"context"
	"errors"
	"rialto/bridge/ledger"
)

// LeaveUnanswered notes that a client has returned the question of the paused task e without an
// answer; how is "decline" or "cancel". The task keeps waiting. If the task has left that pause,
// nothing changes.
func (r *Runner) LeaveUnanswered(ctx context.Context, e *ledger.Record, how string) error {
	if !e.Idle || !e.State().Interrupted() {
		return nil
	}
	err := r.reopen(ctx, e, e.MessageID)
	if errors.Is(err, ledger.ErrTaskBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	e.Idle = true
	e.MarkUnanswered(how)
	e.Touch(r.Now())
	if err := r.Ledger.SaveTask(ctx, e, r.Replica); err != nil {
		return err
	}
	r.announceChange(e)
	return nil
}
