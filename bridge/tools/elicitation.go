package tools

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// question is the question of a task in input-required for the user at the client. Before is what
// the user may have to be reminded of.
func question(e *ledger.Record, before string) mcp.Question {
	f := runner.FormOf(e)
	text := sanitize.Short(e.Task.Status.Message.Text(), 2000)
	if f == runner.OpenForm {
		text = strings.TrimSpace(text + "\n\n" + unreadable(e))
	}
	text = cmp.Or(text, f.Description, f.Title, "The agent asks for input.")
	text = strings.TrimSpace(e.DeliveryText() + " " + text)
	return mcp.ElicitForm(questionKey(e), before+text, f.Schema())
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

// answeredTask returns the caller's task that the answers of a repeated call are about; nil if there is
// none. If the task has left its pause before the answers came, it is awaited.
func (el *elicitor) answeredTask(ctx context.Context) (*ledger.Record, error) {
	for _, key := range el.call.Answered() {
		handle, _, _ := strings.Cut(key, "/")
		e, err := el.await(ctx, handle)
		if !errors.Is(err, ledger.ErrNoTask) {
			return e, err
		}
	}
	return nil, nil
}

// elicitor asks the user at the client of a call the questions of an agent. Where its methods
// return unanswered, that says how a question came back without an answer, see
// documents.RenderOptions, and is "" otherwise. It is not an answer of the user, because programs
// that run without one (claude -p, codex exec) decline or cancel every question at once.
type elicitor struct {
	tools *Tools
	call  *mcp.Call
	wait  time.Duration // for the agent, after each answer
}

// elicit asks the questions of the agent, as long as there are any and the client supports it, and
// returns the task. Each answer is awaited like the first message. If a question comes back without
// an answer, the task stays as it is.
func (el *elicitor) elicit(
	ctx context.Context, e *ledger.Record,
) (after *ledger.Record, unanswered string, err error) {
	for range mostRounds {
		next, unanswered, err := el.once(ctx, e)
		if err != nil || next == nil {
			return e, unanswered, err
		}
		e = next
	}
	return e, "", nil
}

// once asks what the agent asks, and returns the task after the answer. It returns nil if there is
// no question, if the agent is yet to get the answer, or if the client takes none: the model may
// know the answer, or ask in its own way.
func (el *elicitor) once(
	ctx context.Context, e *ledger.Record,
) (after *ledger.Record, unanswered string, err error) {
	switch {
	case !e.Idle, e.Undelivered(), e.AwaitsFiles():
		return nil, "", nil
	case e.State() == a2a.AuthRequired:
		return el.askToSignIn(ctx, e)
	case e.State() != a2a.InputRequired:
		return nil, "", nil
	}
	q := question(e, "")
	if !el.call.CanAsk(q) {
		return nil, "", nil
	}

	a, unanswered, err := el.ask(ctx, e, q)
	switch {
	case errors.Is(err, errLeftPause):
		after, err = el.await(ctx, e.Handle)
	case err == nil && unanswered == "":
		after, err = el.answered(ctx, e, a)
	}

	return after, unanswered, err
}

// errLeftPause says that a task has left the pause that a question was about.
var errLeftPause = errors.New("the task has gone on without the answer")

// ask asks the user about the pause of e. The question is withdrawn with errLeftPause when the task
// leaves that pause, because it was answered on its page or through another app.
func (el *elicitor) ask(
	ctx context.Context, e *ledger.Record, q mcp.Question,
) (answer mcp.Answer, unanswered string, err error) {
	asking, done := context.WithCancelCause(ctx)
	defer done(nil)
	if !el.call.UsesMultiRoundTripRequests() {
		go func() {
			if el.awaitLeave(asking, e) {
				done(errLeftPause)
			}
		}()
	}
	answers, err := el.call.Ask(asking, q)
	switch {
	case err != nil && errors.Is(context.Cause(asking), errLeftPause):
		return answer, "", errLeftPause
	case errors.Is(err, mcp.ErrNoAnswer):
		return answer, "none", nil
	case err != nil:
		return answer, "", err
	case !answers[0].Accepted():
		return answer, answers[0].Action, nil
	}

	return answers[0], "", nil
}

// awaitLeave waits until a task has left the pause of e, and reports whether it did
// before ctx ended.
func (el *elicitor) awaitLeave(ctx context.Context, e *ledger.Record) bool {
	t := el.tools
	for c, err := range t.Runner.Watch(ctx, t.Directory.Access(ctx), e.Handle, e.Updated) {
		if err != nil {
			return false
		}
		now := c.Record()
		if now.MessageID != e.MessageID || now.State() != e.State() {
			return true
		}
	}

	return false
}

// answered sends the agent the person's answer and waits for the task. If the agent
// refuses the answer, the caller gets the error: the person would be
// asked the same again, and not know why.
func (el *elicitor) answered(
	ctx context.Context, e *ledger.Record, a mcp.Answer,
) (*ledger.Record, error) {
	sent, err := el.tools.answer(ctx, e, a)
	if err != nil {
		return nil, err
	}
	if sent != nil {
		after, err := sent.Await(ctx, el.wait, el.call.Progress)
		if !errors.Is(err, ledger.ErrTaskEnded) {
			return after, err
		}
	}

	return el.await(ctx, e.Handle)
}

// await returns a task of the caller, after waiting until it is idle.
func (el *elicitor) await(ctx context.Context, handle string) (*ledger.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, el.wait)
	defer cancel()
	return el.tools.Runner.AwaitIdle(ctx, el.tools.Directory.Access(ctx), handle, el.call.Progress)
}

// answer sends the answer of the user to the agent. An answer that comes too late is dropped and
// returns nil.
func (t *Tools) answer(ctx context.Context, e *ledger.Record, a mcp.Answer) (*runner.Sent, error) {
	access := t.Directory.Access(ctx)
	args := runner.AnswerRequest(access, e, a.Content)
	if args == nil {
		return nil, nil
	}

	args.Pause = e.MessageID
	sent, err := t.Runner.SendRequest(ctx, access, args)
	if errors.Is(err, ledger.ErrTaskBusy) || errors.Is(err, ledger.ErrTaskEnded) {
		return nil, nil
	}

	return sent, err
}
