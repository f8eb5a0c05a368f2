package a2aclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/quota"
)

// follow yields the events of one stream, until its task is idle or the stream ends. It does
// not ask for what the stream leaves out: see a2a.ErrStreamEnded.
type follow struct {
	c     *Client
	yield func(a2a.Event, error) bool

	id      a2a.TaskID // "" until an event names it
	context string     // of the task; "" until an event names it
	emitted int        // number of events yielded

	// resumes is set when the message answers an interrupted task: some agents first show the
	// task still interrupted. That task is the question, which is withheld until the next event.
	resumes  bool
	question *a2a.Task

	// readAhead is set when the task was read during a stream: it may include events that
	// the stream has yet to bring.
	readAhead bool

	// goesOn is set while a stream is read that may go on after a pause (A2A 1.0 section 7.6.1), and
	// paused when its latest status is one.
	goesOn, paused bool

	repeats bool // a stream may have sent the same chunk twice
	results bool // an event brought an artifact

	memory *reservation // of the stream that is read
}

// send delivers req to an agent that does not stream, which answers at once.
func (f *follow) send(ctx context.Context, req *a2a.SendRequest) {
	immediate := *req
	immediate.ReturnImmediately = true

	e, err := f.c.send(ctx, &immediate)
	if err != nil {
		f.yield(nil, err)
		return
	}

	over := f.emit(ctx, e, false)
	if !over {
		f.end(ctx, a2a.ErrNoStream)
	}
}

// end yields why a stream is over whose task goes on. If the agent has shown only the question that
// the message answers, and does not tell how the task stands, it asks that again.
func (f *follow) end(ctx context.Context, why error) {
	if f.question != nil {
		_, err := f.readTask(ctx)
		if err != nil && final(ctx, err) && ctx.Err() == nil {
			f.yield(f.question, nil)
			return
		}
	}
	f.yield(nil, why)
}

// listen yields the events of s, with the watchdog idle or one of its own.
func (f *follow) listen(ctx context.Context, s *stream, idle *watchdog) {
	over, err := f.consume(ctx, s, idle)
	switch {
	case over, f.paused:
	case f.id == "":
		f.yield(nil, unreachable(ctx, f.c.dialed.Host, err))
	default:
		f.end(ctx, endedEarly(err))
	}
}

// endedEarly returns the error of a stream that err has ended before its task.
func endedEarly(err error) error {
	reason := a2a.ErrStreamEnded
	if errors.Is(err, errEndlessStream) {
		reason = a2a.ErrNoStream
	}
	return fmt.Errorf("%w: %w", reason, err)
}

// final reports whether a retry cannot help: the agent refused, and is not merely busy or
// broken, or its answer is too large.
func final(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, a2a.ErrTooLarge) {
		return true
	}
	busy := a2a.Is(err, a2a.Unavailable) || a2a.Is(err, a2a.Internal)
	return remote(err) && !busy
}

// subscribe yields the events of a new stream of the task.
func (f *follow) subscribe(ctx context.Context) {
	// The task may have ended since it was read. Some agents then send nothing, not even a header.
	streamCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	idle := f.c.watch(ctx, f.id, f.c.dialer.idleTimeout()/64, cancel)
	defer idle.stop()

	s, err := f.c.open(streamCtx, wire.Subscribe, func(r route) ([]byte, error) {
		return r.dialect.EncodeQuery(a2a.TaskQuery{ID: f.id}, r.tenant)
	})
	switch {
	case err == nil:
		f.listen(ctx, s, idle)
	case errors.Is(err, a2a.ErrTooLarge):
		f.yield(nil, err)
	case final(ctx, err) && a2a.RetryAfter(err) == 0:
		f.subscriptionRefused(ctx, err)
	default:
		f.yield(nil, endedEarly(err))
	}
}

// subscriptionRefused reads the task once after a subscription that its agent refused: it may have
// ended meanwhile.
func (f *follow) subscriptionRefused(ctx context.Context, why error) {
	t, err := f.readTask(ctx)
	if err == nil {
		over := f.emit(ctx, t, false)
		if over {
			return
		}
	}
	f.yield(nil, fmt.Errorf("%w: %w", a2a.ErrNoStream, why))
}

// readTask reads the task as it stands.
func (f *follow) readTask(ctx context.Context) (*a2a.Task, error) {
	return f.c.Task(ctx, a2a.TaskQuery{ID: f.id})
}

