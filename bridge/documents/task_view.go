package documents

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/internal/usage"
)

// TaskPath is where a person sees a task of theirs, and answers what its agent asks.
const TaskPath = "/answer/"

// PageURL returns where the owner of e can see it, "" if there are no pages.
func (sv *Service) PageURL(e *ledger.Record) string {
	if !sv.Directory.Pages {
		return ""
	}
	if page := sv.Directory.ConnectPage(e); page != "" {
		return page
	}
	return sv.URL + TaskPath + url.PathEscape(e.Handle)
}

// Rights say how much of a task a reader sees, and what the reader can do.
type Rights int

// The rights. Each has those before it.
const (
	ByLink     Rights = iota // sees the title, the state and the results
	ByOperator               // sees the timeline, and can cancel
	ByOwner                  // can answer, retry and share
)

// MaxMessage is how much of one message a page shows, in characters.
const MaxMessage = 20_000

// TaskView is a task as its page shows it: to its owner, to an operator, or to a reader with a link.
type TaskView struct {
	*DocumentView // the results, and the last message of the agent
	Record        *ledger.Record
	Rights        Rights
	Message       string  // text of the last message, or the failure
	Events        []Event // the timeline; none by link
	Left          int     // earlier messages that Events leaves out
	CanCancel     bool
	CanRetry      bool
	CanShare      bool

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

	// Connect tells that the agent waits until the person connects it here.
	Connect bool

	// ByPage tells that what was last sent to the agent was written on the page.
	ByPage bool
}

// TaskView returns a task of the caller's for its page, or ErrNoTask.
func (sv *Service) TaskView(
	ctx context.Context, access directory.Access, handle string,
) (*TaskView, error) {
	e, err := sv.Runner.Current(ctx, access, handle)
	if err == nil && e.AwaitsPoll() && sv.Runner.PollPaused(ctx, e) {
		e, err = sv.Runner.Current(ctx, access, handle)
	}
	if err != nil {
		return nil, err
	}

	s := sv.viewTask(newDocumentView(e, false, "", sv.downloads(e)), ByOwner)
	s.CanRetry, s.CanShare = runner.RetryRequest(e) != nil, sv.Sharing != nil &&
		e.State().Terminal()
	s.ByPage = strings.HasPrefix(e.MessageID, runner.AnsweredHere)
	switch state := e.State(); {
	case !e.Idle, e.AwaitsFiles():
	case state == a2a.InputRequired:
		s.Pause, s.Form = e.MessageID, runner.FormOf(e)
		s.Open, s.Files = s.Form == runner.OpenForm, sv.takesFiles(ctx, e)
	case state == a2a.AuthRequired:
		s.Pause, s.Grant, s.Visit = e.MessageID, true, sanitize.FirstLink(s.Message)
		if page := sv.Directory.ConnectPage(e); page != "" {
			s.Connect = true
			s.Visit = page
		}
	}

	return s, nil
}

// OperatorView returns a task of any account for an operator, who has read it already.
func (sv *Service) OperatorView(e *ledger.Record) *TaskView {
	return sv.viewTask(newDocumentView(e, false, "", sv.downloads(e)), ByOperator)
}

// LinkView returns a shared task for a reader with the link; nil if something else is shared.
func (sv *Service) LinkView(shared *DocumentView) *TaskView {
	if shared.task == nil || shared.ID != TaskID(shared.task.Handle) {
		return nil
	}
	return sv.viewTask(shared, ByLink)
}

// viewTask makes the view of a task for all readers.
func (sv *Service) viewTask(of *DocumentView, rights Rights) *TaskView {
	e := of.task
	s := &TaskView{DocumentView: of, Record: e, Rights: rights}
	s.Title = ledger.Title(e.Asked)
	s.AgentTitle = sv.Directory.Title(e.Agent)
	switch {
	case e.Failure != nil:
		s.Message = sanitize.Truncate(e.Failure.Message, ledger.MaxReason)
	case e.Task != nil:
		s.Message = sanitize.Truncate(view.MessageText(e.Task.Status.Message), MaxMessage)
	}

	if rights >= ByOperator {
		s.CanCancel = ledger.Cancelable(e) == nil
		s.Events, s.Left = timeline(e)
	}

	return s
}

