package bridge

import (
	"context"
	"rialto/bridge/ledger"
)

// own returns the caller's task, or ErrNoTask.
func (b *Bridge) own(ctx context.Context, handle string) (*ledger.Record, error) {
	e, err := b.Ledger.Task(ctx, b.Directory.Caller(ctx).User, handle)
	if err == nil && b.Directory.Hides(ctx, e.Agent) {
		return nil, ledger.ErrNoTask
	}
	return e, err
}
