package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/internal/sse"
	"rialto/templates"
)

// Tasks serves bridge.TaskPath: a task, for its owner, with a form to answer its agent.
// All fields are required.
type Tasks struct {
	Product string
	Bridge  *bridge.Bridge
	Log     *slog.Logger

	watching watching
}

const (
	eventsSuffix = "/events"
	maxWaiting   = 20               // pages of one user that wait for changes
	maxWait      = 10 * time.Minute // then the browser asks again
	heartbeat    = 20 * time.Second
)

// ServeHTTP shows the task whose handle follows the path, streams its changes (at
// /events below it), or sends an answer to its agent.
func (t *Tasks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, events := strings.CutSuffix(strings.TrimPrefix(r.URL.EscapedPath(), documents.TaskPath), eventsSuffix)
	handle, err := url.PathUnescape(path)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case err != nil:
		t.writeError(w, r, ledger.ErrNoTask)
	case reads && events:
		t.events(w, r, handle)
	case reads:
		t.show(w, r, handle, http.StatusOK, pageState{})
	case r.Method == http.MethodPost && !events:
		r, done := detach(r)
		defer done()
		t.answer(w, r, handle)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (t *Tasks) show(w http.ResponseWriter, r *http.Request, handle string, status int, about pageState) {
	from := r.URL.Query().Get("cursor")
	task, err := t.Bridge.Documents.TaskView(r.Context(), handle, from)
	if err != nil {
		t.writeError(w, r, err)
		return
	}
	templates.Write(w, r, status, t.page(task, about))
}

// events sends a page one event when its task has changed since it was rendered. The
// page then loads the task again.
func (t *Tasks) events(w http.ResponseWriter, r *http.Request, handle string) {
	ms, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	if err != nil {
		http.Error(w, "since is missing", http.StatusBadRequest)
		return
	}
	leave, ok := t.watching.enter(t.Bridge.Directory.Caller(r.Context()).User)
	if !ok {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many pages wait for changes; close some of them", http.StatusTooManyRequests)
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	if _, err := t.Bridge.Documents.TaskView(ctx, handle, ""); err != nil {
		http.NotFound(w, r)
		return
	}
	t.watch(ctx, sse.NewWriter(w), handle, time.UnixMilli(ms))
}

// watch sends comments to a page until the task changes or ctx ends.
func (t *Tasks) watch(ctx context.Context, out *sse.Writer, handle string, since time.Time) {
	for out.Comment("watching") == nil {
		waiting, cancel := context.WithTimeout(ctx, heartbeat)
		err := t.Bridge.Documents.AwaitChange(waiting, handle, since)
		cancel()
		switch {
		case err == nil:
			_ = out.Event(sse.Event{Type: "changed", Data: []byte("{}")}) // the browser may have left
			return
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
			return
		}
	}
}

// watching counts the waiting pages of each user. The zero value is ready to use.
type watching struct {
	mu    sync.Mutex
	pages map[string]int
}

func (w *watching) enter(user string) (leave func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages == nil {
		w.pages = map[string]int{}
	}
	if w.pages[user] >= maxWaiting {
		return nil, false
	}
	w.pages[user]++
	return func() { w.leave(user) }, true
}

func (w *watching) leave(user string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages[user]--; w.pages[user] == 0 {
		delete(w.pages, user)
	}
}

// writeError is the one place where an error becomes a page.
func (t *Tasks) writeError(w http.ResponseWriter, r *http.Request, err error) {
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
		page.Title, page.Detail, page.Remedy = "The answer could not be read", "The form is not valid.", "Open the page again and answer there."
	default:
		status = http.StatusInternalServerError
		page.Title, page.Detail, page.Remedy = "The task cannot be shown now", "Something went wrong on this server.", "Try again in a moment."
		t.Log.Error("the page of a task", "err", err)
	}
	templates.Write(w, r, status, page)
}

// stateWords describes the states of tasks.
var stateWords = map[a2a.State]string{
	a2a.Submitted:     "Sent to the agent",
	a2a.Working:       "The agent is working",
	a2a.InputRequired: "The agent waits for your answer",
	a2a.AuthRequired:  "The agent waits until you allow it",
	a2a.Completed:     "Done",
	a2a.Canceled:      "Canceled",
	a2a.Failed:        "It did not work",
	a2a.Rejected:      "The agent refused",
	a2a.Unknown:       "The agent does not say where it stands",
}
