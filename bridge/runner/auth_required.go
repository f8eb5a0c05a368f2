package runner

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
	pollDueEvery    = leaseEvery
	pollBatch       = 1000 // tasks at one time; more wait for the next
	pollsAtOnce     = 8    // at one agent, and as many at tasks of which it says that they have news
	authPollTimeout = 5 * time.Second
	maxWakeups      = 256 // tasks that somebody said have news, and that wait to be looked up
	forgottenAfter  = time.Minute
	maxForgotten    = 1000
)

// perAgent bound what is done at each agent at one time: one that takes calls and does not
// answer must keep nobody from the others. The zero value is free.
type perAgent struct {
	mu   sync.Mutex
	busy map[string]int
}

// enter reports whether less than most is being done at an agent, and if so that this
// is being done, too, until leave.
func (l *perAgent) enter(agent string, most int) bool {
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

func (l *perAgent) leave(agent string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[agent]--; l.busy[agent] == 0 {
		delete(l.busy, agent)
	}
}

// pollDueTasks looks at the tasks that are due until the bridge closes.
func (p *poller) pollDueTasks() {
	tick := time.NewTicker(pollDueEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.runner.running.Done():
			return
		case <-tick.C:
			p.pollDue()
		}
	}
}

// pollWokenTasks looks at the tasks of which somebody says that there is news, until the
// bridge closes.
func (p *poller) pollWokenTasks() {
	for {
		select {
		case <-p.runner.running.Done():
			return
		case handle := <-p.wakeups:
			p.pollWoken(handle)
		}
	}
}

// pollWoken looks at a task of which somebody says that there is news, if it waits. It is
// due as well: where its agent is being asked much already, it is looked at then.
func (p *poller) pollWoken(handle string) {
	ctx, cancel := context.WithTimeout(p.runner.running, writeBudget)
	defer cancel()
	w, err := p.runner.Leases.MakeDue(ctx, handle, p.runner.Now())
	if err != nil {
		p.runner.logError("noting that a task has news", err)
	}
	if w != nil && p.waking.enter(w.Agent, pollsAtOnce) {
		p.runner.wg.Go(func() {
			defer p.waking.leave(w.Agent)
			p.pollTask(*w)
		})
	}
}

// pollDue has the agents asked of the tasks that are due, and waits for none. An agent
// that is not done with the tasks that were due before is spared: they are due again.
func (p *poller) pollDue() {
	ctx, cancel := context.WithTimeout(p.runner.running, writeBudget)
	due, err := p.runner.Leases.DueTasks(ctx, p.runner.Now(), pollBatch)
	cancel()
	if err != nil {
		p.runner.logError("looking for tasks that wait", err)
	}
	of := map[string][]ledger.DuePoll{}
	for _, w := range due {
		of[w.Agent] = append(of[w.Agent], w)
	}
	for agent, tasks := range of {
		if p.due.enter(agent, 1) {
			p.runner.wg.Go(func() {
				defer p.due.leave(agent)
				p.pollAgent(tasks)
			})
		}
	}
}

// pollAgent asks one agent of all tasks.
func (p *poller) pollAgent(tasks []ledger.DuePoll) {
	var looking sync.WaitGroup
	free := make(chan struct{}, pollsAtOnce)
	for _, w := range tasks {
		free <- struct{}{}
		looking.Go(func() {
			defer func() { <-free }()
			p.pollTask(w)
		})
	}
	looking.Wait()
}

func (p *poller) pollTask(w ledger.DuePoll) {
	ctx, cancel := context.WithTimeout(p.runner.running, writeBudget)
	defer cancel()
	if e, err := p.runner.Ledger.Task(ctx, w.Owner, w.Handle); err == nil && e.AwaitsGrant() {
		p.poll(p.runner.running, e)
	}
}

// poller polls tasks in auth-required.
type poller struct {
	runner  *Runner
	wakeups chan string // handles of tasks that their agents say have changed
	waking  perAgent    // polls because of wakeups
	due     perAgent    // polls of due tasks

	mu        sync.Mutex
	forgotten map[string]time.Time // by handle: since when an agent does not know a task
}

// confirmForgotten reports whether an agent has forgotten a task, after a poll in which it
// knew the task or did not. One poll proves nothing: it may have reached one of several
// processes of the agent. A poll a minute later must say so again, and none between may
// say otherwise.
func (p *poller) confirmForgotten(handle string, unknown bool, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.forgotten == nil {
		p.forgotten = map[string]time.Time{}
	}
	since, before := p.forgotten[handle]
	confirmed := before && now.Sub(since) >= forgottenAfter
	switch {
	case !unknown || confirmed:
		delete(p.forgotten, handle)
	case !before:
		for some := range p.forgotten {
			if len(p.forgotten) < maxForgotten {
				break
			}
			delete(p.forgotten, some)
		}
		p.forgotten[handle] = now
	}
	return unknown && confirmed
}

// poll asks the agent of a task that waits for a grant whether it has gone on, or
// forgotten the task, and has it followed again if so. Of several glances one takes it
// up. An agent that does not answer has not gone on.
func (p *poller) poll(ctx context.Context, e *ledger.Record) bool {
	agent := p.runner.Directory.Lookup(e.Agent)
	if agent == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, authPollTimeout)
	defer cancel()
	conn, err := p.runner.Directory.ConnectFor(ctx, agent, e.Owner)
	if err != nil {
		return false
	}
	t, err := conn.Task(ctx, a2a.TaskQuery{ID: e.Task.ID})
	if e.AwaitsInput() && !e.Unconfirmed() && (err != nil || !t.Status.State.Terminal()) {
		return false // there are agents that tell who asks less than they told in their stream
	}
	unknown := a2a.Is(err, a2a.TaskNotFound)
	forgotten := (unknown || err == nil) && p.confirmForgotten(e.Handle, unknown, p.runner.Now())
	pause, same := e.MessageID, err == nil && t.Status.State == e.State()
	if same && e.Unconfirmed() && !ledger.SameText(e.Task.Status.Message, t.Status.Message) {
		pause, same = pause+"+", false // it has got the answer, and asks another question
	}
	if !forgotten && (err != nil || same || t.Status.State == a2a.Unknown) {
		return false
	}
	if err := p.runner.reopen(ctx, e, pause); err != nil {
		return false
	}
	if f := p.runner.Follow(conn, e, nil); !forgotten { // else it finds that out itself
		f.apply(t)
	}
	return true
}

// Advanced reports whether the agent of a task that is to be shown has gone on by
// itself, or with an answer of which nobody knew whether it came. The task is followed
// again then, and another than e.
func (r *Runner) Advanced(ctx context.Context, e *ledger.Record) bool {
	return (e.AwaitsGrant() || e.AwaitsInput()) && r.polls.poll(ctx, e.Clone())
}
