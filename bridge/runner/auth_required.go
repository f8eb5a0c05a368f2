package runner

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/quota"
)

// A task in auth-required may continue without a message from us (A2A 1.0 section
// 7.6.1): the user signs in at a page of the agent. An answer may wait for an agent that could not
// be reached, or may have reached it unseen. The task is idle then and has no
// follower, so we poll its agent. The ledger says which tasks are due, so that a
// waiting task costs nothing between two polls and survives a restart.
const (
	pollDueEvery    = 3 * time.Second
	pollBatch       = 1000 // tasks per round
	pollsAtOnce     = 8    // per agent, and as many because of wakeups
	authPollTimeout = 5 * time.Second
	maxWakeups      = 256 // wakeups in the queue
	forgottenAfter  = time.Minute
	maxForgotten    = 1000
)

// runDue polls due tasks until the runner closes.
func (p *poller) runDue() {
	tick := time.Tick(pollDueEvery)
	for {
		select {
		case <-p.runner.running.Done():
			return
		case <-tick:
			p.pollDue()
		}
	}
}

// runWoken polls woken tasks until the runner closes. A slow round of due tasks does not hold
// them up.
func (p *poller) runWoken() {
	for {
		select {
		case <-p.runner.running.Done():
			return
		case handle := <-p.wakeups:
			p.pollWoken(handle)
		}
	}
}

// pollWoken polls a woken task if it is in auth-required. It also makes the task due,
// in case its agent is polled too much now.
func (p *poller) pollWoken(handle string) {
	ctx, cancel := context.WithTimeout(p.runner.running, writeBudget)
	defer cancel()
	w, err := p.runner.Leases.MakeDue(ctx, handle, p.runner.Now())
	if err != nil {
		p.runner.logError("noting that a task has news", err)
	}
	if w == nil {
		return
	}
	if done, refused := p.waking.Acquire(w.Agent, pollsAtOnce, quota.Unlimited); refused == nil {
		p.runner.wg.Go(func() {
			defer done()
			p.pollTask(*w)
		})
	}
}

// pollDue starts to poll due tasks and does not wait. An agent with polls from the
// round before is skipped: its tasks are due again.
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
		if done, refused := p.due.Acquire(agent, 1, quota.Unlimited); refused == nil {
			p.runner.wg.Go(func() {
				defer done()
				p.pollAgent(tasks)
			})
		}
	}
}

func (p *poller) pollAgent(tasks []ledger.DuePoll) {
	var polls errgroup.Group
	polls.SetLimit(pollsAtOnce)
	for _, w := range tasks {
		polls.Go(func() error {
			p.pollTask(w)
			return nil
		})
	}
	_ = polls.Wait() // it never fails
}

func (p *poller) pollTask(w ledger.DuePoll) {
	ctx, cancel := context.WithTimeout(p.runner.running, writeBudget)
	defer cancel()
	e, err := p.runner.Ledger.Task(ctx, w.Owner, w.Handle)
	if err == nil && (e.AwaitsGrant() || e.AwaitsPoll()) {
		p.poll(p.runner.running, e)
	}
}

// poller polls tasks in auth-required, and those whose agent may not have the latest answer.
type poller struct {
	runner  *Runner
	wakeups chan string // handles of tasks that their agents say have changed
	// By agent, so that one that does not answer does not block the others.
	waking quota.Count // polls because of wakeups
	due    quota.Count // polls of due tasks

	mu        sync.Mutex
	forgotten map[string]time.Time // by handle: since when an agent does not know a task
}

// confirmForgotten reports whether an agent has forgotten a task, after a poll in which it knew the
// task or did not. One poll proves nothing: it may have reached one of several processes of the
// agent. A poll a minute later must say so again, and none between may say otherwise.
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

