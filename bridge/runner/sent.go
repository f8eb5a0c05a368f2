package runner

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// Sent is a message that was sent, by this call or by an equal one before it.
type Sent struct {
	Handle    string // of its task
	Duplicate bool   // an equal message was sent before

	runner   *Runner
	access   directory.Access // of the sender
	follower *Follower        // nil if another replica has it, or none
	from     time.Time        // the changes after it come from this message
}

// sentBy returns the message that f has sent.
func sentBy(f *Follower) *Sent {
	return &Sent{
		Handle:   f.start.Handle,
		runner:   f.r,
		follower: f,
		from:     f.start.Updated,
	}
}

// Recorded writes a task that the ledger does not have yet. With an error, the handle of the
// task must not be given out.
func (s *Sent) Recorded() error {
	if s.follower == nil {
		return nil
	}
	s.follower.Save()
	s.follower.mu.Lock()
	defer s.follower.mu.Unlock()
	return s.follower.recordErr
}

// Refusal returns why the agent did not take the message, if that is known.
func (s *Sent) Refusal() error {
	if s.follower == nil {
		return nil
	}
	s.follower.mu.Lock()
	defer s.follower.mu.Unlock()
	return s.follower.refusal
}

// Opening returns the task as it was before the agent answered, with the message that was
// sent; nil if an equal message had been sent before.
func (s *Sent) Opening() *a2a.Task {
	if s.Duplicate || s.follower == nil {
		return nil
	}

	s.follower.mu.Lock()
	message := s.follower.message
	s.follower.mu.Unlock()
	if message == nil {
		return nil
	}

	t := s.follower.start.Public()
	t.History = append(t.History, s.follower.start.WithPublicIDs(*message))
	return t
}

// FirstEvent returns the first event of the agent after the message, if it is kept; nil if there
// is none yet.
func (s *Sent) FirstEvent() a2a.Event {
	if s.follower == nil {
		return nil
	}
	s.follower.mu.Lock()
	defer s.follower.mu.Unlock()
	if len(s.follower.feed.changes) == 0 {
		return nil
	}
	return s.follower.feed.changes[0].event
}

// Current returns the task as it is now.
func (s *Sent) Current(ctx context.Context) (*ledger.Record, error) {
	if s.follower != nil {
		return s.follower.Snapshot(), nil
	}
	return s.runner.Current(ctx, s.access, s.Handle)
}

// MinWait is how long callers wait that do not want to, so that most refusals are their answer. A
// refusal that comes later ends the task, or is noted with it.
const MinWait = 400 * time.Millisecond

// FirstEventTimeout is how long people and streams wait for the first event of the agent.
const FirstEventTimeout = 5 * time.Second

// Await waits for at most budget, or MinWait if that is longer, and returns the task, or why the
// agent did not take the message. It reports progress, unless that is nil.
func (s *Sent) Await(
	ctx context.Context, budget time.Duration, progress func(string),
) (*ledger.Record, error) {
	waiting, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	e, err := s.await(waiting, progress, neverEnough)
	if err == nil && !e.Idle && budget < MinWait {
		return s.AwaitAnswer(ctx, MinWait-budget)
	}
	return s.taken(e, err)
}

// Accepted is AwaitAnswer for people and streams.
func (s *Sent) Accepted(ctx context.Context) (*ledger.Record, error) {
	return s.AwaitAnswer(ctx, FirstEventTimeout)
}

// taken returns e, or why its handle must not be given out or the agent did not take the message.
func (s *Sent) taken(e *ledger.Record, err error) (*ledger.Record, error) {
	if lost := s.Recorded(); lost != nil { // before its handle is given out, the ledger has the task
		return nil, lost
	}
	if err != nil {
		return nil, err
	}
	if refusal := s.Refusal(); refusal != nil && e.Failure == nil {
		return nil, s.runner.notTaken(e, refusal)
	}

	return e, nil
}

// AwaitIdle returns the task once it is idle, or as it is when ctx or all waiting ends, or why the
// agent did not take the message.
func (s *Sent) AwaitIdle(ctx context.Context, progress func(string)) (*ledger.Record, error) {
	return s.taken(s.await(ctx, progress, neverEnough))
}

// AwaitAnswer returns the task once its agent has answered the message, or as it is when
// budget, ctx or all waiting ends, or why the agent did not take the message.
func (s *Sent) AwaitAnswer(ctx context.Context, budget time.Duration) (*ledger.Record, error) {
	waiting, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	return s.taken(s.await(waiting, nil, func(c Change) bool {
		return c.event != nil || c.Record().Task != nil
	}))
}

func neverEnough(Change) bool { return false }

// await returns the task once it is idle or a change is enough, or as it is when ctx or all
// waiting ends.
func (s *Sent) await(
	ctx context.Context, progress func(string), enough func(Change) bool,
) (*ledger.Record, error) {
	for c, err := range s.Watch(ctx) {
		switch {
		case err == nil:
		case errors.Is(err, ErrStopping), ctx.Err() != nil:
			return s.Current(context.WithoutCancel(ctx))
		default:
			return nil, err
		}
		for _, line := range c.Lines {
			if progress != nil {
				progress(line)
			}
		}
		e := c.Record()
		idle := c.Idle && e.Idle // else the agent has gone on since
		if idle || enough(c) {
			return e, nil
		}
	}
	return s.Current(context.WithoutCancel(ctx))
}
