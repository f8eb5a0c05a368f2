package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// assignHandle gives a new task its handle.
func (r *Runner) assignHandle(e *ledger.Record) error {
	handle, err := uuid.NewV7() // sorts by time: tasks of one millisecond are listed in their order
	if err != nil {
		return err
	}
	now := r.Now().Truncate(time.Millisecond)
	e.Handle = handle.String()
	e.Created = now
	e.Updated = now
	return nil
}

// startTask writes e, a new task, into the ledger and starts a follower with its first message.
func (r *Runner) startTask(
	ctx context.Context,
	conn directory.Conn,
	e *ledger.Record,
	req *a2a.SendRequest,
) (*Sent, error) {
	done, err := r.quotas.acquire(ctx, e)
	if err != nil {
		return nil, err
	}
	defer done()
	r.live.reserve(e.Handle) // it counts from now on
	defer r.live.release(e.Handle)
	for _, f := range r.live.overdue(r.quotas.mostRunning()) {
		f.Save()
	}

	err = observeLimit(ctx, r.Observer, r.Ledger.AddTask(ctx, e, r.Replica, r.quotas.mostRunning()))
	if before, ok := errors.AsType[ledger.ErrDuplicate](err); ok {
		return r.duplicateOf(before.Handle), nil
	}
	if err != nil {
		return nil, fmt.Errorf("writing the task down: %w", err)
	}

	r.Publisher.publish(e, ledger.AboutNew)
	if err := r.watch(ctx, e, req); err != nil {
		r.fail(
			e,
			ledger.Fail(
				a2a.Unavailable,
				"The webhook that came with the message could not be recorded, so the message was not sent.",
			),
		)
		return nil, err
	}

	return sentBy(r.Follow(conn, e, req)), nil
}

// continueTask resumes e with a message and starts a follower.
func (r *Runner) continueTask(
	ctx context.Context,
	conn directory.Conn,
	e *ledger.Record,
	req *a2a.SendRequest,
) (*Sent, error) {
	done, err := r.quotas.acquire(ctx, e)
	if err != nil {
		return nil, err
	}
	defer done()
	r.live.reserve(e.Handle)
	defer r.live.release(e.Handle)
	m := req.Message
	e.Trace = traceOf(ctx, r.Observer)
	if err := r.watch(ctx, e, req); err != nil {
		return nil, err
	}

	unsent := e.Unsent()
	if !unsent {
		m.TaskID = e.Task.ID
		m.ContextID = e.Task.ContextID
		e.SetPending(req)
	}

	err = r.reopen(ctx, e, m.ID)
	if before, ok := errors.AsType[ledger.ErrDuplicate](err); ok {
		return r.duplicateOf(before.Handle), nil
	}
	if err != nil {
		return nil, err
	}
	if unsent { // the new message only confirms
		send := *req
		send.Message = e.TakeUnsent(m.ID)
		return sentBy(r.Follow(conn, e, &send)), nil
	}

	return sentBy(r.Follow(conn, e, req)), nil
}

// reopen takes an idle task for a message. The caller has reserved it.
func (r *Runner) reopen(ctx context.Context, e *ledger.Record, messageID string) error {
	e.Touch(r.Now())
	if err := r.Ledger.ContinueTask(ctx, e, messageID, r.Replica, e.Updated); err != nil {
		return observeLimit(ctx, r.Observer, err)
	}
	e.MessageID = messageID
	e.Idle = false
	r.Publisher.changed(e)
	return nil
}

// watch registers the webhook of a message for its task. The agent does not see it.
func (r *Runner) watch(ctx context.Context, e *ledger.Record, req *a2a.SendRequest) error {
	if req.Push == nil {
		return nil
	}
	_, err := r.Webhooks.Add(ctx, e.Owner, PushConfigFor(e, req.Push))
	if err != nil {
		return fmt.Errorf("writing the webhook down: %w", err)
	}
	req.Push = nil
	return nil
}

// PushConfigFor returns c for the webhook of e, under the name that a caller of A2A 0.1 uses.
func PushConfigFor(e *ledger.Record, c *a2a.PushConfig) *a2a.PushConfig {
	of := *c
	of.TaskID = a2a.TaskID(e.Handle)
	if c.Generation == a2a.V01 {
		of.Name = a2a.TaskID(e.Name)
	}
	return &of
}
