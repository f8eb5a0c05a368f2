package runner

import (
	"context"
	"sync"
	"time"
)

// writeContext is the context of writes of the ledger. Each may take writeBudget, and
// those that begin within a second share one that lasts as long for the last of them:
// a context with a timer of its own costs about as much as what is written takes to
// encode. The zero value is ready.
type writeContext struct {
	mu          sync.Mutex
	ctx         context.Context
	end         context.CancelFunc // by itself, in time
	sharedUntil time.Time          // until when writes may begin under it
}

// context returns the context for a write that begins now. It outlives the bridge's,
// so that the last write of a closing bridge happens.
func (w *writeContext) context(running context.Context) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.ctx == nil || now.After(w.sharedUntil) {
		w.sharedUntil = now.Add(time.Second)
		w.ctx, w.end = context.WithDeadline(context.WithoutCancel(running), w.sharedUntil.Add(writeBudget))
	}
	return w.ctx
}
