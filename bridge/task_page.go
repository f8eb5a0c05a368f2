package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/internal/message"
	"rialto/mcp"
)

// TaskPath is where a person sees a task of theirs, and answers what its agent
// asks.
const TaskPath = "/answer/"

// answeredHere begins the ids of messages that were written on the page of
// their task.
const answeredHere = "page-"

// pageURL returns where the owner of e can see it, "" if there are no pages.
func (b *Bridge) pageURL(e *ledger.Record) string {
	if !b.Directory.Pages {
		return ""
	}
	if page := b.Directory.ConnectPage(e); page != "" {
		return page
	}
	return b.URL + TaskPath + url.PathEscape(e.Handle)
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

	// Unsure tells that nobody knows whether the agent has got the last answer.
	Unsure bool

	// Connect tells that the agent waits until the person connects it here.
	Connect bool

	// ByPage tells that what was last sent to the agent was written on the page.
	ByPage bool
}

// historyShown is how many messages of a task its page shows.
const historyShown = 50

// OwnTask returns a task of the caller's for its page, or ErrNoTask. from is
// the cursor of a page of its results; "" is the first.
func (b *Bridge) OwnTask(ctx context.Context, handle, from string) (*TaskView, error) {
	at, err := parseCursor(from)
	if err != nil {
		at = cursor{}
	}
	user := b.Directory.Caller(ctx).User
	e, _, err := b.now(ctx, user, handle)
	if err == nil && e.Unconfirmed() && b.goneOn(ctx, e) {
		e, _, err = b.now(ctx, user, handle)
	}
	if err != nil {
		return nil, asNoTask(err)
	}
	s := &TaskView{TaskInfo: *b.result(e, page{from: at, history: historyShown}).Structured.(*TaskInfo), Updated: e.Updated, Lives: !e.Idle, Sentence: e.Sentence()}
	s.ByPage, s.Unsure = strings.HasPrefix(e.MessageID, answeredHere), e.Unconfirmed()
	switch state := e.State(); {
	case !e.Idle:
	case state == a2a.InputRequired:
		s.Pause, s.Form = e.MessageID, formOf(e)
		s.Open, s.Files = s.Form == openForm, b.takesFiles(ctx, e)
	case state == a2a.AuthRequired:
		s.Pause, s.Grant, s.Visit = e.MessageID, true, sanitize.FirstLink(s.Message)
		if page := b.Directory.ConnectPage(e); page != "" {
			s.Connect, s.Visit = true, page
		}
	}
	return s, nil
}

// takesFiles reports whether the agent of e says that it takes more than words
// and data.
func (b *Bridge) takesFiles(ctx context.Context, e *ledger.Record) bool {
	p := b.Directory.Lookup(e.Agent)
	if p == nil {
		return false
	}
	conn, err := b.Directory.Connect(ctx, p)
	return err == nil && slices.ContainsFunc(conn.Card().DefaultInputModes, func(mode string) bool {
		return mode != "text" && !strings.HasPrefix(mode, "text/plain") && !strings.HasPrefix(mode, "application/json")
	})
}

// AwaitChange returns when a task of the caller's has changed since a moment, or
// when ctx or all waiting ends.
func (b *Bridge) AwaitChange(ctx context.Context, handle string, since time.Time) error {
	_, err := b.next(ctx, b.Directory.Caller(ctx).User, handle, since)
	return asNoTask(err)
}

// next returns owner's task once it is another than the one that was seen.
func (b *Bridge) next(ctx context.Context, owner, handle string, seen time.Time) (*ledger.Record, error) {
	rung, leave := b.bells.enter(handle)
	defer leave()
	for {
		e, changed, err := b.now(ctx, owner, handle)
		if err != nil || !e.Updated.Equal(seen) {
			return e, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-b.waits.Done():
			return nil, context.Canceled
		case <-rung:
		case <-changed: // nil, and never ready, where another replica follows the task
		case <-time.After(pollEvery):
		}
	}
}

// Reply is what a person writes on the page of a task that waits for input.
type Reply struct {
	Pause   string          // of TaskView: what is answered
	Once    string          // names this reply, so that the same is sent once
	Content json.RawMessage // nil to an agent that waits for a grant
	Files   []a2a.Part
}

// Answer sends a reply to the agent of a task of the caller's. Of all answers to
// one pause, from pages and from apps, one is sent; the others get ErrTaskBusy,
// unless they are the same reply again. An answer to a task that has ended gets
// ErrTaskEnded. An *a2a.Error says that the agent did not take the answer, and
// ErrNotConnected that it does not know the caller any more.
func (b *Bridge) Answer(ctx context.Context, handle string, r Reply) error {
	return b.onPage(ctx, "answer", len(r.Content)+ledger.PartsSize(r.Files), func() (agent string, _ int, _ error) {
		e, err := b.Ledger.Task(ctx, b.Directory.Caller(ctx).User, handle)
		if err != nil {
			return "", 0, err
		}
		return e.Agent, 0, b.reply(ctx, e, r)
	})
}

func (b *Bridge) reply(ctx context.Context, e *ledger.Record, r Reply) error {
	id := answeredHere + r.Once
	switch {
	case e.MessageID == id:
		return nil // it is the one that was sent
	case e.State().Terminal():
		return ledger.ErrTaskEnded
	case e.MessageID != r.Pause || !e.State().Interrupted():
		return ledger.ErrTaskBusy
	}
	args := &sendArgs{TaskID: e.Handle, Message: "The user says that it is done."}
	if e.State() == a2a.InputRequired {
		if args = filled(e, r.Content); args == nil {
			return ledger.InputError{Text: "There is no answer."}
		}
	}
	args.MessageID, args.pause = id, r.Pause
	for _, p := range r.Files {
		content, _ := p.Content.(a2a.Raw)
		args.Files = append(args.Files, fileArg{Name: p.Filename, MediaType: p.MediaType, Bytes: append([]byte{}, content...)})
	}
	f, err := b.send(ctx, b.Directory.Caller(ctx), args)
	if err != nil {
		return err
	}
	var noWait float64
	_, err = b.await(ctx, f, &noWait, func(string) {})
	return err
}

// asNoTask puts what package mcp says of a task that is not there into the words
// of this one.
func asNoTask(err error) error {
	if errors.Is(err, mcp.ErrNoTask) {
		return ledger.ErrNoTask
	}
	return err
}
