package sqldb

import (
	"context"
	"fmt"
	"runtime/debug"
)

const maxGroup = 64 // transactions that are committed together

// group commits together what is written at the same time. SQLite has one writer, and a
// commit waits for the disk: alone, sixteen writers would wait for it sixteen times. Each
// caller is answered after the commit, so nothing is promised that a power cut can undo.
// A statement is never interrupted: that would undo the work of the whole group.
type group struct {
	pool *Pool
	file *openedFile // nil in memory

	waiting Waiters[*unit]
}

// unit is what one caller writes.
type unit struct {
	do   func(*Tx) error
	err  error
	done chan struct{}
}

// inTx runs do in a transaction, as pool.inTx does, with others. A caller whose ctx ends
// leaves the queue; once its turn has come, it is done or fails whatever happens to ctx.
func (g *group) inTx(ctx context.Context, do func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	u := &unit{do: do, done: make(chan struct{})}
	if err := g.waiting.Enter(u, g.run); err != nil {
		return err
	}

	select {
	case <-u.done:
	case <-ctx.Done():
		if g.waiting.Leave(u) {
			return ctx.Err()
		}
		<-u.done
	}

	return u.err
}

// run commits until no unit waits.
func (g *group) run() {
	for !g.waiting.Idle() {
		units, err := g.commit(context.Background(), g.waiting.Take(maxGroup))
		for _, u := range units {
			if err != nil {
				u.err = err
			}
			close(u.done)
		}
	}
}

// Waiting returns how many writers wait on SQLite.
func (db *DB) Waiting() int {
	g := db.Write.group
	if g == nil {
		return 0
	}
	return g.waiting.Len()
}

// run does a unit's work. A panic is an error here: in a goroutine of the group, it
// would end the program.
func (u *unit) run(t *Tx) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("store: panic in a transaction: %v\n%s", v, debug.Stack())
		}
	}()
	return u.do(t)
}

// commit runs units one after the other in one transaction, and those that come
// meanwhile. Its error is that of all: then nothing was written. It is rare that a unit
// fails, and to be ready for it costs each two statements more; so it is undone with all
// the others, and they are run again, each with a savepoint.
func (g *group) commit(ctx context.Context, units []*unit) ([]*unit, error) {
	var failed error
	if err := g.file.check(); err != nil {
		return units, Classify(err)
	}

	err := g.pool.inTx(ctx, func(t *Tx) error {
		for done := 0; done < len(units); done++ {
			failed = units[done].run(t)
			if failed != nil {
				return failed
			}
			if done == len(units)-1 {
				units = append(units, g.waiting.Take(maxGroup-len(units))...)
			}
		}
		return nil
	})
	if failed == nil || len(units) == 1 {
		return units, err
	}

	return units, g.pool.inTx(ctx, func(t *Tx) error {
		for _, u := range units {
			var err error
			u.err, err = t.savepoint(ctx, u.run)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// savepoint runs do so that, if it fails, what it wrote is undone and the transaction goes
// on. The second error says that it cannot go on: after some failures, such as a full
// disk, SQLite undoes all of it.
func (t *Tx) savepoint(ctx context.Context, do func(*Tx) error) (failed, broken error) {
	if _, err := t.ExecContext(ctx, "SAVEPOINT unit"); err != nil {
		return nil, err
	}

	failed = do(t)
	if failed != nil {
		if _, err := t.ExecContext(ctx, "ROLLBACK TO unit"); err != nil {
			return nil, fmt.Errorf("undoing after %w: %w", failed, err)
		}
	}

	_, broken = t.ExecContext(ctx, "RELEASE unit")
	return failed, broken
}
