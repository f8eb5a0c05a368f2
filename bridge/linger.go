package bridge

import (
	"context"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// An agent in auth-required may get what it waits for without us, and go on by
// itself (A2A 1.0 section 7.6.1): the person signs in at a page of the agent's,
// and no message says so. The task has settled by then, so somebody has to look. The
// ledger says which tasks are due, so that a wait costs nothing between two looks and
// outlasts this process; it ends with the task, when that is forgotten.
const (
	looksEvery  = rescueEvery
	lookBatch   = 1000 // tasks at one time; more wait for the next
	looksAtOnce = 8    // at one agent, and as many at tasks of which it says that they have news
	glanceFor   = 5 * time.Second
	maxHints    = 256 // tasks that somebody said have news, and that wait to be looked up
	missedFor   = time.Minute
	maxMissed   = 1000
)

// lanes bound what is done at each agent at one time: one that takes calls and does not
// answer must keep nobody from the others. The zero value is free.
type lanes struct {
	mu   sync.Mutex
	busy map[string]int
}

// enter reports whether less than most is being done at an agent, and if so that this
// is being done, too, until leave.
func (l *lanes) enter(agent string, most int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy == nil {
		l.busy = map[string]int{}
	}
	if l.busy[agent] >= most {
		return false
	}
	l.busy[agent]++
	return true
}

func (l *lanes) leave(agent string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[agent]--; l.busy[agent] == 0 {
		delete(l.busy, agent)
	}
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
			b.lookAtDue()
		}
	}
}

// takeHints looks at the tasks of which somebody says that there is news, until the
// bridge closes.
func (b *Bridge) takeHints() {
	for {
		select {
		case <-b.running.Done():
			return
		case handle := <-b.hints:
			b.hint(handle)
		}
	}
}

// hint looks at a task of which somebody says that there is news, if it waits. It is
// due as well: where its agent is being asked much already, it is looked at then.
func (b *Bridge) hint(handle string) {
	ctx, cancel := context.WithTimeout(b.running, writeBudget)
	defer cancel()
	w, err := b.Leases.MakeDue(ctx, handle, b.Now())
	if err != nil {
		b.complain("noting that a task has news", err)
	}
	if w != nil && b.hinted.enter(w.Agent, looksAtOnce) {
		b.wg.Go(func() {
			defer b.hinted.leave(w.Agent)
			b.lookAt(*w)
		})
	}
}

// lookAtDue has the agents asked of the tasks that are due, and waits for none. An agent
// that is not done with the tasks that were due before is spared: they are due again.
func (b *Bridge) lookAtDue() {
	ctx, cancel := context.WithTimeout(b.running, writeBudget)
	due, err := b.Leases.DueTasks(ctx, b.Now(), lookBatch)
	cancel()
	if err != nil {
		b.complain("looking for tasks that wait", err)
	}
	of := map[string][]ledger.DuePoll{}
	for _, w := range due {
		of[w.Agent] = append(of[w.Agent], w)
	}
	for agent, tasks := range of {
		if b.looking.enter(agent, 1) {
			b.wg.Go(func() {
				defer b.looking.leave(agent)
				b.lookAtAll(tasks)
			})
		}
	}
}

// lookAtAll asks one agent of all tasks.
func (b *Bridge) lookAtAll(tasks []ledger.DuePoll) {
	var looking sync.WaitGroup
	free := make(chan struct{}, looksAtOnce)
	for _, w := range tasks {
		free <- struct{}{}
		looking.Go(func() {
			defer func() { <-free }()
			b.lookAt(w)
		})
	}
	looking.Wait()
}

func (b *Bridge) lookAt(w ledger.DuePoll) {
	ctx, cancel := context.WithTimeout(b.running, writeBudget)
	defer cancel()
	if e, err := b.Ledger.Task(ctx, w.Owner, w.Handle); err == nil && e.AwaitsGrant() {
		b.glance(b.running, e)
	}
}

// missed reports whether an agent has forgotten a task, after a look at which it knew
// it or did not. Not to know it once is no proof: one of several processes of the agent
// may answer that does not know the task, or not yet. A look after a minute must find it
// so again, of this replica, and none between may find otherwise.
func (b *Bridge) missed(handle string, unknown bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	since, before := b.misses[handle]
	switch {
	case !unknown || before && b.Now().Sub(since) >= missedFor:
		delete(b.misses, handle)
	case !before:
		for some := range b.misses {
			if len(b.misses) < maxMissed {
				break
			}
			delete(b.misses, some)
		}
		b.misses[handle] = b.Now()
	}
	return unknown && before && b.Now().Sub(since) >= missedFor
}

// glance asks the agent of a task that waits for a grant whether it has gone on, or
// forgotten the task, and has it followed again if so. Of several glances one takes it
// up. An agent that does not answer has not gone on.
func (b *Bridge) glance(ctx context.Context, e *ledger.Record) bool {
	p := b.Directory.Lookup(e.Agent)
	if p == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, glanceFor)
	defer cancel()
	conn, err := b.Directory.ConnectFor(ctx, p, e.Owner)
	if err != nil {
		return false
	}
	t, err := conn.Task(ctx, a2a.TaskQuery{ID: e.Task.ID})
	if e.AwaitsInput() && !e.Unconfirmed() && (err != nil || !t.Status.State.Terminal()) {
		return false // there are agents that tell who asks less than they told in their stream
	}
	unknown := a2a.Is(err, a2a.TaskNotFound)
	forgotten := (unknown || err == nil) && b.missed(e.Handle, unknown)
	pause, same := e.MessageID, err == nil && t.Status.State == e.State()
	if same && e.Unconfirmed() && !ledger.SameText(e.Task.Status.Message, t.Status.Message) {
		pause, same = pause+"+", false // it has got the answer, and asks another question
	}
	if !forgotten && (err != nil || same || t.Status.State == a2a.Unknown) {
		return false
	}
	if err := b.reopen(ctx, e, pause); err != nil {
		return false
	}
	if f := b.follow(conn, e, nil); !forgotten { // else it finds that out itself
		f.apply(t)
	}
	return true
}

// goneOn reports whether the agent of a task that is to be shown has gone on by
// itself, or with an answer of which nobody knew whether it came. The task is followed
// again then, and another than e.
func (b *Bridge) goneOn(ctx context.Context, e *ledger.Record) bool {
	return (e.AwaitsGrant() || e.AwaitsInput()) && b.glance(ctx, e.Clone())
}
