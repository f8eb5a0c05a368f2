package documents

import (
	"context"
	"rialto/bridge/ledger"
)

// Past returns what has been of a task of the caller's, nil if nothing was noted, or
// ErrNoTask.
func (l *Library) Past(ctx context.Context, handle string) (*ledger.Revisions, error) {
	e, _, err := l.Runner.Current(ctx, l.Directory.Caller(ctx).User, handle)
	if err != nil {
		return nil, err
	}
	if !e.Revisions.Any() {
		return nil, nil
	}
	return e.Revisions, nil
}
