package runner

import (
	"context"

	"rialto/bridge/ledger"
)

// maxSignals limits the queue of signals; more are dropped.
const maxSignals = 256

// Publisher reports changes of tasks to this process, to the other replicas and to the Meter. It does
// not wait.
type Publisher struct {
	Signals   ledger.Signals // to other replicas; nil if there are none
	Listeners []TaskListener // hear of changes of tasks, in this order
	Sessions  Sessions       // hears of changes of MCP sessions; may be nil
	Meter     Meter          // charges for what agents answer; nil: nothing costs anything

	runner *Runner
	queue  chan ledger.Signal
}

// TaskListener hears of tasks. Its methods must not block.
type TaskListener interface {
	// TaskChanged says that a task has changed or, with created, is new.
	TaskChanged(owner, handle string, created bool)
}

// Meter charges for tasks. Its method must not block.
type Meter interface {
	// Charge charges for a task that is idle, as it was written. It may come again for a pause or
	// an end that was charged already.
	Charge(*ledger.Record)
}

// Sessions hears of MCP sessions. Its methods must not block.
type Sessions interface {
	// SessionChanged says that a replica has changed what is shared of a session, "" being any.
	SessionChanged(session string)
}

// start connects the publisher with the other replicas until r closes.
func (p *Publisher) start(r *Runner) {
	p.runner = r
	if p.Signals == nil {
		return
	}
	p.queue = make(chan ledger.Signal, maxSignals)
	r.wg.Go(p.sendSignals)
	r.wg.Go(func() { p.Signals.Listen(r.running, p.receive) })
}

// changed reports a change of a task.
func (p *Publisher) changed(e *ledger.Record) {
	about := ledger.AboutTask
	if e.Idle {
		about = ledger.AboutLedger
	}
	p.publish(e, about)
}

// publish reports what happened to a task. That it is idle is always signaled, because callers may
// wait for it elsewhere.
func (p *Publisher) publish(e *ledger.Record, about ledger.About) {
	p.notify(e.Owner, e.Handle, about)
	if e.Idle && p.Meter != nil {
		p.Meter.Charge(e)
	}
	if len(p.Listeners) > 0 || about == ledger.AboutLedger {
		p.signal(ledger.Signal{About: about, Handle: e.Handle, Owner: e.Owner})
	}
}

// notify reports a change here.
func (p *Publisher) notify(owner, handle string, about ledger.About) {
	if owner == "" { // it would be everybody
		return
	}
	for _, l := range p.Listeners {
		l.TaskChanged(owner, handle, about == ledger.AboutNew)
	}
}

// signal queues a signal for the other replicas.
func (p *Publisher) signal(s ledger.Signal) {
	if p.Signals == nil {
		return
	}

	minor := s.Owner != "" && s.About != ledger.AboutLedger
	if minor && len(p.queue) > maxSignals/2 {
		return // leave room for signals of idle tasks, for which callers wait
	}

	s.From = p.runner.Replica
	select {
	case p.queue <- s:
	default:
	}
}

// sendSignals sends signals until the runner closes.
func (p *Publisher) sendSignals() {
	for {
		select {
		case <-p.runner.running.Done():
			return
		case s := <-p.queue:
			p.send(s)
		}
	}
}

// send sends a signal, and those that wait behind it, to the other replicas.
func (p *Publisher) send(first ledger.Signal) {
	all := []ledger.Signal{first}
	for range len(p.queue) { // only this goroutine receives them
		all = append(all, <-p.queue)
	}
	ctx, cancel := context.WithTimeout(p.runner.running, writeBudget)
	defer cancel()
	if err := p.Signals.Send(ctx, all...); err != nil {
		p.runner.logError("telling other replicas", err)
	}
}

// receive handles a signal of a replica, which may be this one.
func (p *Publisher) receive(s ledger.Signal) {
	switch s.About {
	case ledger.AboutSession:
		if p.Sessions != nil {
			p.Sessions.SessionChanged(s.Handle)
		}
		return
	case ledger.AboutAgent:
		p.runner.live.wake(s.Handle)
	case ledger.AboutLedger, ledger.AboutTask:
		p.runner.waiters.wake(s.Handle)
	}
	if s.From != p.runner.Replica { // this one has reported already
		p.notify(s.Owner, s.Handle, s.About)
	}
}
