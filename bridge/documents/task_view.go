package documents

import (
	"context"
	"net/url"
	"rialto/a2a"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/internal/message"
	"slices"
	"strings"
	"time"
)

// PageURL returns where the owner of e can see it, "" if there are no pages.
func (l *Library) PageURL(e *ledger.Record) string {
	if !l.Directory.Pages {
		return ""
	}
	if page := l.Directory.ConnectPage(e); page != "" {
		return page
	}
	return l.URL + TaskPath + url.PathEscape(e.Handle)
}

// TaskView is a task as its page shows it.
type TaskView struct {
	TaskInfo
	Updated time.Time
	Lives   bool // it changes without its owner

	Sentence *message.Message // Message with its values apart, if it is ours

	// Pause names what the agent waits for, "" while it works or has ended. Form is
	// what it wants filled in; nil where it does not ask for input. Open tells that the form is one
	// field for text, Files that the agent takes files with the answer.
	Pause string
	Form  *form.Form
	Open  bool
	Files bool

	// Grant tells that the agent waits until the person has signed in somewhere, or
	// allowed something, as its message says; Pause names that. Visit is the address
	// in the message, if it has one.
	Grant bool
	Visit string

	// Unsure reports that the last answer may not have reached the agent.
	Unsure bool

	// Connect tells that the agent waits until the person connects it here.
	Connect bool

	// ByPage tells that what was last sent to the agent was written on the page.
	ByPage bool
}

// historyShown is how many messages of a task its page shows.
const historyShown = 50

// TaskView returns a task of the caller's for its page, or ErrNoTask. from is
// the cursor of a page of its results; "" is the first.
func (l *Library) TaskView(ctx context.Context, handle, from string) (*TaskView, error) {
	at, err := ParseCursor(from)
	if err != nil {
		at = Cursor{}
	}
	user := l.Directory.Caller(ctx).User
	e, _, err := l.Runner.Current(ctx, user, handle)
	if err == nil && e.Unconfirmed() && l.Runner.Advanced(ctx, e) {
		e, _, err = l.Runner.Current(ctx, user, handle)
	}
	if err != nil {
		return nil, err
	}
	s := &TaskView{TaskInfo: *l.Result(e, Chunk{From: at, History: historyShown}).Structured.(*TaskInfo), Updated: e.Updated, Lives: !e.Idle, Sentence: e.Sentence()}
	s.ByPage, s.Unsure = strings.HasPrefix(e.MessageID, runner.AnsweredHere), e.Unconfirmed()
	switch state := e.State(); {
	case !e.Idle:
	case state == a2a.InputRequired:
		s.Pause, s.Form = e.MessageID, runner.FormOf(e)
		s.Open, s.Files = s.Form == runner.OpenForm, l.takesFiles(ctx, e)
	case state == a2a.AuthRequired:
		s.Pause, s.Grant, s.Visit = e.MessageID, true, sanitize.FirstLink(s.Message)
		if page := l.Directory.ConnectPage(e); page != "" {
			s.Connect, s.Visit = true, page
		}
	}
	return s, nil
}

// takesFiles reports whether the agent of e says that it takes more than words and data.
func (l *Library) takesFiles(ctx context.Context, e *ledger.Record) bool {
	p := l.Directory.Lookup(e.Agent)
	if p == nil {
		return false
	}
	conn, err := l.Directory.Connect(ctx, p)
	return err == nil && slices.ContainsFunc(conn.Card().DefaultInputModes, func(mode string) bool {
		return mode != "text" && !strings.HasPrefix(mode, "text/plain") && !strings.HasPrefix(mode, "application/json")
	})
}

// AwaitChange returns when a task of the caller's has changed since a moment, or
// when ctx or all waiting ends.
func (l *Library) AwaitChange(ctx context.Context, handle string, since time.Time) error {
	_, err := l.Runner.NextChange(ctx, l.Directory.Caller(ctx).User, handle, since)
	return err
}

// AnswerTask sends a reply to the agent of a task of the caller's. Of all answers to one pause,
// from pages and from apps, one is sent; the others get ErrTaskBusy, unless they are the same reply
// again. An answer to a task that has ended gets ErrTaskEnded. An *a2a.Error says that the agent
// did not take the answer, and ErrNotConnected that it does not know the caller any more.
func (l *Library) AnswerTask(ctx context.Context, handle string, r runner.Reply) error {
	return l.Meter.Page(ctx, "answer", len(r.Content)+ledger.PartsSize(r.Files), func() (agent string, _ int, _ error) {
		e, err := l.Runner.Ledger.Task(ctx, l.Directory.Caller(ctx).User, handle)
		if err != nil {
			return "", 0, err
		}
		return e.Agent, 0, l.Runner.Answer(ctx, e, r)
	})
}

// TaskPath is where a person sees a task of theirs, and answers what its agent asks.
const TaskPath = "/answer/"
