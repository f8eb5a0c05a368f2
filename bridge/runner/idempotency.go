package runner

import (
	"context"

	"rialto/bridge/ledger"
)

// duplicate returns what owner has sent before with an equal message: a call that is repeated
// because its answer was lost finds its task. It is nil if the message is new.
func (r *Runner) duplicate(ctx context.Context, owner, agent, digest string) (*Sent, error) {
	if digest == "" {
		return nil, nil
	}
	handle, err := r.Ledger.SentTask(ctx, owner, agent, digest, r.Now())
	if err != nil || handle == "" {
		return nil, err
	}
	return r.sentBefore(handle), nil
}

// sentBefore returns the message that has started or continued a task.
func (r *Runner) sentBefore(handle string) *Sent {
	return &Sent{Handle: handle, Duplicate: true, runner: r, follower: r.live.get(handle)}
}

// forgetSent lets a message be sent again that certainly has started nothing. Otherwise
// its repetition finds the failed task.
func (f *Follower) forgetSent(err error) {
	if f.record.Digest == "" || !ledger.Refused(err) {
		return
	}
	ctx, cancel := f.r.writeContext()
	defer cancel()
	if err := f.r.Ledger.ForgetSent(ctx, f.record); err != nil {
		f.r.Log.Error("forgetting a message that was refused", "task", f.record.Handle, "err", err)
	}
}
