package a2aclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// follow yields the events of one stream, until its task is idle or the stream ends. It does
// not ask for what the stream leaves out: see a2a.ErrStreamEnded.
type follow struct {
	c     *Client
	yield func(a2a.Event, error) bool

	id      a2a.TaskID // "" until an event names it
	context string     // of the task; "" until an event names it
	count   int        // events told

	// stale is set when the message answered an interrupted task: some agents first
	// show the task still interrupted. That state is held until the next event.
	stale bool
	held  *a2a.Task

	// ahead is set when the task was read during a stream: it may include events that
	// the stream has yet to bring.
	ahead bool

	twice bool // a stream may have sent the same chunk twice

	memory *reservation // of the stream that is read
}

// send delivers req to an agent that does not stream, which answers at once.
func (f *follow) send(ctx context.Context, req *a2a.SendRequest) {
	now := *req
	now.ReturnImmediately = true
	e, err := f.c.send(ctx, &now)
	if err != nil {
		f.yield(nil, err)
		return
	}
	if !f.tell(ctx, e, false) {
		f.end(ctx, a2a.ErrNoStream)
	}
}

// end yields why a stream is over whose task goes on. If the agent has shown only the question that
// the message answers, and does not tell how the task stands, it asks that again.
func (f *follow) end(ctx context.Context, why error) {
	if f.held != nil {
		_, err := f.c.Task(ctx, a2a.TaskQuery{ID: f.id})
		if err != nil && final(ctx, err) && ctx.Err() == nil {
			f.yield(f.held, nil)
			return
		}
	}
	f.yield(nil, why)
}

// listen yields the events of s, with the watchdog idle or one of its own.
func (f *follow) listen(ctx context.Context, s *stream, idle *watchdog) {
	over, err := f.consume(ctx, s, idle)
	switch {
	case over:
	case f.id == "":
		f.yield(nil, unreachable(ctx, f.c.dialed.Host, err))
	default:
		f.end(ctx, ended(err))
	}
}

