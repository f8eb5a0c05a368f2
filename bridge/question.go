package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"rialto/a2a"
	"rialto/mcp"
)

const (
	answerField = "answer"
	mostRounds  = 10 // questions of one call
)

// question is what a task in input-required asks the person at the client.
func question(e *Entry) mcp.Question {
	return mcp.Form(questionKey(e), shown(e.Task.Status.Message.Text(), 2000), json.RawMessage(
		`{"type":"object","properties":{"`+answerField+`":{"type":"string","title":"Answer"}},"required":["`+answerField+`"]}`))
}

// questionKey names a question by the task and by the message that the agent
// asks back about: no two questions have the same.
func questionKey(e *Entry) string { return e.Handle + "/" + e.MessageID }

// asked returns the caller's task that the answers in a repeated call are
// about, nil if the call is none: then its message is still to be sent.
func (b *Bridge) asked(ctx context.Context, c *mcp.Call) (*Entry, error) {
	for _, key := range c.Answered() {
		handle, _, _ := strings.Cut(key, "/")
		e, err := b.Ledger.Task(ctx, b.Caller(ctx).User, handle)
		if !errors.Is(err, ErrNoTask) {
			return e, err
		}
	}
	return nil, nil
}

// converse puts the agent's questions to the person at the client, as long as
// it has some and the client can be asked, and returns the task as it then
// stands. Each answer is waited on as the first message was.
func (b *Bridge) converse(ctx context.Context, c *mcp.Call, e *Entry, wait *float64) (*Entry, error) {
	for range mostRounds {
		if e.State() != a2a.InputRequired || !e.Settled {
			return e, nil
		}
		q := question(e)
		if !c.CanAsk(q) {
			return e, nil
		}
		answers, err := c.Ask(ctx, q)
		if errors.Is(err, mcp.ErrNoAnswer) {
			return e, nil // the model may know the answer, or ask in its own way
		}
		if err != nil {
			return nil, err
		}
		if err := b.answer(ctx, e, answers[0]); err != nil {
			return nil, err
		}
		if e, err = b.task(ctx, e.Handle, waitFor(wait), c.Progress); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// answer tells the agent what the person answered. One who declines tells it
// so, and one who cancels ends the task. An answer that comes after another
// one is dropped.
func (b *Bridge) answer(ctx context.Context, e *Entry, a mcp.Answer) error {
	if a.Action == "cancel" {
		_, err := b.cancel(ctx, e.Owner, e.Handle)
		return err
	}
	args := &sendArgs{TaskID: e.Handle, Message: "The user declined to answer."}
	if a.Accepted() {
		var form map[string]string
		if json.Unmarshal(a.Content, &form) != nil || strings.TrimSpace(form[answerField]) == "" {
			return nil
		}
		args.Message = form[answerField]
	}
	_, err := b.send(ctx, Caller{User: e.Owner}, args)
	if errors.Is(err, ErrTaskBusy) {
		return nil
	}
	return err
}
