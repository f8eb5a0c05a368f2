package a2aclient

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rialto/a2a"
)

// DefaultIdleTimeout is how long a stream may be quiet before its task is looked at
// where Dialer does not say.
const DefaultIdleTimeout = time.Minute

// quiet minds a stream that may never bring the end of its task: agents are
// known that drop what a subscriber is too slow to take, leave streams open
// after their end, and have nothing to say to who subscribes when it is over
// (trpc-a2a-go 0.0.3 and 0.2.5). While nothing comes it looks at the task, less
// and less often, and cuts the stream when the task has settled or cannot be
// seen any more; then whoever reads it goes on without it.
type watchdog struct {
	c     *Client
	ctx   context.Context // of whoever reads the stream
	id    a2a.TaskID
	cut   func()
	limit time.Duration
	heard atomic.Int64 // what the stream has brought

	mu    sync.Mutex
	timer *time.Timer // nil when it is over
	wait  time.Duration
	seen  int64
}

// mind returns what minds a stream about task id, which looks first after a
// while. Stop it.
func (c *Client) watch(ctx context.Context, id a2a.TaskID, first time.Duration, cut func()) *watchdog {
	q := &watchdog{c: c, ctx: ctx, id: id, cut: cut, wait: first, limit: max(first, c.dialer.idleTimeout())}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timer = time.AfterFunc(q.wait, q.wake)
	return q
}

// over reports whether the task has settled or cannot be seen any more.
func (q *watchdog) over() bool {
	t, err := q.c.Task(q.ctx, a2a.TaskQuery{ID: q.id})
	return err == nil && t.Status.State.Idle() || err != nil && final(q.ctx, err)
}

func (q *watchdog) wake() {
	n := q.heard.Load()
	q.mu.Lock()
	silent := q.timer != nil && n == q.seen
	q.seen = n
	q.mu.Unlock()
	if silent && q.over() {
		q.cut()
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if silent {
		q.wait = min(2*q.wait, q.limit)
	}
	if q.timer != nil {
		q.timer.Reset(q.wait)
	}
}

func (q *watchdog) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timer.Stop()
	q.timer = nil
}
