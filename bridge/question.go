package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

const (
	answerField = "answer"
	mostRounds  = 10 // questions of one call
)

// openForm is what a person fills in whose agent says nothing of a form.
var openForm = &form.Form{Fields: []form.Field{{Name: answerField, Title: "Answer", Kind: form.Text, Required: true}}}

// formOf returns the form that the agent of a task in input-required wants filled
// in: that of a schema in its message, or one field for text.
func formOf(e *ledger.Record) *form.Form {
	if m := e.Task.Status.Message; m != nil {
		for _, p := range m.Parts {
			data, ok := p.Content.(a2a.Data)
			if !ok {
				continue
			}
			if f, ok := form.Read(data, sanitize.Short); ok {
				return f
			}
		}
	}
	return openForm
}

// question is what a task in input-required asks the person at the client.
func question(e *ledger.Record) mcp.Question {
	f := formOf(e)
	text := sanitize.Short(e.Task.Status.Message.Text(), 2000)
	if f == openForm {
		text = strings.TrimSpace(text + "\n\n" + unreadable(e))
	}
	text = cmp.Or(text, f.Description, f.Title, "The agent asks for input.")
	if e.Unconfirmed() {
		text = "Whether the agent got the last answer is not known. Answer again only if it is to be sent once more. " + text
	}
	return mcp.ElicitForm(questionKey(e), text, f.Schema())
}

// unreadable returns the data that goes with the question of e, which is no form that we
// can show: who answers has to see what the agent wants to know. "" if there is none.
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

// filled are the arguments of send_task that bring what a person filled in: to
// an open question the text, and else the object, and in words as well for
// agents that read only those. It returns nil if
// content is not what was asked for.
func filled(e *ledger.Record, content json.RawMessage) *sendArgs {
	f, args := formOf(e), &sendArgs{TaskID: e.Handle}
	if f != openForm {
		object, ok := f.Object(content)
		if !ok {
			return nil
		}
		args.Message, args.Data = cmp.Or(f.Words(content), "Nothing was filled in."), object
		return args
	}
	var open map[string]string
	if json.Unmarshal(content, &open) != nil || strings.TrimSpace(open[answerField]) == "" {
		return nil
	}
	args.Message = open[answerField]
	return args
}

// questionKey names a question by the task and by the message that the agent
// asks back about: no two questions have the same.
func questionKey(e *ledger.Record) string { return e.Handle + "/" + e.MessageID }

// asked returns the caller's task that the answers in a repeated call are
// about, nil if the call is none: then its message is still to be sent.
func (b *Bridge) asked(ctx context.Context, c *mcp.Call) (*ledger.Record, error) {
	for _, key := range c.Answered() {
		handle, _, _ := strings.Cut(key, "/")
		e, err := b.own(ctx, handle)
		if !errors.Is(err, ledger.ErrNoTask) {
			return e, err
		}
	}
	return nil, nil
}

// converse puts the agent's questions to the person at the client, as long as
// it has some and the client can be asked, and returns the task as it then
// stands. Each answer is waited on as the first message was.
func (b *Bridge) converse(ctx context.Context, c *mcp.Call, e *ledger.Record, wait *float64) (*ledger.Record, error) {
	for range mostRounds {
		if e.Idle && e.State() == a2a.AuthRequired {
			after, done, err := b.sendOff(ctx, c, e, wait)
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
		answers, err := b.askAbout(ctx, c, e, q)
		if errors.Is(err, mcp.ErrNoAnswer) {
			return e, nil // the model may know the answer, or ask in its own way
		}
		if errors.Is(err, errPassed) {
			if e, err = b.task(ctx, e.Handle, waitFor(wait), c.Progress); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if e, err = b.answered(ctx, c, e, answers[0], wait); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// errPassed says that a task has left the pause that a question was about.
var errPassed = errors.New("the task has gone on without the answer")

// askAbout puts a question about the pause of e to the person at the client. It is taken
// back, with errPassed, when the task leaves that pause: somebody has answered on its
// page or through another app, and nobody need wait for what is not wanted any more.
func (b *Bridge) askAbout(ctx context.Context, c *mcp.Call, e *ledger.Record, q mcp.Question) ([]mcp.Answer, error) {
	if c.InputByRetry() {
		return c.Ask(ctx, q)
	}
	asking, done := context.WithCancelCause(ctx)
	defer done(nil)
	go func() {
		if b.leaves(asking, e) {
			done(errPassed)
		}
	}()
	answers, err := c.Ask(asking, q)
	if err != nil && errors.Is(context.Cause(asking), errPassed) {
		return nil, errPassed
	}
	return answers, err
}

// leaves waits until a task is no more in the pause that e is in, and reports whether it
// is so when ctx ends.
func (b *Bridge) leaves(ctx context.Context, e *ledger.Record) bool {
	for seen := e.Updated; ; {
		now, err := b.next(ctx, e.Owner, e.Handle, seen)
		if err != nil {
			return false
		}
		if now.MessageID != e.MessageID || now.State() != e.State() {
			return true
		}
		seen = now.Updated
	}
}

// answered tells the agent what the person answered, and waits for what becomes of
// it. Where the agent does not take the answer, who called is told: the person would be
// asked the same again, and not know why.
func (b *Bridge) answered(ctx context.Context, c *mcp.Call, e *ledger.Record, a mcp.Answer, wait *float64) (*ledger.Record, error) {
	f, err := b.answer(ctx, e, a)
	if err != nil {
		return nil, err
	}
	if f != nil {
		after, err := b.await(ctx, f, wait, c.Progress)
		if !errors.Is(err, ledger.ErrTaskEnded) {
			return after, err
		}
	}
	return b.task(ctx, e.Handle, waitFor(wait), c.Progress)
}

// answer tells the agent what the person answered. One who declines tells it
// so, and one who cancels ends the task, as does one who declines to connect an agent
// that has not got the message. An answer that comes after another
// one, or after the end, is dropped: nothing follows it then.
func (b *Bridge) answer(ctx context.Context, e *ledger.Record, a mcp.Answer) (*follower, error) {
	if a.Action == "cancel" || e.Unsent() && !a.Accepted() {
		_, err := b.cancel(ctx, e.Owner, e.Handle)
		return nil, err
	}
	args := &sendArgs{TaskID: e.Handle, Message: "The user declined to answer."}
	if e.State() == a2a.AuthRequired {
		args.Message = "The user declined to sign in or grant access."
	}
	if a.Accepted() {
		if args = filled(e, a.Content); args == nil {
			return nil, nil
		}
	}
	args.pause = e.MessageID
	f, err := b.send(ctx, directory.Caller{User: e.Owner}, args)
	if errors.Is(err, ledger.ErrTaskBusy) || errors.Is(err, ledger.ErrTaskEnded) {
		return nil, nil
	}
	return f, err
}
