package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/mcp"
)

// Tasks offers the ledger as MCP tasks (SEP-2663).
type Tasks struct{ Tools *Tools }

var _ mcp.Tasks = Tasks{}

// How often a client should ask for a task. The person behind a question is not kept waiting for
// it: clients that got the task's handle wait this long before they first see what it asks.
const (
	taskPoll     = 2 * time.Second
	questionPoll = 500 * time.Millisecond
)

// Task implements mcp.Tasks.
func (t Tasks) Task(ctx context.Context, _, id string) (*mcp.Task, error) {
	e, err := t.Tools.Runner.Polled(ctx, t.Tools.Directory.Access(ctx), id, 0, nil)
	if err != nil {
		return nil, noTask(err)
	}
	return t.Tools.mcpTask(e), nil
}

// noTask puts ErrNoTask, and what the caller can act on, into the terms of package mcp.
func noTask(err error) error {
	if errors.Is(err, ledger.ErrNoTask) {
		return mcp.ErrNoTask
	}
	if words, ok := ledger.InputText(err); ok {
		return mcp.Refusal(words, nil)
	}
	return err
}

// Next implements mcp.Tasks.
func (t Tasks) Next(ctx context.Context, _, id string, seen time.Time) (*mcp.Task, error) {
	e, err := t.Tools.Runner.NextChange(ctx, t.Tools.Directory.Access(ctx), id, seen)
	if err != nil {
		return nil, noTask(err)
	}
	return t.Tools.mcpTask(e), nil
}

// AnswerTask implements mcp.Tasks. If the client declines or cancels the question, the task keeps
// waiting, and the client gets the question as a result, which nothing changes after that.
// Accepting a sign-in changes nothing: the task continues when the user has signed in. An answer
// that does not fit is an error, because a client does not ask under the same key again.
func (t Tasks) AnswerTask(
	ctx context.Context,
	_, id string,
	answers map[string]json.RawMessage,
) error {
	access := t.Tools.Directory.Access(ctx)
	e, err := t.Tools.Runner.Task(ctx, access, id)
	if err == nil {
		err = access.CheckSend()
	}
	if err != nil {
		return noTask(err)
	}
	if !e.State().Interrupted() || e.Unanswered() != "" {
		return nil
	}

	q, _ := t.Tools.pauseQuestion(e, "")
	given := answers[q.Key()]
	if given == nil {
		return nil
	}

	answer, ok := q.Answer(given)
	switch {
	case !ok:
		return mcp.Refusal(
			"The answer to "+q.Key()+" does not fit the requestedSchema of its question. "+
				"Send one that does, or decline.",
			nil,
		)
	case !answer.Accepted():
		return t.Tools.Runner.LeaveUnanswered(ctx, e, answer.Action)
	case e.State() == a2a.AuthRequired:
		return nil
	}

	_, err = t.Tools.answer(ctx, e, answer)
	return noTask(err)
}

// CancelTask implements mcp.Tasks.
func (t Tasks) CancelTask(ctx context.Context, _, id string) error {
	access := t.Tools.Directory.Access(ctx)
	e, err := t.Tools.Runner.Task(ctx, access, id)
	if err != nil {
		return noTask(err)
	}
	if t.Tools.mcpTask(e).Status.Final() {
		return nil
	}
	_, err = t.Tools.Runner.Cancel(ctx, access, id)
	if a2a.Is(err, a2a.TaskNotCancelable) {
		return nil
	}
	return noTask(err)
}

// mcpTask returns a record as an MCP task. Its TTL is ours, whatever the client asks for
// (2025-11-25, basic/utilities/tasks: "Receivers MAY override the requested ttl"). A task that
// failed at the agent is a completed MCP task with an error result: "failed" is for calls that
// could not be made (SEP-2663).
func (t *Tools) mcpTask(e *ledger.Record) *mcp.Task {
	m := &mcp.Task{
		ID:      e.Handle,
		Status:  mcp.Working,
		Created: e.Created,
		Updated: e.Updated,
		TTL:     t.Directory.KeptFor(e),
		Poll:    taskPoll,
	}
	if e.Task != nil {
		m.Message = sanitize.Short(e.Task.Status.Message.Text(), 500)
	}
	if m.Message == "" && !e.Idle {
		m.Message = "The agent " + e.Agent + " is working on it."
	}

	m.ImmediateResponse = fmt.Sprintf(
		"Task %s has begun, for %s. You get the result when the task ends; do not send it again.",
		e.Handle,
		origin(e),
	)
	switch state := e.State(); {
	case state == a2a.Canceled:
		m.Status = mcp.Cancelled
	case state.Terminal():
		m.Status, m.Result = mcp.Completed, t.backgroundResult(e, documents.RenderOptions{})
		if why := view.Problem(
			e, "",
		); why != nil { // official clients do not read the result of a failed task
			m.Message = sanitize.Short(why.Message, 500)
		}
	case e.Undelivered():
		m.Message = e.DeliveryText()
	case e.Unanswered() != "": // the client is not asked again, and must not wait
		m.Status, m.Result = mcp.Completed, t.backgroundResult(
			e, documents.RenderOptions{Unanswered: e.Unanswered()},
		)
	case e.Idle && state.Interrupted():
		q, ok := t.pauseQuestion(e, "From "+origin(e)+": ")
		if !ok {
			break
		}
		m.Status = mcp.InputRequired
		m.Questions = []mcp.Question{q}
		m.Poll = questionPoll
		m.FallbackResult = t.backgroundResult(e, documents.RenderOptions{})
	}

	return m
}

// pauseQuestion is the question of a task that has paused; ok is false if there is none.
func (t *Tools) pauseQuestion(e *ledger.Record, before string) (q mcp.Question, ok bool) {
	if e.AwaitsFiles() {
		return q, false
	}
	if e.State() == a2a.AuthRequired {
		return t.signInQuestion(e, before)
	}
	return question(e, before), true
}

// backgroundResult returns the result of a task for a client that followed it in the background: by
// the time that its model reads the result, it may have forgotten the call.
func (t *Tools) backgroundResult(e *ledger.Record, show documents.RenderOptions) *mcp.Result {
	r := t.Documents.Result(e, show)
	r.Content = append([]mcp.Content{mcp.Text("From " + origin(e) + ":")}, r.Content...)
	return r
}

// origin tells who works on a task, and at what, to those who may have forgotten the call.
func origin(e *ledger.Record) string {
	asked := strings.Join(strings.Fields(sanitize.Short(e.RequestText(), 200)), " ")
	return fmt.Sprintf("the agent %s, which was asked for %q", e.Agent, asked)
}
