package runner

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// Follower follows one task of this replica, from the message that starts or continues
// it until the task is idle, and wakes its waiters. It lives as long as the runner, not
// as long as a caller: a client that disconnects loses nothing.
type Follower struct {
	r    *Runner
	conn directory.Conn

	mu            sync.Mutex
	state         state
	record        *ledger.Record
	recorded      time.Time      // Updated of the record as it was last written; zero if it was not
	refusal       error          // why the agent did not take the message; nil if it did
	recordErr     error          // why the first write failed: see unrecorded
	feed          feed           // latest changes
	lastLine      string         // of progress
	lastPiece     time.Time      // time of the last piece of a result
	changed       chan struct{}  // closed at each change, and replaced
	woken         chan struct{}  // ready after Wake; nil if there are no webhooks
	start         *ledger.Record // as it was before the agent said anything; never changes
	message       *a2a.Message   // that was sent; nil if none was
	size          int            // bytes of the task, at most
	revisionsSize int            // bytes of its past, which is written with it
	counted       int            // of both, in the runner's memory
	begun         time.Time      // when the message was sent
	saved         time.Time      // last write of an answer; zero if there was none
	timer         *time.Timer    // writes what a burst of events left dirty

	cancelStream context.CancelFunc // ends the stream
	releaseQuota func()             // notes that the task runs no longer; nil if it is not counted, or no longer
}

// Follow starts a follower for e, which we hold. Without send it resumes
// the task. On a runner that closes, nothing starts: the next process finds the task in the ledger.
func (r *Runner) Follow(conn directory.Conn, e *ledger.Record, send *a2a.SendRequest) *Follower {
	f := r.newFollower(conn, e, send)
	if r.running.Err() != nil {
		f.state = released
		return f
	}

	r.quotas.enter(f, r.quotas.counts.enter(f.start))
	r.live.set(f)
	r.waiters.wake(e.Handle) // those that came between the ledger's record and now
	r.wg.Go(func() { f.live(send) })
	return f
}

func (r *Runner) newFollower(conn directory.Conn, e *ledger.Record, send *a2a.SendRequest) *Follower {
	f := &Follower{
		r:             r,
		conn:          conn,
		record:        e,
		recorded:      e.Updated,
		start:         e.Clone(),
		changed:       make(chan struct{}),
		revisionsSize: e.Revisions.Size(),
		begun:         r.Now(),
	}
	switch p := e.Pending(); {
	case send != nil:
		f.message = send.Message
	case p != nil && p.Refused == "": // sent by an earlier follower
		f.message = &p.Message
	default:
		f.state = following
	}

	if r.Inbox != nil {
		f.woken = make(chan struct{}, 1)
	}

	f.feed.since = e.Updated
	if e.Task != nil {
		f.size = ledger.Size(e.Task)
	}

	return f
}

// live runs f, and removes it from the followers of this replica when it ends.
func (f *Follower) live(send *a2a.SendRequest) {
	growStack()
	ctx, ended := f.traced(f.r.running, send == nil)
	defer ended()
	f.run(ctx, f.r.withWebhook(f.conn, f.start, send))
	f.r.live.remove(f)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.releaseQuota != nil {
		f.releaseQuota()
	}

	f.wakeWatchers() // for those who watch a task that another replica took over
}

// Follower returns the follower of a task on this replica, or nil.
func (r *Runner) Follower(handle string) *Follower { return r.live.get(handle) }

// run sends the message, if there is one, and follows the task until it is idle, the
// lease is lost or the runner closes. The message is sent once: after a broken stream,
// the agent is only asked for the task.
func (f *Follower) run(ctx context.Context, send *a2a.SendRequest) {
	defer f.flush(ctx)
	ctx, cancelStream := context.WithCancel(ctx)
	defer cancelStream()
	f.mu.Lock()
	f.cancelStream = cancelStream
	f.mu.Unlock()
	if f.r.Inbox != nil && f.conn.Card().Capabilities.PushNotifications {
		f.r.wg.Go(func() { f.pollWhenWoken(ctx, cancelStream) })
	}

	var sent error
	switch {
	case send != nil:
		sent = f.send(ctx, send)
	case f.message != nil:
		f.confirmDelivery(ctx, errUnheard)
	}

	f.resumeUntilIdle(ctx, send == nil, sent)
	f.cancelUnrecorded()
}

// send sends the message and applies the events of the answer. It returns what ended them.
func (f *Follower) send(ctx context.Context, send *a2a.SendRequest) error {
	send, err := withFiles(ctx, f.r.Uploads, send)
	if err != nil {
		f.rejected(ctx, err)
		return err
	}
	n, err := f.consume(ctx, f.conn.Stream(ctx, send))
	if n == 0 && refusedPush(send, err) {
		send.Push = nil
		n, err = f.consume(ctx, f.conn.Stream(ctx, send))
	}
	if n > 0 {
		dropDelivered(ctx, f)
	}

	switch {
	case n > 0 || ctx.Err() != nil || f.finished():
	case f.taskID() != "" && undelivered(err):
		f.keepUndelivered(ctx, err)
	case errors.Is(err, a2a.ErrStreamEnded), errors.Is(err, a2a.ErrNoStream): // it has the message
	case f.taskID() != "" && err != nil && !ledger.Refused(err): // it may have arrived
		f.confirmDelivery(ctx, err)
	default:
		f.rejected(ctx, err)
	}

	return err
}

