package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
)

const (
	maxAnswer = 4 << 20 // bytes of a form, with its files
	maxFiles  = 5
	maxName   = 200 // characters of a file's name
)

// errForm says that a request has no valid form.
var errForm = errors.New("not a form of this page")

// answer handles the form that answers the agent. The form says which question it answers.
func (t *taskRequest) answer() {
	values, files, err := readAnswer(t.Request)
	if err != nil {
		t.writeError(err)
		return
	}

	task, err := t.Bridge.Documents.TaskView(t.Context(), t.access(t.Request), t.handle)
	if err != nil {
		t.writeError(err)
		return
	}

	reply := runner.Reply{Pause: values.Get("pause"), Once: values.Get("once"), Files: files}
	if task.Form != nil && task.Pause == reply.Pause {
		content, problems := task.Form.Fill(
			func(name string) string { return moment(task.Form, name, fieldValue(values, name)) },
		)
		about := pageState{
			values:   fieldValues(task, values),
			problems: problems,
		}
		about.notice.Text = "Please correct the marked fields."
		if len(files) > maxFiles {
			about.files = "These files are too large, or too many: 5 files and 4 MB at most."
		}
		if len(problems) > 0 || about.files != "" {
			t.show(http.StatusUnprocessableEntity, about)
			return
		}
		reply.Content = content
	}
	if err := t.Bridge.Documents.AnswerTask(
		t.Context(),
		t.access(t.Request),
		t.handle,
		reply,
	); err != nil {
		t.showNotSent(task, values, err)
		return
	}

	redirect(t.w, t.Request, documents.TaskPath+url.PathEscape(t.handle)+"?done=answered")
}

// showNotSent shows the page of the task with the reason why an answer was not sent. If
// another answer came first, it says where from.
func (t *taskRequest) showNotSent(before *documents.TaskView, values url.Values, err error) {
	var about pageState
	notice := &about.notice
	status := http.StatusConflict
	var refused *a2a.Error
	var down directory.Unreachable
	switch {
	case errors.Is(err, ledger.ErrTaskBusy):
		notice.Text = "An answer from an app came first, so yours wasn't sent."
		now, err := t.Bridge.Documents.TaskView(t.Context(), t.access(t.Request), before.Record.Handle)
		if err == nil && now.ByPage {
			notice.Text = "An answer from this page came first, so yours wasn't sent."
		}
	case errors.Is(err, ledger.ErrTaskEnded):
		notice.Text = "The task has ended, so your answer wasn't sent."
	case errors.Is(err, directory.ErrNotConnected):
		notice.Text = "The agent wants to know who you are before it takes the answer. " +
			"Connect it, then send the answer again."
		about.values = fieldValues(before, values)
		notice.Connect = connectPath(before.Agent, before.Record.Handle)
	case errors.As(err, &refused):
		t.Log.WarnContext(
			t.Context(), "an agent took no answer",
			"task", before.Record.Handle,
			"err", err,
		)
		status = http.StatusBadGateway
		notice.Text = "The agent didn't take the answer. Try again, or change it."
		about.values = fieldValues(before, values)
		if refused.Remote || refused.Code == a2a.ContentTypeNotSupported {
			notice.Reason = sanitize.Short(refused.Message, 500)
		}
	case errors.As(err, &down):
		status = http.StatusServiceUnavailable
		notice.Text = "The agent can't be reached now. Your answer wasn't sent."
		about.values = fieldValues(before, values)
	default:
		t.writeError(err)
		return
	}

	t.show(status, about)
}

// fieldValues returns the values of the fields of a form.
func fieldValues(task *documents.TaskView, values url.Values) map[string]string {
	in := map[string]string{}
	if task.Form == nil {
		return in
	}
	for _, f := range task.Form.Fields {
		in[f.Name] = fieldValue(values, f.Name)
	}
	return in
}

// moment returns the value of a field. What a picker of date and time says without a script is UTC.
func moment(f *form.Form, name, value string) string {
	i := slices.IndexFunc(f.Fields, func(f form.Field) bool { return f.Name == name })
	if i >= 0 && f.Fields[i].Format == form.DateTime {
		if t, err := time.Parse(pickerTime, value); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	return value
}

// fieldValue returns the value of a field. Several values are lines.
func fieldValue(values url.Values, name string) string {
	return strings.Join(values["field:"+name], "\n")
}

// readForm reads a form of a page.
func readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxAnswer)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var err error
	switch kind {
	case "multipart/form-data":
		err = r.ParseMultipartForm(maxAnswer) // all of it in memory
	case "application/x-www-form-urlencoded":
		err = r.ParseForm()
	default:
		err = errForm
	}

	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return err
	case err != nil:
		return errForm
	}

	return nil
}

// readAnswer returns the values and the files of an answer.
func readAnswer(r *http.Request) (url.Values, []a2a.Part, error) {
	once := r.PostForm.Get("once")
	if !validOnce(once) || r.PostForm.Get("pause") == "" {
		return nil, nil, errForm
	}
	files, err := readFiles(r.MultipartForm)
	return r.PostForm, files, err
}

// validOnce reports whether a form has the identifier that its page was given.
func validOnce(once string) bool {
	return len(once) >= 20 && len(once) <= 40 &&
		strings.Trim(once, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// readFiles returns the files of a form. It skips files without a name and content,
// which browsers send if no file was chosen.
func readFiles(f *multipart.Form) (parts []a2a.Part, err error) {
	if f == nil {
		return nil, nil
	}
	for _, header := range f.File["files"] {
		if header.Filename == "" && header.Size == 0 {
			continue
		}
		file, err := header.Open()
		if err != nil {
			return nil, errForm
		}
		content, err := io.ReadAll(file)
		file.Close()
		if err != nil {
			return nil, errForm
		}
		name := []rune(header.Filename)
		parts = append(parts, a2a.Part{
			Content:   a2a.Raw(content),
			Filename:  string(name[:min(len(name), maxName)]),
			MediaType: mediaType(header.Header.Get("Content-Type")),
		})
	}
	return parts, nil
}
