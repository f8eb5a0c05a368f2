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
	path := strings.TrimPrefix(r.URL.EscapedPath(), documents.TaskPath)
	path, events := strings.CutSuffix(path, eventsSuffix)
	handle, err := url.PathUnescape(path)
	req := &taskRequest{
		Tasks:   t,
		Request: r,
		w:       w,
		handle:  handle,
	}
	switch {
	case err != nil:
		req.writeError(ledger.ErrNoTask)
	case reads(r) && events:
		req.events()
	case reads(r):
		req.show(http.StatusOK, pageState{sharing: templates.Sharing{Open: r.URL.Query().Has("share")}})
	case r.Method == http.MethodPost && !events:
		detached, done := detach(r)
		defer done()
		req.Request = detached
		req.handleForm()
	default:
		notAllowed(w, "GET, HEAD, POST")
	}
}

// taskRequest is a request about a task.
type taskRequest struct {
	*Tasks
	*http.Request
	w      http.ResponseWriter
	handle string
}

func (t *taskRequest) show(status int, about pageState) {
	task, err := t.Bridge.Documents.TaskView(t.Context(), t.access(t.Request), t.handle)
	if err != nil {
		t.writeError(err)
		return
	}

	p := t.page(task, about)
	if task.CanShare {
		p.Sharing, err = t.sharing(t.Request, task.ID, about.sharing)
		if err != nil {
			t.writeError(err)
			return
		}
	}

	p.Frame = t.frame(t.Request)
	templates.Write(t.w, t.Request, status, p)
}

// events sends a page an event whenever its task has changed since it was rendered, until it ends.
func (t *taskRequest) events() {
	ms, err := strconv.ParseInt(t.URL.Query().Get("since"), 10, 64)
	if err != nil {
		http.Error(t.w, "since is missing", http.StatusBadRequest)
		return
	}

	user := t.access(t.Request).User()
	leave, refused := t.watching.Acquire(user, maxWaiting, quota.Unlimited)
	if refused != nil {
		t.w.Header().Set("Retry-After", "60")
		http.Error(t.w, "too many pages wait for changes; close some of them", http.StatusTooManyRequests)
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	if _, err := t.Bridge.Documents.TaskView(ctx, t.Bridge.Directory.Access(ctx), t.handle); err != nil {
		http.NotFound(t.w, t.Request)
		return
	}

	t.watch(ctx, sse.NewWriter(t.w), t.handle, time.UnixMilli(ms))
}

// changePause is the least time between two events: a stream sends many updates a second.
const changePause = 300 * time.Millisecond

// watch sends events to a page until the task ends or ctx does, and comments in between.
func (t *Tasks) watch(ctx context.Context, out *sse.Writer, handle string, since time.Time) {
	for out.Comment("watching") == nil {
		waiting, cancel := context.WithTimeout(ctx, heartbeat)
		e, err := t.Bridge.Runner.NextChange(
			waiting,
			t.Bridge.Directory.Access(waiting),
			handle,
			since,
		)
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
func (t *taskRequest) writeError(err error) {
	if t.writeUnavailable(t.w, t.Request, err) {
		return
	}

	page := templates.Problem{
		Product: t.Product,
		Title:   "This task can't be shown",
		Detail:  "It doesn't exist, or it isn't yours.",
		Remedy:  "Sign in with the account that you use in the chat, or ask there for the task again.",
	}
	status := http.StatusNotFound
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, ledger.ErrNoTask):
		page.Way = signInFor(t.URL.EscapedPath())
		page.WayTo = "Use another account"
	case errors.As(err, &tooLarge):
		status = http.StatusRequestEntityTooLarge
		page.Title = "The answer is too large"
		page.Detail = "At most 4 MB, including files."
		page.Remedy = "Go back and send less."
	case errors.Is(err, errForm):
		status = http.StatusBadRequest
		page.Title = "The form couldn't be read"
		page.Detail = "It isn't a form of this page."
		page.Remedy = "Open the page again and try there."
	default:
		status = http.StatusInternalServerError
		page.Title = "The task can't be shown now"
		page.Detail = "Something went wrong on this server."
		page.Remedy = "Try again in a moment."
		t.Log.ErrorContext(t.Context(), "the page of a task", "err", err)
	}

	templates.Write(t.w, t.Request, status, page)
}
