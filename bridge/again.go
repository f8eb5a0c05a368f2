package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"rialto/a2a"
)

// RepeatsFor is how long a message counts as the repetition of an equal one.
// Later it is another: there are clients whose ids never change.
const RepeatsFor = time.Hour

// SentBefore says that a message is the repetition of one that was sent.
type SentBefore struct {
	Handle string // of the task that it has started or continued
}

// Error says so in words.
func (e SentBefore) Error() string { return "the message was sent before" }

// digest tells a message that is sent again from another, by the name that its
// caller gave it and by its content: some clients number their messages from one
// in each process. It is "" if the caller gave no name.
func digest(m *a2a.Message) string {
	if m.ID == "" {
		return ""
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "" // it has no JSON form, so it did not come over a wire
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// again returns whoever follows the task of a message that owner has sent
// before: a call that is made again, because its answer was lost, finds the task
// that it has begun. It is nil if the message is new.
func (b *Bridge) again(ctx context.Context, owner, agent, sum string) (*follower, error) {
	if sum == "" {
		return nil, nil
	}
	handle, err := b.Ledger.SentTask(ctx, owner, agent, sum, b.Now())
	if err != nil || handle == "" {
		return nil, err
	}
	return b.rejoin(ctx, owner, handle)
}

// rejoin returns the follower of a task or, where there is none here, one that
// sees what the ledger hears of it for as long as ctx lasts.
func (b *Bridge) rejoin(ctx context.Context, owner, handle string) (*follower, error) {
	if f := b.follower(handle); f != nil {
		return f, nil
	}
	e, err := b.Ledger.Task(ctx, owner, handle)
	if err != nil {
		return nil, err
	}
	f := &follower{b: b, entry: e, start: e.clone(), heard: e.Task != nil, ended: e.Settled, changed: make(chan struct{}), saved: b.Now()}
	if !e.Settled {
		go f.read(ctx)
	}
	return f, nil
}

// forget lets a message be sent again that provably has not begun anything.
// Where that is not known, its repetition finds the task that failed.
func (f *follower) forget(err error) {
	if f.entry.Digest == "" || !certain(err) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.b.running), writeBudget)
	defer cancel()
	if err := f.b.Ledger.ForgetSent(ctx, f.entry); err != nil {
		f.b.Log.Error("forgetting a message that was refused", "task", f.entry.Handle, "err", err)
	}
}

// read follows a task by what the ledger hears of it, and by this replica's
// follower as soon as there is one, until the task has settled or nobody waits
// any more.
func (f *follower) read(ctx context.Context) {
	rung, leave := f.b.bells.enter(f.start.Handle)
	defer leave()
	for heard := f.start.Task != nil; ; {
		e, err := f.b.Ledger.Task(context.WithoutCancel(ctx), f.start.Owner, f.start.Handle)
		live := f.b.follower(f.start.Handle)
		if err == nil && !e.Settled && live != nil {
			e = live.wait(ctx, nil, func(string) {}, !heard)
		}
		over := err != nil || e.Settled || ctx.Err() != nil || f.b.waits.Err() != nil
		f.sees(e, over)
		switch {
		case over:
			return
		case live != nil && !heard && e.Task != nil:
			heard = true // and now for its end
			continue
		}
		heard = e.Task != nil
		select {
		case <-ctx.Done():
		case <-f.b.waits.Done():
		case <-rung:
		case <-time.After(pollEvery):
		}
	}
}

// sees takes over how the task stands; e is nil if that is not known.
func (f *follower) sees(e *Entry, over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e != nil {
		f.entry, f.heard = e, e.Task != nil
	}
	f.ended = over
	f.announce()
}