// poll asks the agent of a task whether it has continued or forgotten the task, and follows the
// task again if so. Of several polls one does. An agent that does not answer has not continued.
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
	if e.Undelivered() && !leftPause(e, t) {
		return p.runner.deliver(ctx, conn, e, err)
	}
	if e.AwaitsInput() && !e.AwaitsPoll() && (err != nil || !t.Status.State.Terminal()) {
		return false // some agents say less to a poll than in their stream
	}

	unknown := a2a.Is(err, a2a.TaskNotFound)
	ended := errors.Is(err, a2a.ErrTooLarge) ||
		(unknown || err == nil) && p.confirmForgotten(e.Handle, unknown, p.runner.Now())
	same := err == nil && t.Status.State == e.State()
	if same && e.AwaitsPoll() && !ledger.SameText(e.Task.Status.Message, t.Status.Message) {
		same = false // it received an answer and asks another question
	}
	if !ended && (err != nil || same || t.Status.State == a2a.Unknown) {
		return false
	}

	p.runner.live.reserve(e.Handle)
	defer p.runner.live.release(e.Handle)
	if e.Undelivered() {
		e.Withdraw() // the task went on without it
	}
	if err := p.runner.reopen(ctx, e, nextPause(e.MessageID)); err != nil {
		return false
	}
	if f := p.runner.Follow(conn, e, nil); !ended { // otherwise the follower finds out
		f.applyBeside(t)
	}

	return true
}

// Polled returns a task as Current does, after polling its agent if the task is paused. If it is
// not idle then, it is returned once it is, or as it is after wait. progress may be nil.
func (r *Runner) Polled(
	ctx context.Context,
	access directory.Access,
	handle string,
	wait time.Duration,
	progress func(string),
) (*ledger.Record, error) {
	e, err := r.Current(ctx, access, handle)
	if err == nil && r.PollPaused(ctx, e) {
		e, err = r.Current(ctx, access, handle)
	}
	if err != nil || e.Idle || wait <= 0 {
		return e, err
	}

	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return r.AwaitIdle(ctx, access, handle, progress)
}

// PollPaused polls the agent of a paused task. It reports whether the agent has continued without a
// message, or with an answer that may not have arrived. The task is followed again then, and e is
// out of date.
func (r *Runner) PollPaused(ctx context.Context, e *ledger.Record) bool {
	return (e.AwaitsGrant() || e.AwaitsInput()) && r.polls.poll(ctx, e.Clone())
}

// paused reports whether the agent of f may go on without a message, on its stream (A2A 1.0
// section 7.6.1).
func paused(f *Follower) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state == idle && f.record.Failure == nil && f.record.Task.Status.State.Interrupted()
}

// repeatsPause reports whether e only repeats what the paused task of f waits for.
func repeatsPause(f *Follower, e a2a.Event) bool {
	if !paused(f) {
		return false
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	is := f.record.Task
	again := &a2a.Task{}
	switch e := e.(type) {
	case *a2a.Task:
		again = e
	case *a2a.StatusUpdate:
		again.Status = e.Status
	}
	return again.Status.State == is.Status.State && len(again.Artifacts) <= len(is.Artifacts) &&
		ledger.SameText(is.Status.Message, again.Status.Message)
}

// mayGoOn reports whether more may come on the stream of f, because the task is paused. Until it
// does, the task has no follower for others, as any paused task. No user's memory includes a paused
// task, so the stream of a large one is not kept.
func mayGoOn(ctx context.Context, f *Follower) bool {
	if !paused(f) || isLarge(f) {
		return false
	}
	f.flush(ctx)
	f.r.live.remove(f)
	return true
}

// isLarge reports whether the task of f gives way to others.
func isLarge(f *Follower) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counted > largeTask
}

// nextPause returns the id of the pause after one that an agent left without a message: an answer
// to what it asked before does not count any more.
func nextPause(pause string) string {
	before, number, _ := strings.Cut(pause, ledger.LeftByItself)
	n, _ := strconv.Atoi(number)
	return before + ledger.LeftByItself + strconv.Itoa(n+1)
}

// goOn takes the task of f up again because its agent continued without a message. It reports false
// if the task has ended, or another follower has it: a message has ended the pause, or a poll was
// faster.
func goOn(ctx context.Context, f *Follower) bool {
	if !paused(f) {
		return false
	}

	handle := f.start.Handle
	f.r.live.reserve(handle)
	defer f.r.live.release(handle)
	e := f.Snapshot()
	e.Digest = "" // the message is not sent again
	if err := f.r.reopen(ctx, e, nextPause(e.MessageID)); err != nil {
		return false
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	working := &a2a.StatusUpdate{
		TaskID:    e.Task.ID,
		ContextID: e.Task.ContextID,
		Status:    a2a.Status{State: a2a.Working, Timestamp: e.Updated},
	}
	e.Task.Apply(working)
	f.state = following
	f.record = e
	f.recorded = e.Updated
	f.counted = 0
	f.r.quotas.enter(f, f.r.quotas.counts.enter(f.start))
	f.r.live.set(f)
	f.addChange(working, 0)
	f.r.waiters.wake(handle)
	return true
}
