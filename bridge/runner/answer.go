package runner

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
)

const (
	answerField = "answer"

	// answeredHere begins the ids of messages that were written on the page of their task.
	AnsweredHere = "page-"
)

// OpenForm is the form of a question that comes without one: a single text field. FormOf returns this
// very pointer, so that callers can compare with it.
var OpenForm = &form.Form{
	Fields: []form.Field{{Name: answerField, Title: "Answer", Kind: form.Text, Required: true}},
}

// FormOf returns the form that the agent of a task in input-required wants filled in:
// from a schema in its message, or one text field.
func FormOf(e *ledger.Record) *form.Form {
	if m := e.Task.Status.Message; m != nil {
		for _, p := range m.Parts {
			data, ok := p.Content.(a2a.Data)
			if !ok {
				continue
			}
			if f, ok := form.Read(data); ok {
				return f
			}
		}
	}
	return OpenForm
}

// AnswerRequest returns the request that carries a filled-in form: the text of an open
// question, or an object and its words. It is nil if content does not fit the form.
func AnswerRequest(access directory.Access, e *ledger.Record, content json.RawMessage) *Request {
	f := FormOf(e)
	args := &Request{TaskID: e.Handle}
	content = access.OverrideUseCase(content) // before words are made of it
	if f != OpenForm {
		object, ok := f.Object(content)
		if !ok {
			return nil
		}
		args.Message = cmp.Or(f.Words(content), "Nothing was filled in.")
		args.Data = object
		return args
	}

	var open map[string]string
	if json.Unmarshal(content, &open) != nil || strings.TrimSpace(open[answerField]) == "" {
		return nil
	}

	args.Message = open[answerField]
	return args
}

// Answer sends a reply to the agent of the paused task e. The same reply sent twice is sent
// once; one to another pause gets ErrTaskBusy, and one to a task that has ended ErrTaskEnded.
func (r *Runner) Answer(
	ctx context.Context, access directory.Access, e *ledger.Record, answer Reply,
) error {
	id := AnsweredHere + answer.Once
	switch {
	case e.MessageID == id:
		return nil // it is the one that was sent
	case e.State().Terminal():
		return ledger.ErrTaskEnded
	case e.MessageID != answer.Pause || !e.State().Interrupted():
		return ledger.ErrTaskBusy
	}

	args := &Request{TaskID: e.Handle, Message: "The user says that it is done."}
	if e.State() == a2a.InputRequired {
		args = AnswerRequest(access, e, answer.Content)
	}
	if args == nil {
		return ledger.InputError{Text: "There is no answer."}
	}

	args.MessageID = id
	args.Pause = answer.Pause
	for _, p := range answer.Files {
		args.Files = append(args.Files, fileOf(p))
	}

	sent, err := r.SendRequest(ctx, access, args)
	if err != nil {
		return err
	}

	_, err = sent.Accepted(ctx)
	return err
}

// Reply is what a user writes on the page of a task that waits for input.
type Reply struct {
	Pause   string          // of documents.TaskView: what is answered
	Once    string          // names this reply, so that the same is sent once
	Content json.RawMessage // nil to an agent that waits for a grant
	Files   []a2a.Part
}

// LeaveUnanswered notes that a client has returned the question of the paused task e without an
// answer; how is "decline" or "cancel". The task keeps waiting. If the task has left that pause,
// nothing changes.
func (r *Runner) LeaveUnanswered(ctx context.Context, e *ledger.Record, how string) error {
	if !e.Idle || !e.State().Interrupted() {
		return nil
	}

	err := r.reopen(ctx, e, e.MessageID)
	if errors.Is(err, ledger.ErrTaskBusy) {
		return nil
	}
	if err != nil {
		return err
	}

	e.MarkUnanswered(how)
	return r.saveIdle(ctx, e)
}