// consume yields the events of s, with the watchdog idle or one of its own, and closes s. It
// reports whether the task is done; otherwise err is what ended s.
func (f *follow) consume(ctx context.Context, s *stream, idle *watchdog) (over bool, err error) {
	f.memory = s.memory
	f.goesOn = s.dialect.Replays

	last := false // the stream has brought its last event
	defer func() { s.closeAfter(last) }()

	for {
		if idle == nil && f.id != "" {
			idle = f.c.watch(ctx, f.id, f.c.dialer.idleTimeout(), s.close)
			defer idle.stop()
		}

		item, err := f.next(s, idle)
		switch {
		case err == nil:
		case remote(err) || final(ctx, err):
			f.yield(nil, unreachable(ctx, f.c.dialed.Host, err))
			return true, nil
		default:
			return false, err
		}

		events := []a2a.Event{item.Event}
		if completes(item.Event) {
			events = append(s.artifactsAfterEnd(), item.Event)
		}
		paused := f.paused
		if f.emitAll(ctx, s, events) {
			last = item.Done()
			return true, nil
		}
		if paused && a2a.StateOf(item.Event) == "" && idle != nil { // does it work again, or was that late?
			idle.soon()
		}
		if item.Final {
			return false, io.EOF
		}
	}
}

// A stream that stays open while its task is paused is read for so long, of so many tasks of an agent.
const (
	pauseTimeout = 15 * time.Minute
	maxPaused    = 32
)

// next returns the next item of s. Messages are joined to one.
func (f *follow) next(s *stream, idle *watchdog) (wire.Item, error) {
	if f.paused {
		release, refused := f.c.paused.Acquire("", quota.Unlimited, maxPaused)
		if refused != nil {
			return wire.Item{}, io.EOF
		}
		defer release()
		late := time.AfterFunc(pauseTimeout, s.close)
		defer late.Stop()
	}
	if idle != nil {
		idle.paused.Store(f.paused)
	}
	item, err := s.next()
	if idle != nil {
		idle.heard.Add(1)
	}

	f.repeats = f.repeats || s.repeats

	f.correctTaskID(item, s.dialect.CallersName)
	if m, ok := item.Event.(*a2a.Message); ok {
		item.Event, err = s.joinMessages(m, f.c.dialer.maxBody())
	}

	return item, err
}

// emit yields e. It reports whether that was the end: the task is idle, or the caller
// stopped. If events may be missing, the task itself is yielded last.
func (f *follow) emit(ctx context.Context, e a2a.Event, lossy bool) (over bool) {
	e = f.toEmit(ctx, e)
	if e == nil && f.question != nil {
		f.memory.keep()
		return false
	}

	f.memory.free()
	if e == nil {
		return false
	}

	done := wire.Item{Event: e}.Done()
	f.results = f.results || brings(e)
	if done && isUpdate(e) {
		switch {
		case lossy || f.readAhead:
			e = f.whole(ctx, e)
		case f.saysNothing(e):
			t := f.whole(ctx, e)
			if brings(t) {
				e = t
			}
		case f.repeats:
			e = f.confirmed(ctx, e)
		}
	}

	f.emitted++
	wantsMore := f.yield(e, nil)
	f.paused = f.goesOn && a2a.StateOf(e).Interrupted()
	ends := done && !f.paused
	return ends || !wantsMore
}

// toEmit returns what to yield for e, or nil for nothing yet.
func (f *follow) toEmit(ctx context.Context, e a2a.Event) a2a.Event {
	if !f.accept(e) {
		return nil
	}
	resumed := f.resumes && f.emitted == 0 && f.question == nil
	if resumed && isUpdate(e) {
		return f.whole(ctx, e)
	}
	return f.opening(e)
}

// first returns the first event of s to yield.
func (f *follow) first(ctx context.Context, s *stream) (a2a.Event, error) {
	for range maxUnreadable {
		item, err := s.next()
		switch {
		case err == nil:
			if e := f.toEmit(ctx, item.Event); e != nil {
				return e, nil
			}
		case f.question != nil && ctx.Err() == nil:
			return f.question, nil // it asks again, or did not understand
		default:
			return nil, unreachable(ctx, f.c.dialed.Host, err)
		}
	}
	return nil, invalidAnswer("%d events in a row are about other tasks", maxUnreadable)
}

// emitAll yields events, and reports whether that was the end, as emit does.
func (f *follow) emitAll(ctx context.Context, s *stream, events []a2a.Event) (over bool) {
	for _, e := range events {
		if f.emit(ctx, e, s.lossy) {
			return true
		}
	}
	return false
}

// completes reports whether e is an update that says that its task has completed.
func completes(e a2a.Event) bool {
	u, ok := e.(*a2a.StatusUpdate)
	return ok && u.Status.State == a2a.Completed
}

