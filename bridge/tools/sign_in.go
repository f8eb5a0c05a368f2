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
	text := signInText(e)
	link := t.signInLink(e)
	text = cmp.Or(text, "The agent waits until you have signed in or granted access.")
	return mcp.ElicitURL(questionKey(e), before+text, link), link != ""
}

func signInText(e *ledger.Record) string {
	return sanitize.Short(e.Task.Status.Message.Text(), 500)
}

// signInLink returns the page that a task in auth-required waits for, "" if there is none.
func (t *Tools) signInLink(e *ledger.Record) string {
	return cmp.Or(
		t.Directory.ConnectPage(e), sanitize.FirstLink(signInText(e)), t.Documents.PageURL(e),
	)
}

// askToSignIn asks the user at the client to open a page, and waits until the task has left its
// pause. It returns nil if the client cannot be asked, or the task has not left its pause.
func (el *elicitor) askToSignIn(
	ctx context.Context, e *ledger.Record,
) (after *ledger.Record, unanswered string, err error) {
	t := el.tools
	q, ok := t.signInQuestion(e, "")
	if !ok || !el.call.CanAsk(q) {
		return nil, "", nil
	}

	_, unanswered, err = el.ask(ctx, e, q)
	if errors.Is(err, errLeftPause) {
		err = nil
	}
	if err != nil || unanswered != "" {
		return nil, unanswered, err
	}

	waiting, cancel := context.WithTimeout(ctx, el.wait)
	defer cancel()
	_, err = t.Runner.NextChange(waiting, t.Directory.Access(ctx), e.Handle, e.Updated)
	if err != nil && ctx.Err() != nil {
		return nil, "", ctx.Err()
	}

	after, err = el.await(ctx, e.Handle)
	if err == nil && after.MessageID == e.MessageID && after.State() == a2a.AuthRequired {
		return nil, "", nil
	}

	return after, "", err
}
