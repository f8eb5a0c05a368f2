package bridge

import (
	"context"
	"time"

	"rialto/a2a"
)

// An agent in auth-required may get what it waits for without us, and go on by
// itself (A2A 1.0 section 7.6.1): the person signs in at a page of the agent's,
// and no message says so. The task has settled by then, so somebody has to look.
const (
	lingerFirst = time.Second
	lingerLast  = 15 * time.Second
	lingerFor   = 15 * time.Minute // then only who asks for the task has it looked at
	maxLingers  = 1000             // tasks looked after at one time
	glanceFor   = 5 * time.Second
)

// mayGoOn reports whether the agent of e may go on without a message.
func (e *Entry) mayGoOn() bool {
	return e.Settled && e.State() == a2a.AuthRequired && !e.held() && e.Task.ID != ""
}

// mayGoOn reports it of the task that f follows.
func (f *follower) mayGoOn() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.entry.mayGoOn()
}

// linger looks after the task of a follower that has ended, for a while, if its
// agent may go on by itself. It holds on to nothing that the agent has said: there
// may be many such tasks.
func (b *Bridge) linger(f *follower) {
	owner, handle, poked := f.start.Owner, f.start.Handle, f.poked
	if !f.mayGoOn() || !b.enterLinger(handle, poked) {
		return
	}
	updated := f.snapshot().Updated
	defer b.leaveLinger(handle, poked)
	ctx, cancel := context.WithTimeout(b.running, lingerFor)
	defer cancel()
	for wait := lingerFirst; ; wait = min(2*wait, lingerLast) {
		select {
		case <-ctx.Done():
			return
		case <-poked:
		case <-time.After(wait):
		}
		now, err := b.Ledger.Task(ctx, owner, handle)
		if err != nil || !now.mayGoOn() || !now.Updated.Equal(updated) || b.glance(ctx, now) {
			return
		}
	}
}

func (b *Bridge) enterLinger(handle string, poked chan struct{}) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lingers) >= maxLingers {
		return false
	}
	if b.lingers == nil {
		b.lingers = map[string]chan struct{}{}
	}
	b.lingers[handle] = poked
	return true
}

func (b *Bridge) leaveLinger(handle string, poked chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lingers[handle] == poked { // and not that of the next pause already
		delete(b.lingers, handle)
	}
}

// glance asks the agent of a task that waits for a grant whether it has gone on,
// and has the task followed again if so. Of several glances one takes it up. An
// agent that does not answer has not gone on.
func (b *Bridge) glance(ctx context.Context, e *Entry) bool {
	p := b.peer(e.Agent)
	if p == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, glanceFor)
	defer cancel()
	conn, err := b.connectFor(ctx, p, e.Owner)
	if err != nil {
		return false
	}
	t, err := conn.Task(ctx, a2a.TaskQuery{ID: e.Task.ID})
	if err != nil || t.Status.State == a2a.AuthRequired || t.Status.State == a2a.Unknown {
		return false
	}
	if err := b.reopen(ctx, e, e.MessageID); err != nil {
		return false
	}
	b.follow(conn, e, nil).apply(t)
	return true
}

// goneOn reports whether the agent of a task that is to be shown has gone on by
// itself. The task is followed again then, and another than e.
func (b *Bridge) goneOn(ctx context.Context, e *Entry) bool {
	return e.mayGoOn() && b.glance(ctx, e.clone())
}