// brings reports whether e has an artifact.
func brings(e a2a.Event) bool {
	t, whole := e.(*a2a.Task)
	_, update := e.(*a2a.ArtifactUpdate)
	return update || whole && len(t.Artifacts) > 0
}

// saysNothing reports whether the task has completed with e without any result. Some agents add their
// artifacts after the end.
func (f *follow) saysNothing(e a2a.Event) bool {
	u, ok := e.(*a2a.StatusUpdate)
	return ok && completes(e) && !f.results && u.Status.Message == nil
}

// isUpdate reports whether e is neither a task nor a message.
func isUpdate(e a2a.Event) bool {
	switch e.(type) {
	case *a2a.StatusUpdate, *a2a.ArtifactUpdate:
		return true
	}
	return false
}

// whole reads the task that e updates and applies e to it. If it cannot be read, whole
// returns e: a task made of e alone would lack what the task had before.
func (f *follow) whole(ctx context.Context, e a2a.Event) a2a.Event {
	if f.id == "" {
		return e
	}

	t, err := f.readTask(ctx)
	if err != nil {
		return e
	}

	f.readAhead = true

	update, isStatus := e.(*a2a.StatusUpdate)
	included := isStatus && sameStatus(update.Status, t.Status)
	if !included {
		apply(t, e)
	}

	return t
}

// confirmed reads the task that e ends. If the agent shows another state, its stream is
// ahead, and confirmed returns e.
func (f *follow) confirmed(ctx context.Context, e a2a.Event) a2a.Event {
	t, err := f.readTask(ctx)
	if err != nil {
		return e
	}
	end, ok := e.(*a2a.StatusUpdate)
	if !ok || t.Status.State != end.Status.State {
		return e
	}
	return t
}

func sameStatus(a, b a2a.Status) bool {
	if a.State != b.State || a.Message == nil || b.Message == nil {
		return a.State == b.State && a.Message == b.Message
	}
	return a.Message.ID == b.Message.ID
}

// apply applies e to t. An interrupted task that produces an artifact is working again.
func apply(t *a2a.Task, e a2a.Event) {
	if _, ok := e.(*a2a.ArtifactUpdate); ok && t.Status.State.Interrupted() {
		t.Apply(&a2a.StatusUpdate{TaskID: t.ID, Status: a2a.Status{State: a2a.Working}})
	}
	t.Apply(e)
}

// correctTaskID makes updates about the task that name another one. A stream about the only task of
// its call (0.1) has updates about that task alone. Of others, it is the last status of the task's
// context: a2a-js 0.2 and 0.3 report an executor that throws under a new task id.
func (f *follow) correctTaskID(item wire.Item, only bool) {
	switch u := item.Event.(type) {
	case *a2a.ArtifactUpdate:
		if only {
			u.TaskID = cmp.Or(f.id, u.TaskID)
		}
	case *a2a.StatusUpdate:
		thrown := item.Final && u.Status.State.Terminal() &&
			u.ContextID != "" && u.ContextID == f.context
		if only || thrown {
			u.TaskID = cmp.Or(f.id, u.TaskID)
		}
	}
}

// accept reports whether e is about this task, or a message. Updates that do not say what task they
// are about are about this one.
func (f *follow) accept(e a2a.Event) bool {
	var id *a2a.TaskID
	var contextID string
	switch e := e.(type) {
	case *a2a.Task:
		id = &e.ID
		contextID = e.ContextID
	case *a2a.StatusUpdate:
		id = &e.TaskID
		contextID = e.ContextID
	case *a2a.ArtifactUpdate:
		id = &e.TaskID
		contextID = e.ContextID
	default:
		return e != nil
	}

	*id = cmp.Or(*id, f.id)
	f.id = cmp.Or(f.id, *id)
	if *id != f.id {
		return false
	}

	f.context = cmp.Or(contextID, f.context)
	return true
}

// opening makes the first event a task or a message, as a2a.Agent requires and agents before 1.0 do
// not do: it makes a new task of an update. It returns nil to wait for another event.
func (f *follow) opening(e a2a.Event) a2a.Event {
	if f.emitted > 0 {
		return e
	}

	var t *a2a.Task
	switch e := e.(type) {
	case *a2a.Task:
		if f.resumes && f.question == nil && e.Status.State.Interrupted() {
			f.question = e
			return nil
		}
		return e
	case *a2a.StatusUpdate:
		t = &a2a.Task{ID: f.id, ContextID: e.ContextID}
	case *a2a.ArtifactUpdate:
		t = &a2a.Task{ID: f.id, ContextID: e.ContextID, Status: a2a.Status{State: a2a.Working}}
	default:
		return e
	}

	t = cmp.Or(f.question, t)
	apply(t, e)
	return t
}
