package runner

import (
	"context"
	"time"
)

// Prune forgets tasks that ended longer ago than the tasks of their agents are kept.
func (r *Runner) Prune(ctx context.Context) error {
	var own []string
	for _, a := range r.Directory.All() {
		if a.Retention == 0 {
			continue
		}
		if err := r.prune(ctx, time.Duration(a.Retention), a.Name, nil); err != nil {
			return err
		}
		own = append(own, a.Name)
	}
	return r.prune(ctx, r.Directory.RetentionOf(""), "", own)
}

func (r *Runner) prune(ctx context.Context, keep time.Duration, agent string, but []string) error {
	before := r.Now().Add(-keep)
	for {
		n, err := r.Ledger.DropTasks(ctx, before, agent, but, PruneBatch)
		if err != nil || n < PruneBatch {
			return err
		}
	}
}

// PruneBatch bounds how long one statement keeps other writers waiting.
const PruneBatch = 500
