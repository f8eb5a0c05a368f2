package a2aexec

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"rialto/a2a"
)

// delivery is the result of a message: its task at that time, the number of the next
// event, and the turn to wait for, or nil.
type delivery struct {
	record *record
	task   *a2a.Task
	next   int
	turn   *Turn
}

// digest identifies a message by its id and content.
type digest [sha256.Size]byte

// deliver starts a task, continues one, or finds the one that the same message has started
// or continued before.
func (e *Executor) deliver(ctx context.Context, req *a2a.SendRequest) (*delivery, error) {
	if err := check(req); err != nil {
		return nil, err
	}
	sum, remember := fingerprint(req.Message)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, a2a.Errorf(a2a.Unavailable, "the agent is shutting down")
	}
	if r := e.sent[sum]; remember && r != nil {
		return r.delivery(), nil
	}
	r, err := e.recordFor(req.Message)
	if err != nil {
		return nil, err
	}
	d, err := e.begin(ctx, r, req)
	if err != nil {
		return nil, err
	}
	if remember {
		e.remember(sum, r)
	}
	return d, nil
}

func check(req *a2a.SendRequest) error {
	if req == nil || req.Message == nil {
		return a2a.Errorf(a2a.InvalidParams, "a message is required")
	}
	if len(req.Message.Parts) == 0 {
		return a2a.Errorf(a2a.InvalidParams, "the message has no parts")
	}
	return nil
}

// fingerprint identifies a repeated message by its id and content: some clients number
// their messages from one in each process, and must not get each other's tasks. A message
// without an id is always new.
func fingerprint(m *a2a.Message) (sum digest, ok bool) {
	if m.ID == "" {
		return digest{}, false
	}
	b, err := json.Marshal(m)
	if err != nil {
		return digest{}, false
	}
	return sha256.Sum256(b), true
}

// recordFor returns the task that m continues, or a new one. It holds e.mu.
func (e *Executor) recordFor(m *a2a.Message) (*record, error) {
	if m.TaskID == "" {
		return e.newRecord(m.ContextID)
	}

	r := e.tasks[m.TaskID]
	if r == nil {
		return nil, a2a.Errorf(
			a2a.TaskNotFound,
			"there is no task %q here; leave the task id out to start one",
			m.TaskID,
		)
	}
	if m.ContextID != "" && m.ContextID != r.contextID {
		return nil, a2a.Errorf(
			a2a.InvalidParams,
			"task %s belongs to another context than %q",
			m.TaskID,
			m.ContextID,
		)
	}

	return r, nil
}

// newRecord makes room for a task and returns it, not yet listed. It holds e.mu.
func (e *Executor) newRecord(contextID string) (*record, error) {
	if len(e.order) >= orDefault(e.MaxTasks, 1000) && !e.evict() {
		return nil, a2a.Errorf(
			a2a.Unavailable, "the agent has too many running tasks; try again later",
		)
	}
	if contextID == "" {
		contextID = newID()
	}
	return newRecord(e, a2a.TaskID(newID()), contextID), nil
}

// evict removes the oldest task that has ended, or else the oldest interrupted one, and
// reports whether there was one. It never removes a running task. It holds e.mu.
func (e *Executor) evict() bool {
	i := slices.IndexFunc(e.order, func(r *record) bool { return r.state().Terminal() })
	if i < 0 {
		i = slices.IndexFunc(e.order, func(r *record) bool { return r.state().Interrupted() })
	}
	if i < 0 {
		return false
	}

	r := e.order[i]
	// An interrupted task ends here, so that no follower waits for a turn that cannot come.
	r.end(a2a.Canceled, "the task waited too long and was forgotten", errCanceled)
	e.order = slices.Delete(e.order, i, i+1)
	delete(e.tasks, r.task.ID)
	for _, sum := range r.sent {
		delete(e.sent, sum)
	}

	return true
}

// begin starts a turn of r for req. It holds e.mu.
func (e *Executor) begin(ctx context.Context, r *record, req *a2a.SendRequest) (*delivery, error) {
	t := newTurn(r, req)
	// The task outlives its caller, but keeps the values of the caller's context, such as a trace.
	ctx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	t.stop = stop
	d, err := r.begin(t)
	if err != nil {
		stop(err)
		return nil, err
	}

	e.list(r)
	e.turns.Go(func() { e.run(ctx, t) })
	return d, nil
}

// list adds r as the newest task. It holds e.mu.
func (e *Executor) list(r *record) {
	if e.tasks == nil {
		e.tasks = map[a2a.TaskID]*record{}
	}
	if i := slices.Index(e.order, r); i >= 0 {
		e.order = slices.Delete(e.order, i, i+1)
	}
	e.tasks[r.task.ID] = r
	e.order = append(e.order, r)
}

// remember keeps the fingerprints of the latest messages of r. It holds e.mu.
func (e *Executor) remember(sum digest, r *record) {
	if e.sent == nil {
		e.sent = map[digest]*record{}
	}
	if len(r.sent) >= orDefault(e.MaxHistory, 100) {
		delete(e.sent, r.sent[0])
		r.sent = slices.Delete(r.sent, 0, 1)
	}
	r.sent = append(r.sent, sum)
	e.sent[sum] = r
}

// run runs the function and ends the turn with its result, unless the function has ended it.
func (e *Executor) run(ctx context.Context, t *Turn) {
	limit := orDefault(e.TurnTimeout, defaultTurnTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	defer t.stop(nil)
	err := e.call(ctx, t)
	switch {
	case err == nil:
		t.Complete("")
	case errors.Is(err, errPanicked):
		t.Fail("The agent broke while working on this. What happened is in its log.")
	case context.Cause(ctx) == errTooLong:
		t.Fail(fmt.Sprintf("The work took longer than %v and was stopped.", limit))
	default:
		t.Fail(err.Error())
	}
}

// call runs the function and turns a panic into an error without details, which are logged.
func (e *Executor) call(ctx context.Context, t *Turn) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e.log().ErrorContext(
				ctx, "an agent function panicked",
				"task", t.record.task.ID,
				"panic", p,
				"stack", string(debug.Stack()),
			)
			err = errPanicked
		}
	}()
	return e.Run(ctx, t)
}
