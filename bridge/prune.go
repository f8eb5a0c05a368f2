package bridge

import (
	"cmp"
	"context"
	"time"
)

const (
	defaultRetention = 90 * 24 * time.Hour

	// pruneBatch bounds how long others who write wait for one statement.
	pruneBatch = 500
)

// Prune forgets tasks that settled longer ago than they are kept, each as its
// agent has it, and shares that have ended.
func (b *Bridge) Prune(ctx context.Context) error {
	var own []string
	for _, a := range b.roster().peers {
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
	return b.prune(ctx, b.retention(""), "", own)
}

// retention returns how long the settled tasks of an agent are kept.
func (b *Bridge) retention(agent string) time.Duration {
	if p := b.peer(agent); p != nil && p.Retention != 0 {
		return p.Retention
	}
	return cmp.Or(b.Retention, defaultRetention)
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
