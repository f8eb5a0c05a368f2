package a2aclient

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rialto/a2a"
)

// DefaultIdleTimeout is how long a stream may send nothing before its task is polled,
// unless Dialer sets it.
const DefaultIdleTimeout = time.Minute

// watchdog closes a stream that may never bring the end of its task: trpc-a2a-go 0.0.3
// and 0.2.5 drop events for slow subscribers, leave streams open after their end, and
// send nothing to a subscription after the end. While the stream is silent it polls the
// task, with a growing interval, and cuts the stream when the task is idle or cannot be
// read. The stream then has ended before its task.
type watchdog struct {
	c     *Client
	ctx   context.Context // the reader's
	id    a2a.TaskID
	cut   func()
	limit time.Duration
	heard atomic.Int64 // number of events received

	paused atomic.Bool // the task is known to wait: it is not polled

	mu    sync.Mutex
	timer *time.Timer // nil when it is over
	wait  time.Duration
	seen  int64
}

// watch starts a watchdog for a stream about task id, which polls first after the
// duration first. Stop it.
func (c *Client) watch(
	ctx context.Context,
	id a2a.TaskID,
	first time.Duration,
	cut func(),
) *watchdog {
	q := &watchdog{
		c:     c,
		ctx:   ctx,
		id:    id,
		cut:   cut,
		wait:  first,
		limit: max(first, c.dialer.idleTimeout()),
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timer = time.AfterFunc(q.wait, q.wake)
	return q
}

// over reports whether the task is idle or cannot be read.
func (q *watchdog) over() bool {
	t, err := q.c.poll(q.ctx, q.id)
	return err == nil && t.Status.State.Idle() || err != nil && final(q.ctx, err)
}

func (q *watchdog) wake() {
	n := q.heard.Load()
	q.mu.Lock()
	silent := q.timer != nil && n == q.seen
	q.seen = n
	q.mu.Unlock()
	if silent && !q.paused.Load() && q.over() {
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

// soon polls after a short silence, as after a subscription.
func (q *watchdog) soon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wait = q.limit / 64
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
