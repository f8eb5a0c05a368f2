package bridge

import (
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
	maxTask     = 16 << 20               // bytes of a task
	retryFirst  = time.Second
	retryLast   = time.Minute
	writeBudget = 10 * time.Second
)

// follower watches one task of this replica from the message that starts or
// continues it until it settles, and tells those who wait. It lives on the
// bridge's context, not on a caller's: a client that hangs up loses nothing.
type follower struct {
	b    *Bridge
	conn directory.Conn

	mu      sync.Mutex
	entry   *ledger.Record
	ended   bool           // nothing more will come from this follower
	heard   bool           // the agent has answered the message
	sent    error          // why the agent did not take it
	notes   []string       // the latest progress lines
	noted   int            // how many there have been
	pieced  time.Time      // when a piece of a result was last among them
	changed chan struct{}  // closed at each change, and replaced
	poked   chan struct{}  // ready when somebody says that there is news; nil where nobody can
	start   *ledger.Record // as it was before the agent said anything; never changes
	message *a2a.Message   // that was sent; nil if none was
	log     backlog
	size    int  // bytes of the task, at most
	past    int  // bytes of its past, which is written with it
	dirty   bool // entry holds more than the ledger
	written bool // the ledger has heard of an answer
	saved   time.Time
	timer   *time.Timer // writes what a burst of events left dirty

	unwritten bool   // the ledger does not have the task yet: see ahead.go
	lost      error  // why it never will
	hangUp    func() // ends the stream
}

// follow starts a follower for e, which the ledger holds under our lease. A
// nil send takes the task up again without a message. On a bridge that closes
// nothing starts: the next process finds the task in the ledger.
func (b *Bridge) follow(conn directory.Conn, e *ledger.Record, send *a2a.SendRequest) *follower {
	f := b.newFollower(conn, e, send)
	if b.enter(f) {
		b.wg.Go(func() { f.live(send) })
	} else {
		f.ended = true
	}
	return f
}

func (b *Bridge) newFollower(conn directory.Conn, e *ledger.Record, send *a2a.SendRequest) *follower {
	f := &follower{b: b, conn: conn, entry: e, start: e.Clone(), message: sentIn(send), changed: make(chan struct{}), past: e.Revisions.Size(), saved: b.Now()}
	if b.Hook != nil {
		f.poked = make(chan struct{}, 1)
	}
	if e.Task != nil {
		f.size = ledger.Size(e.Task)
	}
	return f
}

// enter notes that f watches its task, unless the bridge closes.
func (b *Bridge) enter(f *follower) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running.Err() != nil {
		return false
	}
	b.live[f.entry.Handle] = f
	b.bells.ring(f.entry.Handle) // for who came between the ledger's entry and now
	return true
}

// leave undoes enter, unless the follower of the next message has entered.
func (b *Bridge) leave(f *follower) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live[f.start.Handle] == f {
		delete(b.live, f.start.Handle)
	}
}

// live is what a follower does.
func (f *follower) live(send *a2a.SendRequest) {
	f.run(f.b.running, f.b.withHook(f.conn, f.start, send))
	f.b.leave(f)
}

// follower returns the one of this replica that watches handle, or nil.
func (b *Bridge) follower(handle string) *follower {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.live[handle]
}

// run sends, if there is a message to send, and watches until the task
// settles, the lease is lost or the bridge closes. The message is sent once:
// after a break, the agent is only asked how the task stands.
func (f *follower) run(ctx context.Context, send *a2a.SendRequest) {
	defer f.keep(ctx)
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	f.mu.Lock()
	f.hangUp = hangUp
	f.mu.Unlock()
	if f.b.Hook != nil && f.conn.Card().Capabilities.PushNotifications {
		f.b.wg.Go(func() { f.heed(ctx, hangUp) })
	}
	if send != nil {
		f.send(ctx, send)
	}
	f.ask(ctx)
	f.withdraw()
}

// ask asks the agent how the task stands until it settles, the ledger refuses it,
// the lease is lost or ctx ends.
func (f *follower) ask(ctx context.Context) {
	var left patience
	for wait := retryFirst; ctx.Err() == nil && !f.over(); wait = min(2*wait, retryLast) {
		told, err := f.resume(ctx)
		if err != nil {
			f.b.Log.Info("following a task", "task", f.entry.Handle, "agent", f.entry.Agent, "err", err)
			f.reconnect(ctx)
		}
		if f.over() || ctx.Err() != nil {
			return
		}
		if told {
			left.told()
		} else if given := left.tried(f.b.Now(), err); given != nil {
			f.settle(func(e *ledger.Record) { e.Failure = given })
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(wait, a2a.RetryAfter(err))):
		}
	}
}

// reconnect has the agent asked where its card says now that it is, and in the words
// that it says that it speaks, if that has changed since the task began.
func (f *follower) reconnect(ctx context.Context) {
	p := f.b.Directory.Lookup(f.entry.Agent)
	if p == nil {
		return
	}
	if conn, err := f.b.Directory.Reconnect(ctx, p, f.entry.Owner); err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.conn = conn
	}
}

// peer is for those who do not run in the follower's own goroutine.
func (f *follower) peer() directory.Conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.conn
}

// send sends the message and applies what comes back.
func (f *follower) send(ctx context.Context, send *a2a.SendRequest) {
	n, err := f.consume(f.conn.Stream(ctx, send))
	if n == 0 && refusedPush(send, err) {
		send.Push = nil
		n, err = f.consume(f.conn.Stream(ctx, send))
	}
	switch {
	case n > 0 || ctx.Err() != nil:
	case f.mayHaveArrived(err):
		f.wonder(ctx, err)
	default:
		f.refused(ctx, err)
	}
}