// takesFiles reports whether the agent of e says that it takes more than words and data.
func (sv *Service) takesFiles(ctx context.Context, e *ledger.Record) bool {
	p := sv.Directory.Lookup(e.Agent)
	if p == nil {
		return false
	}
	conn, err := sv.Directory.Connect(ctx, p)
	return err == nil && slices.ContainsFunc(conn.Card().DefaultInputModes, func(mode string) bool {
		return mode != "text" && !strings.HasPrefix(mode, "text/plain") &&
			!strings.HasPrefix(mode, "application/json")
	})
}

// AnswerTask sends a reply to the agent of a task of the caller's. Of all answers to one pause,
// from pages and from apps, one is sent; the others get ErrTaskBusy, unless they are the same reply
// again. An answer to a task that has ended gets ErrTaskEnded. An *a2a.Error says that the agent
// did not take the answer, and ErrNotConnected that it does not know the caller any more.
func (sv *Service) AnswerTask(
	ctx context.Context, access directory.Access, handle string, r runner.Reply,
) (err error) {
	c := sv.Calls.Begin(access, usage.Web, "answer")
	defer c.End(ctx, &err)
	c.In = len(r.Content) + ledger.PartsSize(r.Files)
	e, err := sv.taskOf(ctx, c, handle)
	if err != nil {
		return err
	}

	return sv.Runner.Answer(ctx, access, e, r)
}

// CancelTask asks the agent to stop a task of the caller's.
func (sv *Service) CancelTask(
	ctx context.Context, access directory.Access, handle string,
) (err error) {
	c := sv.Calls.Begin(access, usage.Web, "cancel")
	defer c.End(ctx, &err)
	if _, err := sv.taskOf(ctx, c, handle); err != nil {
		return err
	}

	_, err = sv.Runner.Cancel(ctx, access, handle)
	if ledger.CanceledBefore(err) { // the form was sent twice
		return nil
	}
	return err
}

// RetryTask sends the request of a task of the caller's to its agent again, and returns the new task.
func (sv *Service) RetryTask(
	ctx context.Context, access directory.Access, handle string,
) (again *ledger.Record, err error) {
	c := sv.Calls.Begin(access, usage.Web, "retry")
	defer c.End(ctx, &err)
	e, err := sv.taskOf(ctx, c, handle)
	if err != nil {
		return nil, err
	}
	args := runner.RetryRequest(e)
	if args == nil {
		return nil, ledger.ErrTaskBusy
	}

	return sv.send(ctx, c, args)
}

// SendTask sends a request of the caller's to an agent, and returns the new task. A task that the
// agent has refused comes with the error.
func (sv *Service) SendTask(
	ctx context.Context, access directory.Access, a *runner.Request,
) (task *ledger.Record, err error) {
	c := sv.Calls.Begin(access, usage.Web, "send")
	defer c.End(ctx, &err)
	c.Agent = a.Agent
	c.In = len(a.Message)
	return sv.send(ctx, c, a)
}

// send sends a request, and says in its call which task is the answer.
func (sv *Service) send(
	ctx context.Context, c *call.Call, a *runner.Request,
) (*ledger.Record, error) {
	sent, err := sv.Runner.SendRequest(ctx, c.Access, a)
	if err != nil {
		return nil, err
	}

	c.Task = sent.Handle
	task, err := sent.Accepted(ctx)
	if err != nil { // it was refused, and its page says why
		task, _ = sent.Current(ctx)
	}

	return task, err
}

// taskOf returns the task of the caller's that a call is about.
func (sv *Service) taskOf(
	ctx context.Context, c *call.Call, handle string,
) (*ledger.Record, error) {
	e, err := sv.Runner.Task(ctx, c.Access, handle)
	if err == nil {
		c.Agent = e.Agent
		c.Task = e.Handle
	}
	return e, err
}
