package web

import (
	"errors"
	"net/http"
	"net/url"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// handleForm does what a form on the page of a task asks. The guard in front checks that it comes
// from one of our pages.
func (t *taskRequest) handleForm() {
	if err := readForm(t.w, t.Request); err != nil {
		t.writeError(err)
		return
	}

	to := documents.TaskPath + url.PathEscape(t.handle)
	var about pageState
	var err error
	switch do := t.PostForm.Get("do"); {
	case do == "cancel":
		to += "?done=canceled"
		about.notice, err = cancelError(
			t.Bridge.Documents.CancelTask(t.Context(), t.access(t.Request), t.handle),
		)
	case do == "send" && t.handle == "":
		t.send()
		return
	case do == "retry":
		again, failed := t.Bridge.Documents.RetryTask(t.Context(), t.access(t.Request), t.handle)
		if again == nil {
			about.notice, err = retryError(failed)
			break
		}
		to = documents.TaskPath + url.PathEscape(again.Handle) + "?done=sent" // which says what happened
	case do == "share" || t.PostForm.Has("revoke"):
		to += "?done=unshared"
		about.sharing, err = t.changeSharing(t.Request, documents.TaskID(t.handle))
		if err == nil && about.sharing.Link != "" {
			t.show(http.StatusOK, about)
			return
		}
	default:
		t.answer()
		return
	}

	switch {
	case err != nil:
		t.writeError(err)
	case about.notice.Text != "" || about.sharing.Error != "":
		t.show(http.StatusConflict, about)
	default:
		redirect(t.w, t.Request, to)
	}
}

// cancelError says why a task was not canceled, if its owner should know.
func cancelError(err error) (notice templates.TaskNotice, unexpected error) {
	var refused *a2a.Error
	var down directory.Unreachable
	_, badInput := ledger.InputText(err)
	switch {
	case err == nil:
		return notice, nil
	case errors.As(err, &refused):
		notice.Text = "The agent didn't stop."
		if refused.Remote {
			notice.Reason = sanitize.Short(refused.Message, 500)
		}
	case errors.As(err, &down):
		notice.Text = "The agent can't be reached now, so the task wasn't canceled."
	case errors.Is(err, ledger.ErrTaskBusy):
		notice.Text = "The task has gone on meanwhile. Try again."
	case badInput:
		notice.Text = "The task can't be canceled now: it has ended, or the agent hasn't confirmed it yet."
	default:
		return notice, err
	}

	return notice, nil
}

// retryError says why a request was not sent again, if its owner should know.
func retryError(err error) (notice templates.TaskNotice, unexpected error) {
	var down directory.Unreachable
	_, badInput := ledger.InputText(err)
	switch {
	case errors.Is(err, directory.ErrNotConnected):
		notice.Text = "The agent wants to know who you are. Connect it first."
	case errors.As(err, &down):
		notice.Text = "The agent can't be reached now. Try again later."
	case errors.Is(err, ledger.ErrTooManyTasks):
		notice.Text = "Too many of your tasks are running. Wait until some have ended."
	case badInput, errors.Is(err, ledger.ErrTaskBusy):
		notice.Text = "This request can't be sent again here. Send it in the chat."
	default:
		return notice, err
	}

	return notice, nil
}

// page adds what its owner can do to the page of a task.
func (t *Tasks) page(v *documents.TaskView, about pageState) templates.Task {
	e := v.Record
	path := documents.TaskPath + url.PathEscape(e.Handle)
	if about.notice.Text == "" {
		about.notice.Text, about.notice.Reason = e.DeliveryNotice()
	}

	p := TaskPage(v, t.Now(), nil)
	p.Up = &templates.Way{Href: "/account/tasks", Name: "Tasks"}
	p.Notice = about.notice
	if !e.State().Terminal() {
		p.Progress.Live = path + eventsSuffix + "?since=" + millis(e.Updated)
	}
	if v.CanCancel {
		p.Cancel = button(path, "cancel")
	}
	if v.CanRetry {
		p.Retry = button(path, "retry")
	}

	switch {
	case v.Form != nil:
		p.Ask = ask(v, about)
	case v.Grant:
		p.Grant = grant(v)
	}

	p.Facts = []templates.Fact{
		{
			Name:  "Task ID",
			Value: templates.ID(e.Handle),
		},
		{
			Name:  "Sent",
			Value: templates.Stamp(e.Created),
		},
		{Name: "Changed", Value: templates.Stamp(e.Updated)},
	}
	if c := sanitize.Label(e.ContextID()); c != "" {
		p.Facts = append(p.Facts, templates.Fact{Name: "Conversation", Value: templates.ID(c)})
	}

	return p
}

func button(path, do string) *templates.Button {
	return &templates.Button{Action: path, Hidden: []templates.Value{{Name: "do", Value: do}}}
}

// doneTexts are what a page says after an action, by the parameter in its address.
var doneTexts = map[string]string{
	"answered": "Answer sent.",
	"canceled": "Task canceled.",
	"sent":     "Request sent.",
	"unshared": "The link no longer works.",
}