// keep writes what the ledger has not heard yet, and does not give up before it
// has, or another replica follows the task, or the bridge closes: then it has
// tried once more, and the next process asks the agent.
func (f *follower) keep(ctx context.Context) {
	for wait := retryFirst; !f.save() && ctx.Err() == nil; wait = min(2*wait, retryLast) {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// resume takes a task up by subscribing to it and, where the agent cannot do
// that, by asking how it stands. It reports whether the agent told anything.
func (f *follower) resume(ctx context.Context) (told bool, err error) {
	if f.conn.Card().Capabilities.Streaming {
		if n, err := f.consume(f.conn.Subscribe(ctx, f.taskID())); n > 0 && err == nil || f.over() || a2a.RetryAfter(err) > 0 {
			return n > 0, err
		}
	}
	task, err := f.conn.Task(ctx, a2a.TaskQuery{ID: f.taskID()})
	if err != nil {
		return false, err
	}
	f.apply(task)
	return true, nil
}

// consume applies events until they end, and returns how many there were.
func (f *follower) consume(events iter.Seq2[a2a.Event, error]) (n int, err error) {
	for e, err := range events {
		if err != nil {
			return n, err
		}
		n++
		f.apply(e)
		if f.over() {
			break
		}
	}
	return n, nil
}

// apply brings the entry up to date with an event and tells the waiters. The
// last answer is written before anybody hears of it, the others soon after.
func (f *follower) apply(e a2a.Event) {
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
	now := f.b.Now()
	e, changed, revised := f.entry.Apply(e, to, now)
	if !changed {
		return
	}
	if revised {
		f.past = f.entry.Revisions.Size()
	}
	if _, whole := e.(*a2a.Task); first && !whole {
		f.entry.Task.History = append(f.entry.Task.History, *f.message)
	}
	f.heard = true
	n := ledger.Size(e)
	f.log.add(e, n)
	if f.size += n; f.size > maxTask { // what was replaced or forgotten counted so far
		f.size = ledger.Size(f.entry.Task)
	}
	if f.size > maxTask {
		f.entry.Failure = ledger.Fail(a2a.InvalidAgentResponse, "The task holds more than %d MiB, and was cut there.", maxTask>>20)
	}
	f.note(e)
	f.dirty = true
	f.entry.Touch(now)
	f.entry.Idle = f.entry.Failure != nil || f.entry.Task.Status.State.Idle()
	f.ended = f.entry.Idle
	switch pause := f.pause(); {
	case f.ended || now.Sub(f.saved) >= pause:
		f.write()
	case f.timer == nil:
		f.timer = time.AfterFunc(pause, func() { f.save() })
	}
	f.announce()
}

func sentIn(req *a2a.SendRequest) *a2a.Message {
	if req == nil {
		return nil
	}
	return req.Message
}

// pause is how long to wait between two writes: a task is written whole and with its
// past, so a large one is written less often.
func (f *follower) pause() time.Duration {
	if !f.written {
		return saveFirst
	}
	return saveEvery * time.Duration(1+(f.size+f.past)>>18)
}

// settle ends the follower with a change to the entry.
func (f *follower) settle(change func(*ledger.Record)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.entry)
	f.entry.Touch(f.b.Now())
	f.entry.Idle, f.ended, f.dirty = true, true, true
	f.write()
	f.announce()
}

// save writes what is not written yet, and reports whether nothing is left.
func (f *follower) save() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.write()
	return !f.dirty
}

// write is called with f.mu held.
func (f *follower) write() {
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
	ctx := f.b.writing.context(f.b.running)
	if f.unwritten {
		f.add(ctx)
		return
	}
	err := f.b.Ledger.SaveTask(ctx, f.entry, f.b.Replica)
	f.saved = f.b.Now()
	switch {
	case errors.Is(err, ledger.ErrLeaseLost):
		f.b.Log.Warn("another replica took the task over", "task", f.entry.Handle)
		f.ended, f.dirty = true, false
	case err != nil:
		f.b.Log.Error("writing a task", "task", f.entry.Handle, "err", err)
	default:
		f.dirty, f.written = false, true
		f.b.changed(f.entry)
	}
}

// wait passes progress lines on until the follower has ended, or the agent has
// answered and that is enough, or ctx, the time or all waiting is over. It returns
// the entry as it then stands.
func (f *follower) wait(ctx context.Context, over <-chan time.Time, progress func(string), firstWord bool) *ledger.Record {
	for seen := 0; ; {
		f.mu.Lock()
		lines := f.notes[len(f.notes)-min(f.noted-seen, len(f.notes)):]
		seen = f.noted
		done, changed := f.ended || f.lost != nil || firstWord && f.heard, f.changed
		f.mu.Unlock()

		for _, line := range lines {
			progress(line)
		}
		if done {
			return f.snapshot()
		}
		select {
		case <-ctx.Done():
			return f.snapshot()
		case <-over:
			return f.snapshot()
		case <-f.b.waits.Done():
			return f.snapshot()
		case <-changed:
		}
	}
}

func (f *follower) snapshot() *ledger.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.entry.Clone()
}

// refusal returns why the agent did not take the message, once the follower
// has ended.
func (f *follower) refusal() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

func (f *follower) announce() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// over reports whether there is nothing more to hear: of a task that the ledger
// did not take, that is all but what it is called at the agent.
func (f *follower) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended || f.lost != nil && f.entry.Task != nil
}

func (f *follower) taskID() a2a.TaskID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.entry.Task == nil {
		return ""
	}
	return f.entry.Task.ID
}
