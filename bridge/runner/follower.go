package runner

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

const (
	saveFirst   = 25 * time.Millisecond  // until the first write: many tasks are done by then
	saveEvery   = 250 * time.Millisecond // between two writes of a small task that streams
	writeBudget = 10 * time.Second
)

// Follower follows one task of this replica, from the message that starts or continues
// it until the task is idle, and wakes its waiters. It lives as long as the runner, not
// as long as a caller: a client that disconnects loses nothing.
type Follower struct {
	r    *Runner
	conn directory.Conn

	mu            sync.Mutex
	record        *ledger.Record
	ended         bool           // nothing more will come from this follower
	heard         bool           // the agent answered the message
	sent          error          // the refusal of the agent
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
	dirty         bool           // record has changes that the ledger does not have
	written       bool           // the ledger has heard of an answer
	saved         time.Time
	begun         time.Time   // when the message was sent
	timer         *time.Timer // writes what a burst of events left dirty

	unwritten bool   // the ledger does not have the task yet: see deferWrite
	lost      error  // why it never will
	hangUp    func() // ends the stream
	uncount   func() // notes that the task runs no longer; nil if it is not counted
}

// Follow starts a follower for e, which we hold. Without send it resumes
// the task. On a runner that closes, nothing starts: the next process finds the task in the ledger.
func (r *Runner) Follow(conn directory.Conn, e *ledger.Record, send *a2a.SendRequest) *Follower {
	f := r.newFollower(conn, e, send)
	if r.running.Err() != nil {
		f.ended = true
		return f
	}
	r.enter(f)
	r.live.set(f)
	r.waiters.wake(e.Handle) // those that came between the ledger's record and now
	r.wg.Go(func() { f.live(send) })
	return f
}

func (r *Runner) newFollower(conn directory.Conn, e *ledger.Record, send *a2a.SendRequest) *Follower {
	f := &Follower{r: r, conn: conn, record: e, start: e.Clone(), message: sentIn(send), changed: make(chan struct{}), revisionsSize: e.Revisions.Size(), saved: r.Now(), begun: r.Now()}
	if r.Hook != nil {
		f.woken = make(chan struct{}, 1)
	}
	f.feed.since = e.Updated
	if e.Task != nil {
		f.size = ledger.Size(e.Task)
	}
	return f
}

func (f *Follower) live(send *a2a.SendRequest) {
	ctx, ended := f.traced(f.r.running)
	defer ended()
	f.run(ctx, f.r.withHook(f.conn, f.start, send))
	f.r.live.remove(f)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.uncount()
	f.uncount = nil
	f.announce() // for those who watch a task that another replica took over
}

// enter counts the task of f, and its memory, until it is idle or its follower ends.
// f.uncount is called with f.mu held.
func (r *Runner) enter(f *Follower) {
	leave := r.live.counts.enter(f.start)
	f.uncount = sync.OnceFunc(func() {
		leave()
		r.memory.leave(f.start.Owner, f.counted)
	})
}

// resize notes how many bytes the task has, and returns why it must end if that is too much. The
// revisions have a limit of their own.
func (f *Follower) resize(bytes int) *ledger.Failure {
	from := f.counted
	f.size, f.counted = bytes, bytes+f.revisionsSize
	f.r.stored.grow(f.start.Owner, f.start.Agent, from, f.counted)
	if f.uncount == nil {
		return nil // the task runs no longer
	}
	if why := f.r.memory.resize(f.start.Owner, from, f.counted, f.r.limits()); why != nil || f.counted <= ledger.SmallTask {
		return why
	}
	return f.r.stored.cut(f.start.Owner, f.start.Agent)
}

// Follower returns the follower of a task on this replica, or nil.
func (r *Runner) Follower(handle string) *Follower { return r.live.get(handle) }

// run sends the message, if there is one, and follows the task until it is idle, the
// lease is lost or the runner closes. The message is sent once: after a broken stream,
// the agent is only asked for the task.
func (f *Follower) run(ctx context.Context, send *a2a.SendRequest) {
	defer f.flush(ctx)
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	f.mu.Lock()
	f.hangUp = hangUp
	f.mu.Unlock()
	if f.r.Hook != nil && f.conn.Card().Capabilities.PushNotifications {
		f.r.wg.Go(func() { f.pollWhenWoken(ctx, hangUp) })
	}
	var sent error
	if send != nil {
		sent = f.send(ctx, send)
	}
	f.resumeUntilIdle(ctx, send == nil, sent)
	f.withdraw()
}

// peer returns the connection, for other goroutines than that of run.
func (f *Follower) peer() directory.Conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conn
}

// send sends the message and applies the events of the answer. It returns what ended them.
func (f *Follower) send(ctx context.Context, send *a2a.SendRequest) error {
	n, err := f.consume(ctx, f.conn.Stream(ctx, send))
	if n == 0 && refusedPush(send, err) {
		send.Push = nil
		n, err = f.consume(ctx, f.conn.Stream(ctx, send))
	}
	switch {
	case n > 0 || ctx.Err() != nil || f.finished():
	case errors.Is(err, a2a.ErrStreamEnded), errors.Is(err, a2a.ErrNoStream): // it has the message
	case f.mayHaveArrived(err):
		f.confirmDelivery(ctx, err)
	default:
		f.rejected(ctx, err)
	}
	return err
}

