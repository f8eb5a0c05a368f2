package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/internal/quota"
	"rialto/internal/sse"
	"rialto/templates"
)

// Tasks serves documents.TaskPath: a task, for its owner, with a form to answer its agent.
type Tasks struct {
	Site
	watching quota.Count
}

const (
	eventsSuffix = "/events"
	maxWaiting   = 20               // pages of one user that wait for changes
	maxWait      = 10 * time.Minute // then the browser asks again
	heartbeat    = 20 * time.Second
)

// ServeHTTP shows the task whose handle follows the path, streams its changes (at
// /events below it), or does what a form on its page asks.
func (t *Tasks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, events := strings.CutSuffix(strings.TrimPrefix(r.URL.EscapedPath(), documents.TaskPath), eventsSuffix)
	handle, err := url.PathUnescape(path)
	switch {
	case err != nil:
		t.writeError(w, r, ledger.ErrNoTask)
	case reads(r) && events:
		t.events(w, r, handle)
	case reads(r):
		t.show(w, r, handle, http.StatusOK, pageState{sharing: templates.Sharing{Open: r.URL.Query().Has("share")}})
	case r.Method == http.MethodPost && !events:
		r, done := detach(r)
		defer done()
		t.handleForm(w, r, handle)
	default:
		notAllowed(w, "GET, HEAD, POST")
	}
}

func (t *Tasks) show(w http.ResponseWriter, r *http.Request, handle string, status int, about pageState) {
	task, err := t.Bridge.Documents.TaskView(r.Context(), t.access(r), handle)
	if err != nil {
		t.writeError(w, r, err)
		return
	}
	p := t.page(task, about)
	if task.CanShare {
		p.Sharing, err = t.sharing(r, task.ID, about.sharing)
		if err != nil {
			t.writeError(w, r, err)
			return
		}
	}
	p.Frame = t.frame(r)
	templates.Write(w, r, status, p)
}

// events sends a page an event whenever its task has changed since it was rendered, until it ends.
func (t *Tasks) events(w http.ResponseWriter, r *http.Request, handle string) {
	ms, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	if err != nil {
		http.Error(w, "since is missing", http.StatusBadRequest)
		return
	}
	user := t.access(r).User()
	leave, refused := t.watching.Acquire(user, maxWaiting, quota.Unlimited)
	if refused != nil {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many pages wait for changes; close some of them", http.StatusTooManyRequests)
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	if _, err := t.Bridge.Documents.TaskView(ctx, t.Bridge.Directory.Access(ctx), handle); err != nil {
		http.NotFound(w, r)
		return
	}
	t.watch(ctx, sse.NewWriter(w), handle, time.UnixMilli(ms))
}

// changePause is the least time between two events: a stream sends many updates a second.
const changePause = 300 * time.Millisecond

// watch sends events to a page until the task ends or ctx does, and comments in between.
func (t *Tasks) watch(ctx context.Context, out *sse.Writer, handle string, since time.Time) {
	for out.Comment("watching") == nil {
		waiting, cancel := context.WithTimeout(ctx, heartbeat)
		e, err := t.Bridge.Runner.NextChange(waiting, t.Bridge.Directory.Access(waiting), handle, since)
		cancel()
		switch {
		case err == nil && e.State().Terminal():
			_ = out.Event(sse.Event{Type: "end", Data: []byte("{}")}) // the browser may have left
			return
		case err == nil:
			since = e.Updated
			if out.Event(sse.Event{Type: "change", Data: []byte("{}")}) != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(changePause):
			}
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
			return
		}
	}
}

// writeError is the one place where an error becomes a page.
func (t *Tasks) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if t.writeUnavailable(w, r, err) {
		return
	}
	page := templates.Problem{
		Product: t.Product,
		Title:   "This task cannot be shown",
		Detail:  "It does not exist, or it is not yours.",
		Remedy:  "Sign in with the account that you use in the chat, or ask there for the task again.",
	}
	status := http.StatusNotFound
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, ledger.ErrNoTask):
		page.Way, page.WayTo = signInFor(r.URL.EscapedPath()), "Use another account"
	case errors.As(err, &tooLarge):
		status = http.StatusRequestEntityTooLarge
		page.Title, page.Detail, page.Remedy = "The answer is too large", "It may have 4 MB at most, with its files.", "Go back and send less."
	case errors.Is(err, errForm):
		status = http.StatusBadRequest
		page.Title, page.Detail, page.Remedy = "The form could not be read", "It is not a form of this page.", "Open the page again and try there."
	default:
		status = http.StatusInternalServerError
		page.Title, page.Detail, page.Remedy = "The task cannot be shown now", "Something went wrong on this server.", "Try again in a moment."
		t.Log.ErrorContext(r.Context(), "the page of a task", "err", err)
	}
	templates.Write(w, r, status, page)
}
