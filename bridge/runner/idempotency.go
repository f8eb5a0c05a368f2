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
	handle, err := r.Ledger.TaskByDigest(ctx, owner, agent, digest, r.Now())
	if err != nil || handle == "" {
		return nil, err
	}
	return r.duplicateOf(handle), nil
}

// duplicateOf returns the message that has started or continued a task.
func (r *Runner) duplicateOf(handle string) *Sent {
	return &Sent{
		Handle:    handle,
		Duplicate: true,
		runner:    r,
		follower:  r.live.get(handle),
	}
}

// forgetDigest lets a message be sent again that certainly has started nothing. Otherwise
// its repetition finds the failed task.
func (f *Follower) forgetDigest(err error) {
	if f.record.Digest == "" || !ledger.Refused(err) {
		return
	}
	ctx, cancel := f.r.writeContext()
	defer cancel()
	if err := f.r.Ledger.ForgetDigest(ctx, f.record); err != nil {
		f.r.Log.Error("forgetting a message that was refused", "task", f.record.Handle, "err", err)
	}
}
