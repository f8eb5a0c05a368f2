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
func (t *Tools) signInQuestion(e *ledger.Record, before string) (q mcp.Question, ok bool) {
	text, link := signInText(e), t.signInLink(e)
	text = cmp.Or(text, "The agent waits until you have signed in or granted access.")
	return mcp.ElicitURL(questionKey(e), before+text, link), link != ""
}

func signInText(e *ledger.Record) string { return sanitize.Short(e.Task.Status.Message.Text(), 500) }

// signInLink returns the page that a task in auth-required waits for, "" if there is none.
func (t *Tools) signInLink(e *ledger.Record) string {
	return cmp.Or(t.Directory.ConnectPage(e), sanitize.FirstLink(signInText(e)), t.Documents.PageURL(e))
}

// askToSignIn asks the user at the client to open a page, and waits until the task has left its
// pause. It returns nil if the client cannot be asked, or the task has not left its pause.
func (t *Tools) askToSignIn(ctx context.Context, c *mcp.Call, e *ledger.Record, wait *float64) (*ledger.Record, error) {
	q, ok := t.signInQuestion(e, "")
	if !ok || !c.CanAsk(q) {
		return nil, nil
	}
	if _, err := t.askPerson(ctx, c, e, q); err != nil && !errors.Is(err, errPassed) {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, waitFor(wait))
	defer cancel()
	if _, err := t.Runner.NextChange(waiting, t.Directory.Access(ctx), e.Handle, e.Updated); err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	after, err := t.awaitTask(ctx, e.Handle, waitFor(wait), c.Progress)
	if err != nil {
		return nil, err
	}
	if after.MessageID == e.MessageID && after.State() == a2a.AuthRequired {
		return nil, nil
	}
	return after, nil
}
