package proxy

import (
	"context"
	"errors"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// Cancel asks the agent to stop a task and returns the task. The error is ErrNoTask, NotCancelable
// or an *a2a.Error.
func (p *Proxy) Cancel(
	ctx context.Context, access directory.Access, handle string,
) (*ledger.Record, error) {
	e, err := p.Runner.Cancel(ctx, access, handle)
	_, refused := errors.AsType[ledger.NotCancelable](err)
	if refused || errors.Is(err, ledger.ErrNoTask) {
		return nil, err
	}
	return e, (&Agent{proxy: p}).a2aError(err)
}
