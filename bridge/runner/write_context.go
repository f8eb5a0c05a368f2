package runner

import (
	"context"
	"sync"
	"time"
)

// writeContext is the context of writes to the ledger. Writes that begin within a
// second share one, because a context with its own timer costs about as much as
// encoding a task. The zero value is ready.
type writeContext struct {
	mu          sync.Mutex
	ctx         context.Context
	end         context.CancelFunc // called by the deadline
	sharedUntil time.Time          // until when writes may begin under it
}

// context returns the context for a write that begins now. It outlives the runner, so
// that the last write happens.
func (w *writeContext) context(running context.Context) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.ctx == nil || now.After(w.sharedUntil) {
		w.sharedUntil = now.Add(time.Second)
		w.ctx, w.end = context.WithDeadline(context.WithoutCancel(running), w.sharedUntil.Add(writeBudget))
	}
	return w.ctx
}
