package limit

import (
	"context"
	"slices"
	"sync"
)

// Turns bounds what runs at once, and shares it between callers: those who wait take turns, so that
// one caller's many requests delay another's by one each. Its zero value is open.
type Turns struct {
	mu      sync.Mutex
	running int
	waiting int
	order   []string             // the callers who wait, the next first
	queues  map[string][]*queued // the requests of each caller, never empty
}

type queued struct {
	turn chan struct{} // closed when its turn has come, or its place was given away
	lost bool          // its place was given away
}

// Enter waits for a turn of a caller, of which n run at once; leave ends it. It returns ErrBusy if
// size wait already, unless another caller has more places in the queue than this one: then
// that caller loses its last place, and gets ErrBusy there.
func (t *Turns) Enter(ctx context.Context, caller string, n, size int) (leave func(), err error) {
	mine, err := t.enter(caller, n, size)
	if err != nil {
		return nil, err
	}
	leave = func() { t.leave(n) }
	select {
	case <-mine.turn:
	case <-ctx.Done():
		if t.giveUp(caller, mine) {
			return nil, ctx.Err()
		}
		if !mine.lost {
			leave() // the turn came at this moment
		}
		return nil, ctx.Err()
	}
	if mine.lost {
		return nil, ErrBusy
	}
	return leave, nil
}

func (t *Turns) enter(caller string, n, size int) (*queued, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting >= size && !t.makeRoom(len(t.queues[caller])) {
		return nil, ErrBusy
	}
	if t.queues == nil {
		t.queues = map[string][]*queued{}
	}
	mine := &queued{turn: make(chan struct{})}
	if len(t.queues[caller]) == 0 {
		t.order = append(t.order, caller)
	}
	t.queues[caller] = append(t.queues[caller], mine)
	t.waiting++
	t.next(n)
	return mine, nil
}

// makeRoom takes the last place of the caller with the most, if it has more than one who has has
// would have with another. The lock is held.
func (t *Turns) makeRoom(has int) bool {
	most := ""
	for caller, queue := range t.queues {
		if len(queue) > len(t.queues[most]) {
			most = caller
		}
	}
	queue := t.queues[most]
	if len(queue) <= has+1 {
		return false
	}
	last := queue[len(queue)-1]
	t.remove(most, last)
	last.lost = true
	close(last.turn)
	return true
}

// leave ends a turn.
func (t *Turns) leave(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.next(n)
}

// giveUp takes one out of the queue, and tells whether it was there.
func (t *Turns) giveUp(caller string, mine *queued) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.remove(caller, mine)
}

// next lets those run for whom there is room. The lock is held.
func (t *Turns) next(n int) {
	for t.running < n && t.waiting > 0 {
		caller := t.order[0]
		mine := t.queues[caller][0]
		t.order = append(t.order[1:], caller) // its next one comes after the others'
		t.remove(caller, mine)
		t.running++
		close(mine.turn)
	}
}

// remove takes one out of the queue of its caller, and tells whether it was there. The lock is held.
func (t *Turns) remove(caller string, mine *queued) bool {
	i := slices.Index(t.queues[caller], mine)
	if i < 0 {
		return false
	}
	t.waiting--
	if t.queues[caller] = slices.Delete(t.queues[caller], i, i+1); len(t.queues[caller]) == 0 {
		delete(t.queues, caller)
		t.order = slices.DeleteFunc(t.order, func(c string) bool { return c == caller })
	}
	return true
}
