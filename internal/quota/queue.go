package quota

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Room is what a Queue lets in.
type Room struct {
	Running int // at once
	PerKey  int // at once for one key; 0 means Running
	Waiting int // at once
}

// Queue bounds what runs at once, and shares it between keys. A free place goes to the waiting key that
// has the fewest, and among those to the one whose last turn began first, so that many or slow
// requests of one key delay another's by one turn. Its zero value is ready.
type Queue struct {
	mu      sync.Mutex
	running int
	waiting int
	turns   int // that have begun or asked to, so far
	keys    map[string]*share
}

// share is a key that has places or waits for some.
type share struct {
	running int
	last    int // when its last turn began
	waiting []*waiter
}

type waiter struct {
	came    int
	done    chan struct{} // closed when its turn has come, or it was evicted
	evicted bool
}

// Acquire waits for a turn of the key, until release ends it. All calls must pass the same room. The
// error is that of ctx, or a *Refusal: as many wait as may. A key that has more of them than this one
// would have is evicted from its last place instead, and is refused there.
func (q *Queue) Acquire(ctx context.Context, key string, room Room) (release func(), err error) {
	w, refused := q.enter(key, room)
	if refused != nil {
		return nil, refused
	}

	select {
	case <-w.done:
	case <-ctx.Done():
		q.leave(key, w, room)
		return nil, ctx.Err()
	}

	if w.evicted {
		return nil, &Refusal{Limit: room.Waiting, Used: room.Waiting}
	}

	return sync.OnceFunc(func() { q.leave(key, w, room) }), nil
}

func (q *Queue) enter(key string, room Room) (*waiter, *Refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting >= room.Waiting && !q.evict(key) {
		return nil, &Refusal{Limit: room.Waiting, Used: q.waiting}
	}
	if q.keys == nil {
		q.keys = map[string]*share{}
	}

	s := q.keys[key]
	if s == nil {
		s = &share{}
		q.keys[key] = s
	}

	q.turns++
	w := &waiter{came: q.turns, done: make(chan struct{})}
	s.waiting = append(s.waiting, w)
	q.waiting++
	q.next(room)
	return w, nil
}

// evict takes the last place of the key that has the most, unless another place would give this key as
// many. The lock is held.
func (q *Queue) evict(key string) bool {
	most := &share{}
	own := 1
	for name, s := range q.keys {
		if len(s.waiting) > len(most.waiting) {
			most = s
		}
		if name == key {
			own += len(s.waiting)
		}
	}

	if len(most.waiting) <= own {
		return false
	}

	w := most.waiting[len(most.waiting)-1]
	most.waiting = most.waiting[:len(most.waiting)-1]
	q.waiting--
	w.evicted = true
	close(w.done)
	return true
}

// leave ends a turn, or gives up a place in the queue.
func (q *Queue) leave(key string, w *waiter, room Room) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.evicted {
		return
	}

	s := q.keys[key]
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		q.waiting--
	} else {
		s.running--
		q.running--
	}
	if s.running == 0 && len(s.waiting) == 0 {
		delete(q.keys, key)
	}

	q.next(room)
}

// next gives free places to those who wait. The lock is held.
func (q *Queue) next(room Room) {
	for q.running < room.Running {
		var best *share
		for _, s := range q.keys {
			if len(s.waiting) == 0 || s.running >= cmp.Or(room.PerKey, room.Running) {
				continue
			}
			if best == nil || s.before(best) {
				best = s
			}
		}
		if best == nil {
			return
		}
		w := best.waiting[0]
		best.waiting = best.waiting[1:]
		q.turns++
		best.running++
		best.last = q.turns
		q.running++
		q.waiting--
		close(w.done)
	}
}

// before reports whether a key comes before another. Both wait.
func (s *share) before(other *share) bool {
	return cmp.Or(
		cmp.Compare(s.running, other.running),
		cmp.Compare(s.last, other.last),
		cmp.Compare(s.waiting[0].came, other.waiting[0].came),
	) < 0
}
