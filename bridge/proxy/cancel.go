package proxy

import (
	"context"
	"errors"
	"rialto/bridge/ledger"
)

// Cancel asks the agent to stop a task of owner and returns the task. Its caller checks
// who may do so. The error is ErrNoTask or an *a2a.Error.
func (p *Proxy) Cancel(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	e, err := p.Runner.Cancel(ctx, owner, handle)
	if err != nil && !errors.Is(err, ledger.ErrNoTask) {
		err = (&Agent{proxy: p}).a2aError(err)
	}
	return e, err
}