// ended returns the error of a stream that err has ended before its task.
func ended(err error) error {
	reason := a2a.ErrStreamEnded
	if errors.Is(err, errFlood) {
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
	apart, cut := context.WithCancel(ctx)
	defer cut()
	idle := f.c.watch(ctx, f.id, f.c.dialer.idleTimeout()/64, cut)
	defer idle.stop()
	s, err := f.c.open(apart, wire.Subscribe, func(r route) ([]byte, error) {
		return r.dialect.EncodeQuery(a2a.TaskQuery{ID: f.id}, r.tenant)
	})
	switch {
	case err == nil:
		f.listen(ctx, s, idle)
	case errors.Is(err, a2a.ErrTooLarge):
		f.yield(nil, err)
	case final(ctx, err) && a2a.RetryAfter(err) == 0:
		f.refused(ctx, err)
	default:
		f.yield(nil, ended(err))
	}
}

// refused reads the task once after a subscription that its agent refused: it may have ended
// meanwhile.
func (f *follow) refused(ctx context.Context, why error) {
	t, err := f.c.Task(ctx, a2a.TaskQuery{ID: f.id})
	if err == nil && f.tell(ctx, t, false) {
		return
	}
	f.yield(nil, fmt.Errorf("%w: %w", a2a.ErrNoStream, why))
}

// consume yields the events of s, with the watchdog idle or one of its own. It reports
// whether the task is done; otherwise err is what ended s.
func (f *follow) consume(ctx context.Context, s *stream, idle *watchdog) (over bool, err error) {
	f.memory = s.memory
	var own *watchdog
	ended := false
	defer func() {
		if own != nil {
			own.stop()
		}
		if ended {
			s.leave()
		} else {
			s.close()
		}
	}()
	for {
		if idle == nil && f.id != "" {
			own = f.c.watch(ctx, f.id, f.c.dialer.idleTimeout(), s.close)
			idle = own
		}
		item, err := s.next()
		if idle != nil {
			idle.heard.Add(1)
		}
		f.twice = f.twice || s.twice
		f.adopt(item)
		if m, ok := item.Event.(*a2a.Message); ok {
			item.Event, err = f.c.joined(s, m)
		}
		switch {
		case err != nil && (remote(err) || final(ctx, err)):
			f.yield(nil, unreachable(ctx, f.c.dialed.Host, err))
			return true, nil
		case err != nil:
			return false, err
		case f.tell(ctx, item.Event, s.lossy):
			ended = item.Done()
			return true, nil
		case item.Final:
			return false, io.EOF
		}
	}
}

// tell yields e. It reports whether that was the end: the task is idle, or the caller
// stopped. If events may be missing, the task itself is yielded last.
func (f *follow) tell(ctx context.Context, e a2a.Event, lossy bool) (over bool) {
	e = f.shown(ctx, e)
	if e == nil && f.held != nil {
		f.memory.keep()
		return false
	}
	f.memory.free()
	if e == nil {
		return false
	}
	over = wire.Item{Event: e}.Done()
	switch {
	case !over || !isUpdate(e):
	case lossy || f.ahead:
		e = f.whole(ctx, e)
	case f.twice:
		e = f.confirmed(ctx, e)
	}
	f.count++
	return !f.yield(e, nil) || over
}

// shown returns what to yield for e, or nil for nothing yet.
func (f *follow) shown(ctx context.Context, e a2a.Event) a2a.Event {
	e = f.own(e)
	switch {
	case e == nil:
		return nil
	case f.stale && f.count == 0 && f.held == nil && isUpdate(e):
		return f.whole(ctx, e)
	default:
		return f.opening(e)
	}
}

// first returns the first event of s to yield.
func (f *follow) first(ctx context.Context, s *stream) (a2a.Event, error) {
	for range maxUnreadable {
		item, err := s.next()
		switch {
		case err == nil:
			if e := f.shown(ctx, item.Event); e != nil {
				return e, nil
			}
		case f.held != nil && ctx.Err() == nil:
			return f.held, nil // it asks again, or did not understand
		default:
			return nil, unreachable(ctx, f.c.dialed.Host, err)
		}
	}
	return nil, invalidAnswer("%d events in a row are about other tasks", maxUnreadable)
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
	t, err := f.c.Task(ctx, a2a.TaskQuery{ID: f.id})
	if err != nil {
		return e
	}
	f.ahead = true
	if s, ok := e.(*a2a.StatusUpdate); !ok || !sameStatus(s.Status, t.Status) {
		apply(t, e)
	}
	return t
}

// confirmed reads the task that e ends. If the agent shows another state, its stream is
// ahead, and confirmed returns e.
func (f *follow) confirmed(ctx context.Context, e a2a.Event) a2a.Event {
	t, err := f.c.Task(ctx, a2a.TaskQuery{ID: f.id})
	if end, ok := e.(*a2a.StatusUpdate); err != nil || !ok || t.Status.State != end.Status.State {
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

// adopt makes the last status of the task's context a status of the task: a2a-js 0.2 and 0.3
// report an executor that throws under a new task id.
func (f *follow) adopt(item wire.Item) {
	u, ok := item.Event.(*a2a.StatusUpdate)
	if ok && item.Final && u.Status.State.Terminal() && u.ContextID != "" && u.ContextID == f.context {
		u.TaskID = f.id
	}
}

// own returns e if it is about this task, and nil otherwise. Updates that do
// not say what task they are about are about this one.
func (f *follow) own(e a2a.Event) a2a.Event {
	var id *a2a.TaskID
	var in string
	switch e := e.(type) {
	case *a2a.Task:
		id, in = &e.ID, e.ContextID
	case *a2a.StatusUpdate:
		id, in = &e.TaskID, e.ContextID
	case *a2a.ArtifactUpdate:
		id, in = &e.TaskID, e.ContextID
	default:
		return e
	}
	if *id == "" {
		*id = f.id
	}
	if f.id == "" {
		f.id = *id
	}
	if *id != f.id {
		return nil
	}
	f.context = cmp.Or(in, f.context)
	return e
}

// opening makes the first event a task or a message, as a2a.Agent requires and agents before 1.0 do
// not do: it makes a new task of an update. It returns nil to wait for another event.
func (f *follow) opening(e a2a.Event) a2a.Event {
	if f.count > 0 {
		return e
	}
	var t *a2a.Task
	switch e := e.(type) {
	case *a2a.Task:
		if f.stale && f.held == nil && e.Status.State.Interrupted() {
			f.held = e
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
	if f.held != nil {
		t = f.held
	}
	apply(t, e)
	return t
}
