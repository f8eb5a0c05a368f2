package runner

import (
	"context"
	"rialto/bridge/ledger"
	"time"
)

// Wait passes on progress until the follower has ended, or with firstWord the agent has
// answered, or ctx, the time or all waits end. It returns the record.
func (f *Follower) Wait(ctx context.Context, over <-chan time.Time, progress func(string), firstWord bool) *ledger.Record {
	for seen := 0; ; {
		f.mu.Lock()
		lines := f.progress[len(f.progress)-min(f.progressCount-seen, len(f.progress)):]
		seen = f.progressCount
		done, changed := f.ended || f.lost != nil || firstWord && f.heard, f.changed
		f.mu.Unlock()

		for _, line := range lines {
			progress(line)
		}
		if done {
			return f.Snapshot()
		}
		select {
		case <-ctx.Done():
			return f.Snapshot()
		case <-over:
			return f.Snapshot()
		case <-f.r.waits.Done():
			return f.Snapshot()
		case <-changed:
		}
	}
}

func (f *Follower) Snapshot() *ledger.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.record.Clone()
}

// Refusal returns why the agent did not take the message, after the follower has ended.
func (f *Follower) Refusal() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

func (f *Follower) announce() {
	if f.ended && f.uncount != nil { // nil if it was never counted
		f.uncount() // before a waiter starts the next task
	}
	close(f.changed)
	f.changed = make(chan struct{})
}
