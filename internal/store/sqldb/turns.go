package sqldb

import (
	"context"
	"slices"
	"sync"

	"rialto/internal/unavailable"
)

// Turns shares the connections that read between users: one user has at most half of them,
// and a connection that is free goes to the waiting user who has the fewest, and among those
// to the one whose last turn began first. So slow or many statements of one user delay
// another's by one statement at most.
type Turns struct {
	mu      sync.Mutex
	free    int
	each    int // that one user may have
	begun   int // turns so far
	users   map[string]*sharing
	waiting []*turn
}

// sharing is a user who has turns or waits for one.
type sharing struct{ has, waits, last int }

type turn struct {
	user string
	of   *sharing
	now  chan struct{} // closed when it is this one's turn
}

func newTurns(size int) *Turns {
	return &Turns{free: size, each: max(1, size/2), users: map[string]*sharing{}}
}

// Take waits for the turn of a user, who must have none already in the same call. Call done
// when the rows are read.
func (t *Turns) Take(ctx context.Context, user string) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	mine := t.enter(user)
	if mine == nil {
		return nil, &unavailable.Error{Overloaded: true, Cause: ErrBusy}
	}
	select {
	case <-mine.now:
		return func() { t.leave(mine) }, nil
	case <-ctx.Done():
		t.leave(mine)
		return nil, Classify(ctx.Err())
	}
}

// enter puts a user into the queue; nil says that it is full.
func (t *Turns) enter(user string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= MaxWaiting {
		return nil
	}
	if t.users[user] == nil {
		t.users[user] = &sharing{}
	}
	mine := &turn{user, t.users[user], make(chan struct{})}
	mine.of.waits++
	t.waiting = append(t.waiting, mine)
	t.next()
	return mine
}

// leave gives a turn back, or a place in the queue.
func (t *Turns) leave(mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, mine); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		mine.of.waits--
	} else {
		mine.of.has--
		t.free++
	}
	if *mine.of == (sharing{last: mine.of.last}) {
		delete(t.users, mine.user)
	}
	t.next()
}

// next gives free connections to those who wait. The lock is held.
func (t *Turns) next() {
	for t.free > 0 {
		best := -1
		for i, w := range t.waiting {
			if w.of.has < t.each && (best < 0 || w.of.before(t.waiting[best].of)) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		w := t.waiting[best]
		t.waiting = slices.Delete(t.waiting, best, best+1)
		t.free--
		t.begun++
		w.of.waits, w.of.has, w.of.last = w.of.waits-1, w.of.has+1, t.begun
		close(w.now)
	}
}

// before reports whether a user comes before another.
func (s *sharing) before(other *sharing) bool {
	return s.has < other.has || s.has == other.has && s.last < other.last
}
