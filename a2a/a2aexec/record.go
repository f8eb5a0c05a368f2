package a2aexec

import (
	"context"
	"slices"
	"sync"

	"rialto/a2a"
)

// record is one task and its latest events. Followers read the events at their own pace
// and block neither each other nor the task: one that falls behind the backlog gets the
// current task and continues from there.
type record struct {
	e         *Executor
	contextID string   // never changes
	sent      []digest // guarded by e.mu; the rest by mu

	mu      sync.Mutex
	task    a2a.Task
	backlog []a2a.Event
	next    int           // the number of the event after the last in backlog
	changed chan struct{} // closed, and replaced, at every event
	turn    *Turn         // the one that may emit; nil when the task is settled
}

func newRecord(e *Executor, id a2a.TaskID, contextID string) *record {
	task := a2a.Task{
		ID:        id,
		ContextID: contextID,
		Status:    a2a.Status{State: a2a.Submitted, Timestamp: e.now()},
	}
	return &record{
		e:         e,
		contextID: contextID,
		task:      task,
		changed:   make(chan struct{}),
	}
}

func (r *record) state() a2a.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.task.Status.State
}

// snapshot returns the task as it stands and the number of the event that comes next.
func (r *record) snapshot() (*a2a.Task, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.task.Clone(), r.next
}

// delivery returns the running turn, or the task it has settled as.
func (r *record) delivery() *delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &delivery{
		record: r,
		task:   r.task.Clone(),
		next:   r.next,
		turn:   r.turn,
	}
}

// begin makes t the turn of the task, if the task can take one.
func (r *record) begin(t *Turn) (*delivery, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if fresh := len(r.task.History) == 0; !fresh {
		if err := r.task.Status.State.Accepts(); err != nil {
			return nil, err
		}
		r.apply(r.status(a2a.Working, ""))
	}
	r.task.History = append(r.task.History, *t.Message)
	r.trimHistory()
	r.turn = t
	return &delivery{
		record: r,
		task:   r.task.Clone(),
		next:   r.next,
		turn:   t,
	}, nil
}

// emit applies the event that build returns, if t has not ended. All events of a turn pass here.
func (r *record) emit(t *Turn, build func() a2a.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn != t {
		return
	}
	t.events++
	ev := build()
	if s, ok := ev.(*a2a.StatusUpdate); ok && s.Status.State.Idle() {
		r.endTurn(s)
		return
	}
	if t.events >= orDefault(r.e.MaxEvents, 10000) {
		r.endTurn(r.status(a2a.Failed, "The agent produced more events than one turn may."))
		t.stop(errTooMany)
		return
	}
	r.apply(ev)
}

// end sets a terminal state from outside the turn, if a2a.Transition permits it.
func (r *record) end(s a2a.State, text string, cause error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := a2a.Transition(r.task.Status.State, s); err != nil {
		return err
	}
	t := r.turn
	r.endTurn(r.status(s, text))
	if t != nil {
		t.stop(cause)
	}
	return nil
}

// stop fails the task if a turn is running.
func (r *record) stop(text string, cause error) {
	r.mu.Lock()
	running := r.turn != nil
	r.mu.Unlock()
	if running {
		r.end(a2a.Failed, text, cause)
	}
}

// endTurn applies the last event of a turn and wakes its waiters. It holds r.mu.
func (r *record) endTurn(s *a2a.StatusUpdate) {
	t := r.turn
	r.turn = nil
	r.apply(s)
	if t != nil {
		t.end = r.task.Clone()
		close(t.done)
	}
}

// apply applies an event to the task and wakes the followers. It holds r.mu.
func (r *record) apply(ev a2a.Event) {
	r.task.Apply(ev)
	r.trimHistory()
	r.backlog = append(r.backlog, ev)
	if over := len(r.backlog) - orDefault(r.e.MaxBacklog, 256); over > 0 {
		r.backlog = slices.Delete(r.backlog, 0, over)
	}
	r.next++
	close(r.changed)
	r.changed = make(chan struct{})
}

// trimHistory drops the oldest messages of the agent before those of the caller. It holds r.mu.
func (r *record) trimHistory() {
	for len(r.task.History) > orDefault(r.e.MaxHistory, 100) {
		i := slices.IndexFunc(
			r.task.History, func(m a2a.Message) bool { return m.Role == a2a.RoleAgent },
		)
		i = max(i, 0)
		r.task.History = slices.Delete(r.task.History, i, i+1)
	}
}

// status builds a status update; with text, the agent says it.
func (r *record) status(s a2a.State, text string) *a2a.StatusUpdate {
	u := &a2a.StatusUpdate{TaskID: r.task.ID, ContextID: r.contextID}
	u.Status = a2a.Status{State: s, Timestamp: r.e.now()}
	if text != "" {
		u.Status.Message = &a2a.Message{
			ID: newID(), ContextID: r.contextID, TaskID: r.task.ID,
			Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)},
		}
	}
	return u
}

// follow yields task and then the events from number next on, until one ends them or the caller
// stops.
func (r *record) follow(
	ctx context.Context,
	task *a2a.Task,
	next int,
	ends func(a2a.Event) bool,
	yield func(a2a.Event, error) bool,
) {
	var ev a2a.Event = task
	for yield(ev, nil) && !ends(ev) {
		var changed <-chan struct{}
		for ev, next, changed = r.after(next); ev == nil; ev, next, changed = r.after(next) {
			select {
			case <-changed:
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// after returns event number n and the number after it; or, where n is not in
// the backlog any more, the task as it stands; or, where n has not happened
// yet, no event and a channel that closes when it has.
func (r *record) after(n int) (a2a.Event, int, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch first := r.next - len(r.backlog); {
	case n >= r.next:
		return nil, n, r.changed
	case n < first:
		return r.task.Clone(), r.next, nil
	default:
		return copyOf(r.backlog[n-first]), n + 1, nil
	}
}

// copyOf returns a copy of ev: followers must not share events.
func copyOf(ev a2a.Event) a2a.Event {
	switch ev := ev.(type) {
	case *a2a.StatusUpdate:
		return new(*ev)
	case *a2a.ArtifactUpdate:
		c := *ev
		c.Artifact.Parts = slices.Clone(ev.Artifact.Parts)
		return &c
	default:
		return ev
	}
}

func endsTurn(ev a2a.Event) bool { return a2a.StateOf(ev).Idle() }

func endsTask(ev a2a.Event) bool { return a2a.StateOf(ev).Terminal() }
