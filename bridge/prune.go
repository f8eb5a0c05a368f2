package bridge

import (
	"context"
	"time"
)

// pruneBatch bounds how long one statement keeps other writers waiting.
const pruneBatch = 500

// Prune forgets tasks that settled longer ago than they are kept, each as its
// agent has it, and shares that have ended.
func (b *Bridge) Prune(ctx context.Context) error {
	var own []string
	for _, a := range b.Directory.All() {
		if a.Retention == 0 {
			continue
		}
		if err := b.prune(ctx, a.Retention, a.Name, nil); err != nil {
			return err
		}
		own = append(own, a.Name)
	}
	if err := b.pruneShares(ctx); err != nil {
		return err
	}
	return b.prune(ctx, b.Directory.RetentionOf(""), "", own)
}

func (b *Bridge) prune(ctx context.Context, keep time.Duration, agent string, but []string) error {
	before := b.Now().Add(-keep)
	for {
		n, err := b.Ledger.DropTasks(ctx, before, agent, but, pruneBatch)
		if err != nil || n < pruneBatch {
			return err
		}
	}
}
