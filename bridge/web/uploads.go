package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"rialto/bridge/uploads"
	"rialto/internal/bytesize"
	"rialto/internal/dberr"
	"rialto/internal/i18n"
	"rialto/templates"
)

// Uploads serves uploads.Path: it takes files, from everybody with a link, and gives agents theirs.
// A link is a secret and works without cookies, so any web page may send to it.
type Uploads struct{ Site }

// ServeHTTP takes the file of a link, or sends one to an agent.
func (u *Uploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	if u.Bridge.Runner.Uploads == nil {
		http.NotFound(w, r)
		return
	}

	secret := strings.TrimPrefix(r.URL.Path, uploads.Path)
	link, file := strings.CutPrefix(r.URL.Path, uploads.FilePath)
	switch {
	case r.Method == http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "PUT, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "Content-Type")
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
	case file && reads(r):
		u.send(w, r, link)
	case r.Method == http.MethodPut && !file:
		u.take(w, r, secret)
	case reads(r):
		of, err := u.Bridge.Runner.Uploads.At(r.Context(), secret)
		u.show(w, r, of, http.StatusOK, err)
	case r.Method == http.MethodPost && !file:
		u.takeForm(w, r, secret)
	default:
		notAllowed(w, "GET, HEAD, OPTIONS, POST, PUT")
	}
}

// send sends a file to the agent whose link this is.
func (u *Uploads) send(w http.ResponseWriter, r *http.Request, link string) {
	of, content, err := u.Bridge.Runner.Uploads.Open(r.Context(), link)
	if err != nil {
		u.writeError(w, r, err)
		return
	}
	sendFile(w, r, of.Name, of.MediaType, content)
}

// received is the answer to a file that was taken.
type received struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	MediaType string `json:"mime_type"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
}

// take takes the body of a request as the file of a link.
func (u *Uploads) take(w http.ResponseWriter, r *http.Request, secret string) {
	of, err := u.Bridge.Runner.Uploads.Receive(r.Context(), secret, r.Body, r.ContentLength)
	if err != nil {
		u.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusCreated, received{of.ID, of.Name, of.MediaType, of.Size, of.SHA256})
}

// takeForm takes the file of the form on the page.
func (u *Uploads) takeForm(w http.ResponseWriter, r *http.Request, secret string) {
	of, err := u.Bridge.Runner.Uploads.At(r.Context(), secret)
	if err == nil {
		err = u.takePart(r, secret)
	}
	u.show(w, r, of, http.StatusCreated, err)
}

// takePart takes the file of a form, its only part.
func (u *Uploads) takePart(r *http.Request, secret string) error {
	form, err := r.MultipartReader()
	if err != nil {
		return uploads.ErrIncomplete
	}
	part, err := form.NextPart()
	if err != nil || part.FormName() != "file" {
		return uploads.ErrIncomplete
	}
	_, err = u.Bridge.Runner.Uploads.Receive(r.Context(), secret, part, -1)
	return err
}

// show shows the page of a link, with status unless there is an err. of is nil if no file can be
// sent to the link, because of err. Otherwise err says why the last file was not taken.
func (u *Uploads) show(
	w http.ResponseWriter, r *http.Request, of *uploads.Upload, status int, err error,
) {
	text := templates.Text(nil)
	if err != nil {
		var why *i18n.Message
		status, _, why = u.problem(r, err)
		text = templates.Sentence(why)
	}
	if of == nil {
		templates.Write(w, r, status, templates.Problem{
			Product: u.Product,
			Title:   "This file can't be sent",
			Reason:  text,
		})
		return
	}

	templates.Write(w, r, status, templates.Upload{
		Product: u.Product,
		Name:    of.Name,
		Accept:  of.MediaType,
		Most:    bytesize.Format(of.Size),
		Until:   templates.When(of.Expires, u.Now()),
		Error:   text,
		Sent:    status == http.StatusCreated,
	})
}

// uploadErrors are the statuses of errors, with their names in the answer.
var uploadErrors = []struct {
	err    error
	status int
	name   string
}{
	{uploads.ErrIncomplete, http.StatusBadRequest, "incomplete"},
	{uploads.ErrNone, http.StatusNotFound, "not_found"},
	{uploads.ErrUsed, http.StatusConflict, "used"},
	{uploads.ErrExpired, http.StatusGone, "expired"},
	{uploads.ErrTooLarge, http.StatusRequestEntityTooLarge, "too_large"},
	{uploads.ErrMediaType, http.StatusUnsupportedMediaType, "unsupported_type"},
	{uploads.ErrContent, http.StatusUnprocessableEntity, "refused"},
	{uploads.ErrAway, http.StatusServiceUnavailable, "unavailable"},
}

// uploadProblem is the answer to a file that was not taken.
type uploadProblem struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// writeError is the one place where an error of a file becomes an answer.
func (u *Uploads) writeError(w http.ResponseWriter, r *http.Request, err error) {
	status, name, why := u.problem(r, err)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", dberr.RetryAfterHeader)
	}
	writeJSON(w, status, uploadProblem{name, templates.Words(r, why)})
}

// problem returns what to tell a sender of an error.
func (u *Uploads) problem(
	r *http.Request, err error,
) (status int, name string, why *i18n.Message) {
	for _, known := range uploadErrors {
		if !errors.Is(err, known.err) {
			continue
		}
		why = i18n.New("This link leads to no upload. Ask in the chat for a new one.")
		if refusal, ok := errors.AsType[uploads.Refusal](err); ok {
			why = refusal.Message
		}
		return known.status, known.name, why
	}

	if r.Context().Err() == nil {
		u.Log.ErrorContext(r.Context(), "an upload", "err", err)
	}
	why = i18n.New("The file can't be kept now. Try again in a moment.")
	return http.StatusServiceUnavailable, "unavailable", why
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it has strings and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // an error means that the client is gone
}
