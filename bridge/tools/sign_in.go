package tools

import (
	"cmp"
	"context"
	"errors"
	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// signInQuestion is the question for a task in auth-required: to open a page. Without another page,
// it is the page of the task: clients would wait forever for a task without a question.
func (t *Tools) signInQuestion(e *ledger.Record) (q mcp.Question, ok bool) {
	text := sanitize.Short(e.Task.Status.Message.Text(), 500)
	link := cmp.Or(t.Directory.ConnectPage(e), sanitize.FirstLink(text), t.Documents.PageURL(e))
	text = cmp.Or(text, "The agent waits until you have signed in or granted access.")
	return mcp.ElicitURL(questionKey(e), text, link), link != ""
}

// askToSignIn asks the user at the client to open a page, and waits until the task has
// left its pause. done reports whether it has.
func (t *Tools) askToSignIn(ctx context.Context, c *mcp.Call, e *ledger.Record, wait *float64) (after *ledger.Record, done bool, err error) {
	q, ok := t.signInQuestion(e)
	if !ok || !c.CanAsk(q) {
		return e, false, nil
	}
	answers, err := t.askPerson(ctx, c, e, q)
	switch {
	case errors.Is(err, mcp.ErrNoAnswer):
		return e, false, nil
	case errors.Is(err, errPassed): // they were there before they said that they would go
	case err != nil || !answers[0].Accepted():
		return e, false, err
	}
	waiting, cancel := context.WithTimeout(ctx, waitFor(wait))
	defer cancel()
	if _, err := t.Runner.NextChange(waiting, e.Owner, e.Handle, e.Updated); err != nil && ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	after, err = t.awaitTask(ctx, e.Handle, waitFor(wait), c.Progress)
	return after, err == nil && (after.MessageID != e.MessageID || after.State() != a2a.AuthRequired), err
}
