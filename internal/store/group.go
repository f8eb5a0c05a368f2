package store

import (
	"context"
	"fmt"
	"sync"
)

// maxGroup bounds how many transactions are committed together.
const maxGroup = 64

// group commits together what wants to be written at the same time. SQLite has
// one writer, and a commit waits for the disk: alone, sixteen writers would
// wait for it sixteen times, one after the other. Each is told that it is done
// only after the commit, so nothing is promised that a power cut can undo.
type group struct {
	pool *pool

	mu      sync.Mutex
	waiting []*unit
	running bool
}

// unit is one transaction of a group.
type unit struct {
	do   func(*tx) error
	err  error
	done chan struct{}
}

// inTx runs do in a transaction, as pool.inTx does, with others. Once it is
// queued it is done or fails whatever becomes of ctx: to interrupt a statement
// would undo the work of the whole group.
func (g *group) inTx(ctx context.Context, do func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	u := &unit{do: do, done: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, u)
	if !g.running {
		g.running = true
		go g.run()
	}
	g.mu.Unlock()
	<-u.done
	return u.err
}

// run commits groups until nobody waits.
func (g *group) run() {
	for {
		g.mu.Lock()
		units := g.waiting[:min(len(g.waiting), maxGroup)]
		g.waiting = g.waiting[len(units):]
		g.running = len(units) > 0
		g.mu.Unlock()
		if len(units) == 0 {
			return
		}
		if err := g.commit(context.Background(), units); err != nil {
			for _, u := range units {
				u.err = err
			}
		}
		for _, u := range units {
			close(u.done)
		}
	}
}

// commit runs the units one after the other in one transaction. Its error is
// everybody's: then nothing was written.
func (g *group) commit(ctx context.Context, units []*unit) error {
	return g.pool.inTx(ctx, func(t *tx) error {
		if len(units) == 1 {
			return units[0].do(t)
		}
		for _, u := range units {
			var err error
			if u.err, err = t.apart(ctx, u.do); err != nil {
				return err
			}
		}
		return nil
	})
}

// apart runs do so that, if it fails, what it wrote is undone and the
// transaction goes on. The second error says that it cannot go on: some
// failures, a full disk among them, make SQLite give up all of it.
func (t *tx) apart(ctx context.Context, do func(*tx) error) (failed, broken error) {
	if _, err := t.ExecContext(ctx, "SAVEPOINT unit"); err != nil {
		return nil, err
	}
	if failed = do(t); failed != nil {
		if _, err := t.ExecContext(ctx, "ROLLBACK TO unit"); err != nil {
			return nil, fmt.Errorf("undoing after %w: %w", failed, err)
		}
	}
	_, broken = t.ExecContext(ctx, "RELEASE unit")
	return failed, broken
}
