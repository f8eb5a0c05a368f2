package web

import (
	"errors"
	"net/http"
	"net/url"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/templates"
)

// send sends the request of the form on the start page, and shows the new task.
func (t *taskRequest) send() {
	files, err := readFiles(t.MultipartForm)
	once := t.PostForm.Get("once")
	switch {
	case err != nil || !validOnce(once):
		t.writeError(errForm)
		return
	case len(files) > maxFiles:
		t.writeNotSent(templates.Textf("These files are too large, or too many: 5 files and 4 MB at most."))
		return
	}
	a := &runner.Request{
		Agent:     t.PostForm.Get("agent"),
		Message:   t.PostForm.Get("message"),
		MessageID: once,
		Files:     requestFiles(files),
	}
	task, err := t.Bridge.Documents.SendTask(t.Context(), t.access(t.Request), a)
	if task == nil {
		t.writeSendError(a, err)
		return
	}
	redirect(t.w, t.Request, documents.TaskPath+url.PathEscape(task.Handle)+"?done=sent")
}

// requestFiles returns the files of a form as those of a request.
func requestFiles(parts []a2a.Part) (files []runner.File) {
	for _, p := range parts {
		content, _ := p.Content.(a2a.Raw)
		files = append(files, runner.File{
			Name:      p.Filename,
			MediaType: p.MediaType,
			Bytes:     content,
		})
	}
	return files
}

// writeSendError says why a request was not sent.
func (t *taskRequest) writeSendError(a *runner.Request, err error) {
	var down directory.Unreachable
	var refused *a2a.Error
	_, badInput := ledger.InputText(err)
	wrongType := errors.As(err, &refused) && !refused.Remote && refused.Code == a2a.ContentTypeNotSupported
	switch {
	case errors.Is(err, directory.ErrNotConnected):
		redirect(t.w, t.Request, connectPath(a.Agent, ""))
	case wrongType:
		t.writeNotSent(templates.Sentence(refused.Sentence()))
	case errors.As(err, &down):
		t.writeNotSent(templates.Textf("The agent can't be reached now. Try again later."))
	case errors.Is(err, ledger.ErrTooManyTasks):
		t.writeNotSent(templates.Textf("Too many of your tasks are running. Wait until some have ended."))
	case badInput:
		t.writeNotSent(templates.Textf("Choose an agent, and say what it should do."))
	default:
		t.writeError(err)
	}
}

func (t *taskRequest) writeNotSent(why templates.Text) {
	templates.Write(t.w, t.Request, http.StatusConflict, templates.Problem{
		Product: t.Product,
		Title:   "Nothing was sent",
		Reason:  why,
		Remedy:  "Go back: what you typed is still there.",
		Way:     "/",
		WayTo:   "Go to the start page",
	})
}
