package runner

import (
	"context"
	"errors"
	"net/http"

	"rialto/a2a"
	"rialto/bridge/directory"
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

// unchanged reports whether the agent shows the task as it was before the message, or does not
// answer at all.
func (f *Follower) unchanged(ctx context.Context) bool {
	if f.finished() {
		return false
	}

	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	t, err := f.conn.Task(ctx, a2a.TaskQuery{ID: f.taskID()})
	if err != nil || !samePause(f.start.Task, t) {
		return a2a.Is(err, a2a.Unavailable)
	}

	return ledger.SameText(f.start.Task.Status.Message, t.Status.Message)
}

// errUnheard says why it is not known whether an answer arrived that another process has sent.
var errUnheard = errors.New("the process that sent the message has ended")

// undelivered reports whether err says that the agent was away, so that it certainly did not get
// the message. A server in front of it that says when to come again does not want it before.
func undelivered(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok || e.RetryAfter > 0 {
		return false
	}
	return e.HTTPStatus == http.StatusServiceUnavailable || errors.Is(err, a2a.ErrNotConnected)
}

// keepUndelivered keeps an answer whose agent cannot be reached, and returns the task to its pause.
// The agent gets the answer when it can be reached again, unless the owner replaces or withdraws it.
func (f *Follower) keepUndelivered(ctx context.Context, err error) {
	f.r.Log.WarnContext(
		ctx, "keeping an answer until its agent is back",
		"task", f.record.Handle,
		"agent", f.record.Agent,
		"err", err,
	)
	f.becomeIdle(func(e *ledger.Record) { e.SetUndelivered(true) })
}

// leftPause reports whether an agent shows that a task has left the pause of e: it has ended, or
// asks something else. Some agents show less of a task to a poll than in their stream.
func leftPause(e *ledger.Record, t *a2a.Task) bool {
	switch {
	case t == nil:
		return false
	case t.Status.State.Interrupted():
		return t.Status.State != e.State() || !ledger.SameText(e.Task.Status.Message, t.Status.Message)
	}
	return t.Status.State.Terminal()
}

// deliver sends the answer that was kept for the agent of e, if the agent has answered a poll. err
// is the error of the poll. Of several deliveries one sends it.
func (r *Runner) deliver(
	ctx context.Context, conn directory.Conn, e *ledger.Record, err error,
) bool {
	said, ok := errors.AsType[*a2a.Error](err)
	refused := ok && said.Remote // the poll, but perhaps not the answer
	if err != nil && !refused {
		return false
	}
	if a2a.Is(err, a2a.Unavailable) {
		return false
	}

	r.live.reserve(e.Handle)
	defer r.live.release(e.Handle)
	e.SetUndelivered(false) // from now on it may have arrived
	err = r.reopen(ctx, e, e.MessageID)
	if err != nil {
		return false
	}

	r.Follow(conn, e, e.Pending().Request())
	return true
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
				a2a.AuthRequired,
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
		e.SetRefused(err)
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
