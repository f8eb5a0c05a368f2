package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// Tasks shows the ledger as MCP tasks, to clients that take them (SEP-2663).
type Tasks struct {
	Bridge *Bridge
	Owner  func(principal string) string // the user that an MCP principal acts for
}

var _ mcp.Tasks = Tasks{}

// How often a client should ask for a task. The person behind a question is
// not kept waiting for it: clients that got the task's handle wait this long
// before they first see what it asks.
const (
	taskPoll     = 2 * time.Second
	questionPoll = 500 * time.Millisecond
)

// Task implements mcp.Tasks.
func (t Tasks) Task(ctx context.Context, principal, id string) (*mcp.Task, error) {
	e, _, err := t.Bridge.now(ctx, t.Owner(principal), id)
	if err == nil && t.Bridge.goneOn(ctx, e) {
		e, _, err = t.Bridge.now(ctx, t.Owner(principal), id)
	}
	if err != nil {
		return nil, err
	}
	return t.Bridge.mcpTask(e), nil
}

// Next implements mcp.Tasks.
func (t Tasks) Next(ctx context.Context, principal, id string, seen time.Time) (*mcp.Task, error) {
	e, err := t.Bridge.next(ctx, t.Owner(principal), id, seen)
	if err != nil {
		return nil, err
	}
	return t.Bridge.mcpTask(e), nil
}

// AnswerTask implements mcp.Tasks. A person who declines tells the agent so,
// and one who cancels ends the task. That somebody goes to the page of a sign-in is
// no news: the task goes on when they are done there.
func (t Tasks) AnswerTask(ctx context.Context, principal, id string, answers map[string]json.RawMessage) error {
	owner := t.Owner(principal)
	e, err := t.Bridge.entry(ctx, owner, id)
	if err != nil {
		return err
	}
	var q mcp.Question
	switch e.State() {
	case a2a.InputRequired:
		q = question(e)
	case a2a.AuthRequired:
		q, _ = t.Bridge.visit(e)
	default:
		return nil
	}
	answer, ok := q.Answer(answers[q.Key()])
	if !ok || answer.Accepted() && e.State() == a2a.AuthRequired {
		return nil
	}
	_, err = t.Bridge.answer(ctx, e, answer)
	return err
}

// CancelTask implements mcp.Tasks.
func (t Tasks) CancelTask(ctx context.Context, principal, id string) error {
	owner := t.Owner(principal)
	e, err := t.Bridge.entry(ctx, owner, id)
	if err != nil {
		return err
	}
	if ledger.Cancelable(e) != nil {
		return nil
	}
	if _, err := t.Bridge.cancel(ctx, owner, id); err != nil && !a2a.Is(err, a2a.TaskNotCancelable) {
		return err
	}
	return nil
}

// now returns a task as it stands, and what is closed at its next change if
// this replica follows it.
func (b *Bridge) now(ctx context.Context, owner, id string) (*ledger.Record, <-chan struct{}, error) {
	if f := b.follower(id); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.entry.Owner != owner || b.Directory.Hides(ctx, f.entry.Agent) {
			return nil, nil, mcp.ErrNoTask
		}
		if !f.ended {
			return f.entry.Clone(), f.changed, nil
		}
	}
	e, err := b.entry(ctx, owner, id)
	return e, nil, err
}

// entry returns a task from the ledger, in the terms of package mcp.
func (b *Bridge) entry(ctx context.Context, owner, id string) (*ledger.Record, error) {
	e, err := b.Ledger.Task(ctx, owner, id)
	if errors.Is(err, ledger.ErrNoTask) || err == nil && b.Directory.Hides(ctx, e.Agent) {
		return nil, mcp.ErrNoTask
	}
	return e, err
}

// mcpTask puts an entry into the terms of MCP. What failed at the agent is a
// completed task whose result says so: MCP's "failed" is for calls that could
// not be made (SEP-2663).
func (b *Bridge) mcpTask(e *ledger.Record) *mcp.Task {
	t := &mcp.Task{ID: e.Handle, Status: mcp.Working, Created: e.Created, Updated: e.Updated, TTL: b.life(e), Poll: taskPoll}
	if e.Task != nil {
		t.Message = sanitize.Short(e.Task.Status.Message.Text(), 500)
	}
	switch state := e.State(); {
	case state == a2a.Canceled:
		t.Status = mcp.Cancelled
	case state.Terminal():
		t.Status, t.Result = mcp.Completed, b.result(e, page{})
		if why := problem(e, ""); why != nil { // official clients read no result of what has failed
			t.Message = sanitize.Short(why.Message, 500)
		}
	case state == a2a.InputRequired && e.Idle:
		t.Status, t.Questions, t.Unasked = mcp.InputRequired, []mcp.Question{question(e)}, b.result(e, page{})
	case state == a2a.AuthRequired && e.Idle:
		if q, ok := b.visit(e); ok {
			t.Status, t.Questions, t.Unasked = mcp.InputRequired, []mcp.Question{q}, b.result(e, page{})
		}
	}
	if t.Status == mcp.InputRequired {
		t.Poll = questionPoll
	}
	return t
}

// life returns how long a task is kept from its creation, as far as is known now: the
// retention begins again with whatever happens to it, and does not run out while it
// runs. What a client asks for in 2025-11-25 changes nothing, as it says it may not
// (2025-11-25, basic/utilities/tasks: "Receivers MAY override the requested ttl").
func (b *Bridge) life(e *ledger.Record) time.Duration {
	last := e.Updated
	if now := b.Now(); !e.Idle && now.After(last) {
		last = now
	}
	return last.Sub(e.Created) + b.Directory.RetentionOf(e.Agent)
}
