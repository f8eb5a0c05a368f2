package bridge

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// lookFor bounds a look at a task that somebody said has changed.
const lookFor = 30 * time.Second

// Poke has a task looked at, because its agent says that there is news. It does
// not wait, and whoever follows the task looks: this replica or another; or this one,
// if the task waits for something that its agent has got by now.
func (b *Bridge) Poke(handle string) {
	if b.poke(handle) {
		return
	}
	b.signal(ledger.Signal{About: ledger.AboutAgent, Handle: handle})
	select {
	case b.hints <- handle:
	default:
		b.Log.Warn("too many tasks have news: one is looked at when it is due", "task", handle)
	}
}

// poke reports whether this replica follows the task.
func (b *Bridge) poke(handle string) bool {
	f := b.follower(handle)
	if f == nil {
		return false
	}
	select {
	case f.poked <- struct{}{}:
	default: // it is about to look
	}
	return true
}

// withHook gives the agent a webhook with the message, if it can use one.
func (b *Bridge) withHook(conn directory.Conn, e *ledger.Record, send *a2a.SendRequest) *a2a.SendRequest {
	if send == nil || b.Hook == nil || !conn.Card().Capabilities.PushNotifications {
		return send
	}
	out := *send
	out.Push = b.Hook(e.Agent, e.Handle)
	return &out
}

// refusedPush reports whether an agent took no message because of the webhook
// that came with it. It has said so, so nothing runs, and the message may be
// sent without.
func refusedPush(send *a2a.SendRequest, err error) bool {
	var e *a2a.Error
	return send.Push != nil && errors.As(err, &e) && e.Remote &&
		(e.Code == a2a.PushNotSupported || e.Code == a2a.UnsupportedOperation || e.Code == a2a.InvalidParams)
}

// heed looks at the task whenever somebody pokes, until ctx ends. When that
// shows that the task has settled it ends the stream, which brings nothing more.
func (f *follower) heed(ctx context.Context, hangUp func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.poked:
		}
		f.look(ctx)
		if f.over() {
			hangUp()
			return
		}
	}
}

// look asks how the task stands. Where a stream tells of it as well, only an end
// counts: what else the task shows is on its way.
func (f *follower) look(ctx context.Context) {
	id := f.taskID()
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	conn := f.peer()
	t, err := conn.Task(ctx, a2a.TaskQuery{ID: id})
	switch {
	case err != nil:
		f.b.Log.Info("looking at a task that has news", "task", f.entry.Handle, "err", err)
	case t.Status.State.Interrupted() && f.answered(t):
	case t.Status.State.Idle() || !conn.Card().Capabilities.Streaming:
		f.apply(t)
	}
}

// answered reports whether t still shows the pause that the message has ended.
func (f *follower) answered(t *a2a.Task) bool {
	before := f.start.Task
	if before == nil || before.Status.State != t.Status.State {
		return false
	}
	was, is := before.Status.Message, t.Status.Message
	if was == nil || is == nil || was.ID == "" {
		return before.Status.Timestamp.Equal(t.Status.Timestamp)
	}
	return was.ID == is.ID
}
