package runner

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	pollFirst      = 500 * time.Millisecond // first pause before a task is read again
	maxPauseFactor = 20                     // times the first pause

	// maxSubscriptions is how many subscriptions in a row may be shorter than the longest pause;
	// then the task is polled.
	maxSubscriptions = 5
)

// polls decides how the agent of one task is asked again, and when. The pauses between answers
// grow whatever the agent says, because some agents say something else each time.
type polls struct {
	answered   backoff // pauses after an answer with the task
	failed     backoff // pauses after none
	budget     pollBudget
	subscribed int  // short subscriptions in a row
	noStream   bool // the agent does not stream the task
}

// streams reports whether the agent may be subscribed to.
func (p *polls) streams(card *a2a.Card) bool {
	return card.Capabilities.Streaming && !p.noStream && p.subscribed < maxSubscriptions
}

// subscribedFor notes how long a subscription lasted, and how it ended.
func (p *polls) subscribedFor(d time.Duration, err error) {
	p.subscribed++
	p.noStream = p.noStream || errors.Is(err, a2a.ErrNoStream)
	if d > max(p.answered.most, time.Second) { // a busy machine may take longer than a short pause
		p.subscribed = 0
		p.answered.pause = 0
	}
}

// wait waits until the agent may be asked again after an attempt. It reports false if ctx ends
// first.
func (p *polls) wait(ctx context.Context, answered bool, err error) bool {
	pause := &p.failed
	if answered {
		p.failed.pause = 0
		pause = &p.answered
	}
	return pause.wait(ctx, a2a.RetryAfter(err))
}

// resumeUntilIdle asks the agent how the task stands until it is idle, the agent is given up, the
// lease is lost or ctx ends. It begins with a pause after sent, which ended the stream of the
// message, and without one if no message was sent: the task is then resumed.
func (f *Follower) resumeUntilIdle(ctx context.Context, resumed bool, sent error) {
	if f.finished() {
		return // most tasks: they end with the stream of their message
	}

	first := cmp.Or(f.r.Pause, pollFirst)
	p := &polls{
		answered: backoff{first: first, most: maxPauseFactor * first},
		failed:   retrying(),
		noStream: errors.Is(sent, a2a.ErrNoStream),
	}
	if !resumed && !p.wait(ctx, true, sent) {
		return
	}

	for !f.finished() {
		answered, err := f.resume(ctx, p)
		if f.finished() || ctx.Err() != nil {
			return
		}
		if answered {
			p.budget.reset()
		} else {
			f.r.Log.InfoContext(
				ctx, "following a task",
				"task", f.record.Handle,
				"agent", f.record.Agent,
				"err", err,
			)
			if p.failed.pause > 0 { // twice in a row
				f.reconnect(ctx, p)
			}
			given := p.budget.spend(f.r.Now(), err)
			if p.budget.unknown == 1 { // it is back, without the task
				p.failed.pause = 0
			}
			if given != nil {
				given.Presumed = resumed // otherwise this follower is the sender
				f.becomeIdle(func(e *ledger.Record) { e.Failure = given })
				return
			}
		}
		if !p.wait(ctx, answered, err) {
			return
		}
	}
}

// resume subscribes to the task or, if no stream brings it, reads it. It reports whether the agent
// answered with the task.
func (f *Follower) resume(ctx context.Context, p *polls) (answered bool, err error) {
	if p.streams(f.conn.Card()) {
		begun := time.Now()
		n, err := f.consume(ctx, f.conn.Subscribe(ctx, f.taskID()))
		if n > 0 || err == nil { // otherwise it could not even be read
			p.subscribedFor(time.Since(begun), err)
		}
		if n > 0 || f.finished() || a2a.RetryAfter(err) > 0 {
			return n > 0, err
		}
	}

	task, err := f.conn.Task(ctx, a2a.TaskQuery{ID: f.taskID()})
	if err != nil {
		f.endIfTooLarge(err)
		return false, err
	}

	f.apply(task)
	return true, nil
}

// reconnect dials the agent again, in case its card names another address or protocol now. Another
// card may also mean an agent that streams.
func (f *Follower) reconnect(ctx context.Context, p *polls) {
	agent := f.r.Directory.Lookup(f.record.Agent)
	if agent == nil {
		return
	}

	conn, err := f.r.Directory.Reconnect(ctx, agent, f.record.Owner)
	if err != nil {
		return
	}
	if conn.Card() != f.conn.Card() {
		p.noStream = false
		p.subscribed = 0
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.conn = conn
}
