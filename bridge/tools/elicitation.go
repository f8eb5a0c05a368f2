package tools

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// question is the question of a task in input-required for the user at the client.
func question(e *ledger.Record) mcp.Question {
	f := runner.FormOf(e)
	text := sanitize.Short(e.Task.Status.Message.Text(), 2000)
	if f == runner.OpenForm {
		text = strings.TrimSpace(text + "\n\n" + unreadable(e))
	}
	text = cmp.Or(text, f.Description, f.Title, "The agent asks for input.")
	if e.Unconfirmed() {
		text = "Whether the agent got the last answer is not known. Answer again only if it is to be sent once more. " + text
	}
	return mcp.ElicitForm(questionKey(e), text, f.Schema())
}

// unreadable returns the data of a question that is not a form, for the user; "" if there is none.
func unreadable(e *ledger.Record) string {
	var all []string
	if m := e.Task.Status.Message; m != nil {
		for _, p := range m.Parts {
			if data, ok := p.Content.(a2a.Data); ok {
				all = append(all, sanitize.Short(string(data), 2000))
			}
		}
	}
	return strings.Join(all, "\n")
}

// mostRounds bounds the questions of one call.
const mostRounds = 10

// questionKey identifies a question by its task and the message that it is about.
func questionKey(e *ledger.Record) string { return e.Handle + "/" + e.MessageID }

// answered sends the answer of the user to the agent and waits for the result. If the
// agent refuses the answer, the error goes to the caller, because the user would only
// see the same question again.
func (t *Tools) answeredTask(ctx context.Context, c *mcp.Call) (*ledger.Record, error) {
	for _, key := range c.Answered() {
		handle, _, _ := strings.Cut(key, "/")
		e, err := t.Runner.Task(ctx, t.Directory.Caller(ctx).User, handle)
		if !errors.Is(err, ledger.ErrNoTask) {
			return e, err
		}
	}
	return nil, nil
}

// elicit asks the user at the client the questions of the agent, as long as there are any and the
// client supports it, and returns the task. Each answer is awaited like the first message.
func (t *Tools) elicit(ctx context.Context, c *mcp.Call, e *ledger.Record, wait *float64) (*ledger.Record, error) {
	for range mostRounds {
		if e.Idle && e.State() == a2a.AuthRequired {
			after, done, err := t.askToSignIn(ctx, c, e, wait)
			if err != nil || !done {
				return after, err
			}
			e = after
			continue
		}
		if e.State() != a2a.InputRequired || !e.Idle {
			return e, nil
		}
		q := question(e)
		if !c.CanAsk(q) {
			return e, nil
		}
		answers, err := t.askPerson(ctx, c, e, q)
		if errors.Is(err, mcp.ErrNoAnswer) {
			return e, nil // the model may know the answer, or ask in its own way
		}
		if errors.Is(err, errPassed) {
			if e, err = t.awaitTask(ctx, e.Handle, waitFor(wait), c.Progress); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if e, err = t.answered(ctx, c, e, answers[0], wait); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// errPassed says that a task has left the pause that a question was about.
var errPassed = errors.New("the task has gone on without the answer")

// askPerson asks the user at the client about the pause of e. The question is withdrawn
// with errPassed when the task leaves that pause, because it was answered on its page
// or through another app.
func (t *Tools) askPerson(ctx context.Context, c *mcp.Call, e *ledger.Record, q mcp.Question) ([]mcp.Answer, error) {
	if c.InputByRetry() {
		return c.Ask(ctx, q)
	}
	asking, done := context.WithCancelCause(ctx)
	defer done(nil)
	go func() {
		if t.awaitLeave(asking, e) {
			done(errPassed)
		}
	}()
	answers, err := c.Ask(asking, q)
	if err != nil && errors.Is(context.Cause(asking), errPassed) {
		return nil, errPassed
	}
	return answers, err
}

// awaitLeave waits until a task has left the pause of e, and reports whether it did
// before ctx ended.
func (t *Tools) awaitLeave(ctx context.Context, e *ledger.Record) bool {
	for seen := e.Updated; ; {
		now, err := t.Runner.NextChange(ctx, e.Owner, e.Handle, seen)
		if err != nil {
			return false
		}
		if now.MessageID != e.MessageID || now.State() != e.State() {
			return true
		}
		seen = now.Updated
	}
}

// answered sends the agent the person's answer and waits for the task. If the agent
// refuses the answer, the caller gets the error: the person would be
// asked the same again, and not know why.
func (t *Tools) answered(ctx context.Context, c *mcp.Call, e *ledger.Record, a mcp.Answer, wait *float64) (*ledger.Record, error) {
	f, err := t.answer(ctx, e, a)
	if err != nil {
		return nil, err
	}
	if f != nil {
		after, err := t.Runner.Await(ctx, f, waitFor(wait), c.Progress)
		if !errors.Is(err, ledger.ErrTaskEnded) {
			return after, err
		}
	}
	return t.awaitTask(ctx, e.Handle, waitFor(wait), c.Progress)
}

// answer sends the answer of the user to the agent. Declining is an answer. Canceling
// ends the task, as does declining to connect an agent that has not received the
// message. An answer that comes too late is dropped and has no follower.
func (t *Tools) answer(ctx context.Context, e *ledger.Record, a mcp.Answer) (*runner.Follower, error) {
	if a.Action == "cancel" || e.Unsent() && !a.Accepted() {
		_, err := t.Runner.Cancel(ctx, e.Owner, e.Handle)
		return nil, err
	}
	args := &runner.Request{TaskID: e.Handle, Message: "The user declined to answer."}
	if e.State() == a2a.AuthRequired {
		args.Message = "The user declined to sign in or grant access."
	}
	if a.Accepted() {
		if args = runner.Filled(e, a.Content); args == nil {
			return nil, nil
		}
	}
	args.Pause = e.MessageID
	f, err := t.Runner.Send(ctx, directory.Caller{User: e.Owner}, args)
	if errors.Is(err, ledger.ErrTaskBusy) || errors.Is(err, ledger.ErrTaskEnded) {
		return nil, nil
	}
	return f, err
}
