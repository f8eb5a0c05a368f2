package runner

import (
	"context"
	"time"

	"rialto/bridge/ledger"
	"rialto/internal/batch"
)

// Prune forgets tasks that ended longer ago than the tasks of their agents are kept.
func (r *Runner) Prune(ctx context.Context) error {
	var own []string
	for _, a := range r.Directory.All() {
		if a.Retention == 0 {
			continue
		}
		if err := prune(ctx, r.Ledger, r.Now().Add(-time.Duration(a.Retention)), a.Name, nil); err != nil {
			return err
		}
		own = append(own, a.Name)
	}

	return prune(ctx, r.Ledger, r.Now().Add(-r.Directory.RetentionOf("")), "", own)
}

func prune(
	ctx context.Context, from ledger.Store, before time.Time, agent string, but []string,
) error {
	return batch.Drop(ctx, PruneBatch, func(size int) (int, error) {
		return from.DropTasks(ctx, before, agent, but, size)
	})
}

// PruneBatch bounds how long one statement keeps other writers waiting.
const PruneBatch = 100
