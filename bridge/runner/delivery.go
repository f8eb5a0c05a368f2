package runner

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/message"
)

// lastConfirmation is the last of the pauses between looks at a task whose agent may have got
// the message that it shows no sign of. They double from a second: 15 in all.
const lastConfirmation = 8 * time.Second

// mayHaveArrived reports whether a message to a task that exists already can
// have reached the agent although err came back instead of an answer.
func (f *Follower) mayHaveArrived(err error) bool {
	return f.taskID() != "" && err != nil && !ledger.Refused(err)
}

// confirmDelivery looks whether the agent got a message although err came back instead of an
// answer. Many agents show the old question until they have done what the answer asks
// for, so the task is looked at for a while before its owner is told that nobody knows.
func (f *Follower) confirmDelivery(ctx context.Context, err error) {
	f.r.Log.Warn("sending a message", "task", f.record.Handle, "agent", f.record.Agent, "err", err)
	for wait := retryFirst; ; wait *= 2 {
		if !f.unchanged(ctx) {
			return // it is asked how the task stands, as of any other
		}
		if wait > lastConfirmation {
			f.settle(func(e *ledger.Record) { f.sent = err; e.MarkUnconfirmed() })
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// unchanged reports whether the agent shows the task as it was before the message.
func (f *Follower) unchanged(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	t, err := f.conn.Task(ctx, a2a.TaskQuery{ID: f.taskID()})
	if err != nil || !f.answered(t) {
		return false
	}
	return ledger.SameText(f.start.Task.Status.Message, t.Status.Message)
}

// rejected records that the agent did not take the message. A task that it
// would have started has failed, and so has one that it has forgotten; another
// that it would have continued stands where it stood, or where it has gone meanwhile.
func (f *Follower) rejected(ctx context.Context, err error) {
	if err == nil {
		err = a2a.Errorf(a2a.InvalidAgentResponse, "the agent ended its answer before saying anything")
	}
	f.r.Log.Warn("sending a message", "task", f.record.Handle, "agent", f.record.Agent, "err", err)
	if format := f.unsentReason(ctx, err); format != "" {
		f.settle(func(e *ledger.Record) {
			e.KeepUnsent(f.message, message.New(format, e.Agent, f.r.Directory.ConnectURL(e.Agent, e.Handle)), f.r.Now())
		})
		return
	}
	if t := f.movedOn(ctx, err); t != nil {
		f.mu.Lock()
		f.sent, f.message = err, nil
		f.mu.Unlock()
		f.apply(t)
		return
	}
	f.forgetSent(err)
	f.settle(func(e *ledger.Record) {
		f.sent = err
		if e.Task == nil || a2a.Is(err, a2a.TaskNotFound) {
			e.Failure = ledger.FailureOf(err)
		}
	})
}

// movedOn returns the task of a message that the agent has refused, if it has left its
// pause without one: agents give up waiting, or hear from somebody else. It is nil where
// the task stands where it stood, or nobody knows.
func (f *Follower) movedOn(ctx context.Context, refusal error) *a2a.Task {
	var said *a2a.Error
	if f.taskID() == "" || !errors.As(refusal, &said) || !said.Remote || f.r.Directory.MustConnect(f.record.Agent, refusal) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, authPollTimeout)
	defer cancel()
	t, err := f.conn.Task(ctx, a2a.TaskQuery{ID: f.taskID()})
	if err != nil || t.Status.State == a2a.Unknown || t.Status.State == f.Snapshot().Task.Status.State {
		return nil
	}
	return t
}
