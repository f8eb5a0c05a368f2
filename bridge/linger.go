package bridge

import (
	"context"
	"sync"
	"time"

	"rialto/a2a"
)

// An agent in auth-required may get what it waits for without us, and go on by
// itself (A2A 1.0 section 7.6.1): the person signs in at a page of the agent's,
// and no message says so. The task has settled by then, so somebody has to look. The
// ledger says which tasks are due, so that a wait costs nothing between two looks and
// outlasts this process; it ends with the task, when that is forgotten.
const (
	looksEvery  = rescueEvery
	lookBatch   = 100 // tasks at one time; more wait for the next
	looksAtOnce = 16
	glanceFor   = 5 * time.Second
	maxHints    = 256 // tasks that somebody said have news; of more than that nobody hears
)

// Waiting names a task in auth-required.
type Waiting struct{ Owner, Handle string }

// mayGoOn reports whether the agent of e may go on without a message.
func (e *Entry) mayGoOn() bool {
	return e.Settled && e.State() == a2a.AuthRequired && !e.held() && e.Task.ID != ""
}

// lookAfter looks at the tasks that are due until the bridge closes.
func (b *Bridge) lookAfter() {
	tick := time.NewTicker(looksEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.running.Done():
			return
		case <-tick.C:
		case handle := <-b.hints:
			b.hint(handle)
		}
		b.lookAtDue()
	}
}

// hint makes a task due of which somebody says that there is news. Where it waits for
// nothing, another replica may follow it.
func (b *Bridge) hint(handle string) {
	ctx, cancel := context.WithTimeout(b.running, writeBudget)
	defer cancel()
	waits, err := b.Ledger.LookSoon(ctx, handle, b.Now())
	if err != nil {
		b.complain("noting that a task has news", err)
	}
	if !waits {
		b.signal(Signal{About: AboutAgent, Handle: handle})
	}
}

// lookAtDue asks the agents of the tasks that are due.
func (b *Bridge) lookAtDue() {
	ctx, cancel := context.WithTimeout(b.running, writeBudget)
	due, err := b.Ledger.DueTasks(ctx, b.Now(), lookBatch)
	cancel()
	if err != nil {
		b.complain("looking for tasks that wait", err)
	}
	var looking sync.WaitGroup
	free := make(chan struct{}, looksAtOnce)
	for _, w := range due {
		free <- struct{}{}
		looking.Go(func() {
			defer func() { <-free }()
			if e, err := b.Ledger.Task(b.running, w.Owner, w.Handle); err == nil && e.mayGoOn() {
				b.glance(b.running, e)
			}
		})
	}
	looking.Wait()
}

// glance asks the agent of a task that waits for a grant whether it has gone on, or
// forgotten the task, and has it followed again if so. Of several glances one takes it
// up. An agent that does not answer has not gone on.
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
	forgotten := a2a.Is(err, a2a.TaskNotFound)
	if !forgotten && (err != nil || t.Status.State == a2a.AuthRequired || t.Status.State == a2a.Unknown) {
		return false
	}
	if err := b.reopen(ctx, e, e.MessageID); err != nil {
		return false
	}
	if f := b.follow(conn, e, nil); !forgotten { // else it finds that out itself
		f.apply(t)
	}
	return true
}

// goneOn reports whether the agent of a task that is to be shown has gone on by
// itself. The task is followed again then, and another than e.
func (b *Bridge) goneOn(ctx context.Context, e *Entry) bool {
	return e.mayGoOn() && b.glance(ctx, e.clone())
}
