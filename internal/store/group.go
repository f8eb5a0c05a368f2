package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

const (
	maxGroup   = 64   // transactions that are committed together
	maxWaiting = 4096 // callers that wait; more are refused
)

var errBusy = errors.New("store: too many writers wait")

// queue serves together those who come at the same time: what they want is
// written one after the other, and whoever writes waits for the disk. Alone,
// sixteen writers would wait for it sixteen times.
type queue[T any] struct {
	most int // are served together

	// Where there were others just now, so many are waited for, but only so long.
	enough int
	gather time.Duration

	// serve does what is wanted, and returns who was served: those it was given
	// and who came meanwhile. It is called by one goroutine at a time.
	serve func([]*turn[T]) []*turn[T]

	mu      sync.Mutex
	waiting []*turn[T]
	running bool
	last    int           // were served together
	came    chan struct{} // ready when there were enough; nil waits for nobody
}

// turn is what one caller wants, and what became of it.
type turn[T any] struct {
	what T
	err  error
	done chan struct{}
}

// do waits until what is wanted is done. A caller whose ctx ends leaves the queue;
// once its turn has come it is done or fails whatever becomes of ctx.
func (q *queue[T]) do(ctx context.Context, what T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	u := &turn[T]{what: what, done: make(chan struct{})}
	if !q.enter(u) {
		return errBusy
	}
	select {
	case <-u.done:
	case <-ctx.Done():
		if q.leave(u) {
			return ctx.Err()
		}
		<-u.done
	}
	return u.err
}

func (q *queue[T]) enter(u *turn[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= maxWaiting {
		return false
	}
	q.waiting = append(q.waiting, u)
	ready(q.came, len(q.waiting) == q.enough)
	if !q.running {
		q.running = true
		go q.run()
	}
	return true
}

// leave takes a caller out of the queue, if it is still there.
func (q *queue[T]) leave(u *turn[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, u)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// run serves until nobody waits.
func (q *queue[T]) run() {
	for {
		if q.last > 1 && q.came != nil {
			q.wait()
		}
		served := q.serve(q.take(q.most))
		for _, u := range served {
			close(u.done)
		}
		q.last = len(served)
		if q.idle() {
			return
		}
	}
}

// wait waits for others to come.
func (q *queue[T]) wait() {
	long := time.NewTimer(q.gather)
	defer long.Stop()
	for {
		q.mu.Lock()
		here := len(q.waiting)
		q.mu.Unlock()
		if here >= q.enough {
			return
		}
		select {
		case <-q.came:
		case <-long.C:
			return
		}
	}
}

// idle reports whether nobody waits: then whoever comes next runs the queue.
func (q *queue[T]) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = len(q.waiting) > 0
	return !q.running
}

// take takes at most so many out of the queue. It lets those who are about to
// come get there first: the wait for the disk costs more than what is written
// before it.
func (q *queue[T]) take(most int) []*turn[T] {
	runtime.Gosched()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pop(most)
}

// pop is take with q.mu held.
func (q *queue[T]) pop(most int) []*turn[T] {
	turns := slices.Clone(q.waiting[:min(len(q.waiting), most)])
	q.waiting = slices.Delete(q.waiting, 0, len(turns))
	return turns
}

// group commits together what wants to be written at the same time. SQLite has
// one writer, and a commit waits for the disk. Each is told that it is done only
// after the commit, so nothing is promised that a power cut can undo. A statement
// is never interrupted: that would undo the work of the whole group.
type group struct {
	queue[func(*tx) error]
	pool *pool
}

type unit = turn[func(*tx) error]

func newGroup(p *pool) *group {
	g := &group{pool: p}
	g.most = maxGroup
	g.serve = func(units []*unit) []*unit {
		units, err := g.commit(context.Background(), units)
		for _, u := range units {
			if err != nil {
				u.err = err
			}
		}
		return units
	}
	return g
}

// inTx runs do in a transaction, as pool.inTx does, with others.
func (g *group) inTx(ctx context.Context, do func(*tx) error) error { return g.do(ctx, do) }

// run does a unit's work. It happens in a goroutine of nobody's, so a panic is an
// error here: it must not end the program.
func run(u *unit, t *tx) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("store: panic in a transaction: %v\n%s", v, debug.Stack())
		}
	}()
	return u.what(t)
}

// commit runs units one after the other in one transaction, and those who come
// meanwhile. Its error is everybody's: then nothing was written. That a unit
// fails is rare, and to be ready for it costs each of them two statements more;
// so it is undone with all the others, and they begin again, each apart.
func (g *group) commit(ctx context.Context, units []*unit) ([]*unit, error) {
	var failed error
	err := g.pool.inTx(ctx, func(t *tx) error {
		for done := 0; done < len(units); done++ {
			if failed = run(units[done], t); failed != nil {
				return failed
			}
			if done == len(units)-1 {
				units = append(units, g.join(maxGroup-len(units))...)
			}
		}
		return nil
	})
	if failed == nil || len(units) == 1 {
		return units, err
	}
	return units, g.pool.inTx(ctx, func(t *tx) error {
		for _, u := range units {
			var err error
			if u.err, err = t.apart(ctx, func(t *tx) error { return run(u, t) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// join takes those who have come while the transaction runs. It takes none if there
// is something now that a transaction begins with: they may know of it, and this one
// has begun without. Whether there is has to be asked while nobody can come.
func (g *group) join(most int) []*unit {
	runtime.Gosched()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pool.behind != nil && g.pool.behind() {
		return nil
	}
	return g.pop(most)
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