// consume applies events until they end, and returns how many there were.
func (f *Follower) consume(
	ctx context.Context, events iter.Seq2[a2a.Event, error],
) (n int, err error) {
	for e, err := range events {
		if err != nil {
			f.endIfTooLarge(err)
			return n, err
		}
		n++
		if repeatsPause(f, e) {
			continue
		}
		if f.finished() && !goOn(ctx, f) {
			break
		}
		f.apply(e)
		if f.finished() && !mayGoOn(ctx, f) {
			break
		}
		f.r.quotas.memory.throttle(ctx, f.start.Owner, ledger.Size(e))
	}
	return n, nil
}

// applyBeside applies an event that did not come from the stream of the follower, and ends
// the stream if the task is idle now: a silent agent would keep it open.
func (f *Follower) applyBeside(e a2a.Event) {
	f.apply(e)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.endStream()
}

// endStream ends the stream if no more events matter. It is called with f.mu held.
func (f *Follower) endStream() {
	if f.ignoresEvents() && f.cancelStream != nil {
		f.cancelStream()
	}
}

// endIfTooLarge ends a task that the agent has begun if err says that an answer about it is
// too large: each look at it would fetch that answer again.
func (f *Follower) endIfTooLarge(err error) {
	if errors.Is(err, a2a.ErrTooLarge) && f.taskID() != "" && !f.finished() {
		f.r.Log.Warn(
			"following a task",
			"task", f.record.Handle,
			"agent", f.record.Agent,
			"err", err,
		)
		f.becomeIdle(func(e *ledger.Record) { e.Failure = ledger.FailureOf(err) })
	}
}

// apply applies an event to the record and wakes the waiters. The last event is written before
// waiters see it, unless the write fails and is retried; the others are written soon after.
func (f *Follower) apply(e a2a.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ignoresEvents() {
		return
	}

	now := f.r.Now()
	e, changed := f.merge(e, now)
	if !changed {
		return
	}
	if f.state == unanswered {
		f.state = following
	}

	size := ledger.Size(e)
	total := f.size + size
	if _, whole := e.(*a2a.Task); whole {
		total = size
	}
	if f.r.quotas.resize(f, total) != nil { // what was replaced or forgotten counted so far
		f.record.Failure = cmp.Or(
			f.r.quotas.resize(f, ledger.Size(f.record.Task)), f.record.Failure,
		)
	}

	f.record.Touch(now)
	f.record.Idle = f.record.Failure != nil || f.record.Task.Status.State.Idle()
	f.addChange(e, size)
	if f.record.Idle {
		f.end()
	} else {
		f.saveSoon(now)
	}

	f.wakeWatchers()
}

// merge applies an event to the record, and returns it with what the agent left out. The first
// event answers the message, which then belongs to the history.
func (f *Follower) merge(e a2a.Event, now time.Time) (merged a2a.Event, changed bool) {
	first := f.awaitsAnswer()
	var answered *a2a.Message
	if first {
		answered = f.message
	}

	e, changed, revised := f.record.Apply(e, answered, now)
	if !changed {
		return e, false
	}
	if revised {
		f.revisionsSize = f.record.Revisions.Size()
	}
	if !first {
		return e, true
	}
	if _, whole := e.(*a2a.Task); !whole {
		f.record.Task.History = append(f.record.Task.History, *f.message)
	}
	if f.r.Observer != nil {
		f.r.Observer.FirstEvent(f.record.Agent, now.Sub(f.begun))
	}

	return e, true
}

// end writes the idle record, and makes the follower idle unless the ledger refuses that. It is
// called with f.mu held.
func (f *Follower) end() {
	f.write()
	if f.state == unanswered || f.state == following {
		f.state = idle
	}
}

// wakeWatchers wakes those who watch the task. It is called with f.mu held.
func (f *Follower) wakeWatchers() {
	if f.ignoresEvents() && f.releaseQuota != nil {
		f.releaseQuota() // before a waiter starts the next task
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// becomeIdle makes the task idle with a change of the record.
func (f *Follower) becomeIdle(change func(*ledger.Record)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ignoresEvents() {
		return
	}

	change(f.record)
	f.record.Touch(f.r.Now())
	f.record.Idle = true
	f.addChange(nil, 0)
	f.end()
	f.wakeWatchers()
}

func (f *Follower) taskID() a2a.TaskID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.record.Task == nil {
		return ""
	}
	return f.record.Task.ID
}

// growStack grows the stack of a new goroutine to what decoding the answer of an agent needs, while
// there is little on it to copy. Otherwise it grows in three steps at its deepest point, which takes
// 15 µs of a call.
//
//go:noinline
func growStack() {
	var frame [12 << 10]byte
	runtime.KeepAlive(&frame)
}
