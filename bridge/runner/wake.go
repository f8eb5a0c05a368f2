package runner

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// pollTimeout limits a poll after a wakeup.
const pollTimeout = 30 * time.Second

// Wake tells the follower of a task to poll its agent now, on this replica or another.
// If the task waits in auth-required, this replica polls it. Wake does not wait.
func (r *Runner) Wake(handle string) {
	if r.live.wake(handle) {
		return
	}
	r.Publisher.signal(ledger.Signal{About: ledger.AboutAgent, Handle: handle})
	select {
	case r.polls.wakeups <- handle:
	default:
		r.Log.Warn("too many tasks have news: one is looked at when it is due", "task", handle)
	}
}

// withWebhook adds our webhook to a message for an agent that sends push notifications.
func (r *Runner) withWebhook(
	conn directory.Conn, e *ledger.Record, send *a2a.SendRequest,
) *a2a.SendRequest {
	if send == nil || r.Inbox == nil || !conn.Card().Capabilities.PushNotifications {
		return send
	}
	out := *send
	out.Push = r.Inbox.Config(e.Agent, e.Handle)
	return &out
}

// refusedPush reports whether an agent refused a message because of its webhook. It has
// not started anything, so the message may be sent without.
func refusedPush(send *a2a.SendRequest, err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok || !e.Remote || send.Push == nil {
		return false
	}
	return e.Code == a2a.PushNotSupported || e.Code == a2a.UnsupportedOperation ||
		e.Code == a2a.InvalidParams
}

// pollWhenWoken polls after each wakeup until ctx ends. It ends the stream when the task is idle.
func (f *Follower) pollWhenWoken(ctx context.Context, cancelStream func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.woken:
		}
		paused := f.finished()
		f.poll(ctx)
		if f.finished() && !paused {
			cancelStream()
			return
		}
	}
}

// poll reads the task. If there is a stream as well, only an idle state counts: the
// stream brings the rest.
func (f *Follower) poll(ctx context.Context) {
	id := f.taskID()
	if id == "" {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	f.mu.Lock()
	conn := f.conn // the goroutine of run may replace it
	f.mu.Unlock()
	t, err := conn.Task(ctx, a2a.TaskQuery{ID: id})
	switch {
	case err != nil:
		f.r.Log.InfoContext(
			ctx, "looking at a task that has news",
			"task", f.record.Handle,
			"err", err,
		)
		f.endIfTooLarge(err)
	case t.Status.State.Interrupted() && samePause(f.start.Task, t):
	case t.Status.State.Idle() || !conn.Card().Capabilities.Streaming:
		f.apply(t)
	}
}

// samePause reports whether t still shows the pause that the message ended.
func samePause(before, t *a2a.Task) bool {
	if before == nil || before.Status.State != t.Status.State {
		return false
	}
	was := before.Status.Message
	is := t.Status.Message
	if was == nil || is == nil || was.ID == "" {
		return before.Status.Timestamp.Equal(t.Status.Timestamp)
	}
	return was.ID == is.ID
}
