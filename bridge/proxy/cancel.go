package proxy

import (
	"context"
	"errors"
	"rialto/bridge/ledger"
)

// Cancel asks the agent to stop a task of owner's and returns the task as it then
// stands. Who may ask is for its caller to decide. It fails with ErrNoTask, and
// else as an agent does, with an *a2a.Error.
func (p *Proxy) Cancel(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	e, err := p.Runner.Cancel(ctx, owner, handle)
	if err != nil && !errors.Is(err, ledger.ErrNoTask) {
		err = (&Agent{proxy: p}).a2aError(err)
	}
	return e, err
}