// flush writes the last state, and retries until it is written, another replica follows
// the task, or the runner closes.
func (f *Follower) flush(ctx context.Context) {
	pause := retrying()
	for !f.Save() && pause.wait(ctx, 0) {
	}
}

// consume applies events until they end, and returns how many there were.
func (f *Follower) consume(ctx context.Context, events iter.Seq2[a2a.Event, error]) (n int, err error) {
	for e, err := range events {
		if err != nil {
			f.endIfTooLarge(err)
			return n, err
		}
		n++
		f.apply(e)
		if f.finished() {
			break
		}
		f.r.memory.pace(ctx, f.start.Owner, ledger.Size(e))
	}
	return n, nil
}

// applyBeside applies an event that did not come from the stream of the follower, and ends
// the stream if the task is idle now: a silent agent would keep it open.
func (f *Follower) applyBeside(e a2a.Event) {
	f.apply(e)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leaveStream()
}

// leaveStream ends the stream of a follower that has ended. It is called with f.mu held.
func (f *Follower) leaveStream() {
	if f.ended && f.hangUp != nil {
		f.hangUp()
	}
}

// endIfTooLarge ends a task that the agent has begun if err says that an answer about it is
// too large: each look at it would fetch that answer again.
func (f *Follower) endIfTooLarge(err error) {
	if errors.Is(err, a2a.ErrTooLarge) && f.taskID() != "" && !f.finished() {
		f.r.Log.Warn("following a task", "task", f.record.Handle, "agent", f.record.Agent, "err", err)
		f.settle(func(e *ledger.Record) { e.Failure = ledger.FailureOf(err) })
	}
}

// apply applies an event to the record and wakes the waiters. The last event is written
// before waiters see it, the others soon after.
func (f *Follower) apply(e a2a.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := !f.heard && f.message != nil
	var to *a2a.Message
	if first {
		to = f.message
	}
	if f.ended {
		return
	}
	now := f.r.Now()
	e, changed, revised := f.record.Apply(e, to, now)
	if !changed {
		return
	}
	if revised {
		f.revisionsSize = f.record.Revisions.Size()
	}
	if _, whole := e.(*a2a.Task); first && !whole {
		f.record.Task.History = append(f.record.Task.History, *f.message)
	}
	f.heard = true
	if first {
		f.observeFirst(now)
	}
	n := ledger.Size(e)
	if f.resize(f.size+n) != nil { // what was replaced or forgotten counted so far
		f.record.Failure = cmp.Or(f.resize(ledger.Size(f.record.Task)), f.record.Failure)
	}
	f.dirty = true
	f.record.Touch(now)
	f.record.Idle = f.record.Failure != nil || f.record.Task.Status.State.Idle()
	f.ended = f.record.Idle
	f.addChange(e, n)
	switch pause := f.pause(); {
	case f.ended || now.Sub(f.saved) >= pause:
		f.write()
	case f.timer == nil:
		f.timer = time.AfterFunc(pause, func() { f.Save() })
	}
	f.announce()
}

// announce wakes those who watch the task. It is called with f.mu held.
func (f *Follower) announce() {
	if f.ended && f.uncount != nil { // nil if it was never counted
		f.uncount() // before a waiter starts the next task
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

func sentIn(req *a2a.SendRequest) *a2a.Message {
	if req == nil {
		return nil
	}
	return req.Message
}

// pause is the time between two writes. A task is written whole, with its revisions, so
// a large task is written less often.
func (f *Follower) pause() time.Duration {
	if !f.written {
		return saveFirst
	}
	return saveEvery * time.Duration(1+(f.size+f.revisionsSize)>>18)
}

// settle ends the follower with a change of the record.
func (f *Follower) settle(change func(*ledger.Record)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.record)
	f.record.Touch(f.r.Now())
	f.record.Idle, f.ended, f.dirty = true, true, true
	f.addChange(nil, 0)
	f.write()
	f.announce()
}

// Save writes what is not written yet, and reports whether everything is written.
func (f *Follower) Save() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.write()
	return !f.dirty
}

// write is called with f.mu held.
func (f *Follower) write() {
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
	if f.lost != nil {
		f.dirty = false
	}
	if !f.dirty {
		return
	}
	ctx := f.r.writes.context(f.r.running)
	if f.size+f.revisionsSize > largeTask {
		end, ok := f.r.largeWrites.begin(f.ended || f.unwritten || f.r.running.Err() != nil)
		if !ok {
			f.timer = time.AfterFunc(f.pause(), func() { f.Save() })
			return
		}
		defer end()
	}
	if f.unwritten {
		f.add(ctx)
		return
	}
	err := f.r.Ledger.SaveTask(ctx, f.record, f.r.Replica)
	f.saved = f.r.Now()
	switch {
	case errors.Is(err, ledger.ErrLeaseLost):
		f.r.Log.Warn("another replica took the task over", "task", f.record.Handle)
		f.ended, f.dirty = true, false
		f.leaveStream()
	case err != nil:
		f.r.Log.Error("writing a task", "task", f.record.Handle, "err", err)
	default:
		f.dirty, f.written = false, true
		f.r.announceChange(f.record)
	}
}

// finished reports whether no more events matter. Of a task that the ledger refused,
// only its id at the agent does.
func (f *Follower) finished() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended || f.lost != nil && f.record.Task != nil
}

func (f *Follower) taskID() a2a.TaskID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.record.Task == nil {
		return ""
	}
	return f.record.Task.ID
}
