package runner

import (
	"context"
	"errors"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/i18n"
)

// confirmations is how many times the task is polled. The pauses take 15 seconds in all.
const confirmations = 5

// confirmDelivery checks whether the agent received a message whose delivery failed
// without a clear answer. Many agents show the old question until they have handled the
// answer, so the task is polled for a while before delivery is reported as unconfirmed.
func (f *Follower) confirmDelivery(ctx context.Context, err error) {
	f.r.Log.WarnContext(
		ctx, "sending a message",
		"task", f.record.Handle,
		"agent", f.record.Agent,
		"err", err,
	)
	pause := retrying()
	for n := 1; f.unchanged(ctx); n++ { // otherwise the task is resumed as any other
		if n == confirmations {
			f.becomeIdle(func(e *ledger.Record) {
				f.refusal = err
				e.MarkUnconfirmed()
			})
			return
		}
		if !pause.wait(ctx, 0) {
			return
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

// rejected records that the agent did not take the message. A task that the message
// would have started has failed, and so has one that the agent has forgotten. Another
// task stays as it was, or as the agent shows it now.
func (f *Follower) rejected(ctx context.Context, err error) {
	if err == nil {
		err = a2a.Errorf(
			a2a.InvalidAgentResponse, "the agent ended its answer before saying anything",
		)
	}
	f.r.Log.WarnContext(
		ctx, "sending a message",
		"task", f.record.Handle,
		"agent", f.record.Agent,
		"err", err,
	)
	if format := f.unsentReason(ctx, err); format != "" {
		f.becomeIdle(func(e *ledger.Record) {
			e.KeepUnsent(
				f.message,
				i18n.New(format, e.Agent, f.r.Directory.ConnectURL(e.Agent, e.Handle)),
				f.r.Now(),
			)
		})
		return
	}
	if t := f.movedOn(ctx, err); t != nil {
		f.mu.Lock()
		f.refusal = err
		f.message = nil
		if f.state == unanswered { // what comes now does not answer the message
			f.state = following
		}
		f.mu.Unlock()
		f.apply(t)
		return
	}
	f.forgetDigest(err)
	f.becomeIdle(func(e *ledger.Record) {
		f.refusal = err
		switch {
		case e.Task == nil: // with the request, which can be sent again
			e.Task, e.Failure = &a2a.Task{
				ContextID: f.message.ContextID,
				History:   []a2a.Message{*f.message},
			}, ledger.FailureOf(err)
		case a2a.Is(err, a2a.TaskNotFound):
			e.Failure = ledger.FailureOf(err)
		}
	})
}

// movedOn returns the task of a refused message if it left its pause without the
// message: agents stop waiting, or get an answer elsewhere. It is nil if the task is
// unchanged, or if that is not known.
func (f *Follower) movedOn(ctx context.Context, refusal error) *a2a.Task {
	var said *a2a.Error
	if f.taskID() == "" || !errors.As(refusal, &said) || !said.Remote ||
		f.r.Directory.NeedsConnection(f.record.Agent, refusal) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, authPollTimeout)
	defer cancel()
	t, err := f.conn.Task(ctx, a2a.TaskQuery{ID: f.taskID()})
	if err != nil || t.Status.State == a2a.Unknown ||
		t.Status.State == f.Snapshot().Task.Status.State {
		return nil
	}
	return t
}

// Messages to the owner of an unsent message: which agent, and where to connect it.
const (
	toConnect = "The agent %s wants to know who you are. Connect it with your own account at %s; then it gets your message."
	toChange  = "The agent %s does not accept what you have connected it with. Connect it anew at %s; then it gets your message."
	toRepeat  = "The agent %s has not got your message yet: it could not be reached when you had connected it. Try again in a moment, at %s."
)

// unsentReason returns what to tell the owner of a message that the agent certainly did
// not take, if the message is to be kept instead of failing the task, and "" otherwise.
// A message that was unsent before is kept if the agent is away.
func (f *Follower) unsentReason(ctx context.Context, err error) string {
	switch {
	case f.record.Task != nil || f.message == nil:
		return ""
	case f.r.Directory.NeedsConnection(f.record.Agent, err):
		if has, err := f.r.Directory.Connections.Connected(
			ctx, f.record.Owner, f.record.Agent,
		); err == nil &&
			has {
			return toChange
		}
		return toConnect
	case f.record.Resent && ledger.Refused(err) && (a2a.Is(err, a2a.Unavailable) || a2a.Is(err, a2a.RateLimited)):
		return toRepeat
	}
	return ""
}
