package proxy

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
)

// Agent is an agent of the directory for its A2A callers: an a2a.Agent over the ledger.
// A task is in the ledger before it has an id, under the id of the ledger. It is
// followed whether or not its caller stays, and belongs to its owner.
//
// Every call needs a caller (Directory.Caller). An agent that the caller may not see
// and a task of another owner do not exist: they have the same error and the same text.
type Agent struct {
	proxy *Proxy
	name  string
	call  *call.Call // that is to say which task it is about; nil is none
}

var (
	_ a2a.Agent  = (*Agent)(nil)
	_ a2a.Lister = (*Agent)(nil)
	_ a2a.Namer  = (*Agent)(nil)

	_ a2a.Extender = (*Agent)(nil)
)

// Agent returns the agent with a name.
func (p *Proxy) Agent(agent string) *Agent { return &Agent{proxy: p, name: agent} }

// AgentOf returns the agent that runs a task of the caller.
func (p *Proxy) AgentOf(ctx context.Context, id a2a.TaskID) (*Agent, error) {
	e, err := p.Runner.Task(ctx, p.Directory.Access(ctx), string(id))
	if err != nil {
		return nil, (&Agent{proxy: p}).a2aError(err)
	}
	return p.Agent(e.Agent), nil
}

// Name returns the name of the agent.
func (f *Agent) Name() string { return f.name }

// Send delivers a message (a2a.Agent). One that should not wait for the end
// still waits a moment for the agent to take it.
func (f *Agent) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	sent, err := f.deliver(ctx, req)
	if err != nil {
		return nil, f.a2aError(err)
	}
	var e *ledger.Record
	if req.ReturnImmediately {
		e, err = sent.Accepted(ctx)
	} else {
		e, err = sent.AwaitIdle(ctx, nil)
	}
	return f.answer(sent, req, e, err)
}

// SendAndWait delivers a message and returns its task once it is idle, or as it is after a time. It
// waits a moment, even if that is 0, for the agent to take the message.
func (f *Agent) SendAndWait(
	ctx context.Context, req *a2a.SendRequest, wait time.Duration,
) (a2a.Event, error) {
	sent, err := f.deliver(ctx, req)
	if err != nil {
		return nil, f.a2aError(err)
	}
	e, err := sent.Await(ctx, wait, nil)
	return f.answer(sent, req, e, err)
}

// answer returns the task of a message, or the message with which the agent answered instead. Where
// the agent refused the message, the error is that of the agent, in its own words.
func (f *Agent) answer(
	sent *runner.Sent, req *a2a.SendRequest, e *ledger.Record, err error,
) (a2a.Event, error) {
	err = cmp.Or(sent.Refusal(), err)
	switch {
	case err != nil:
		return nil, f.a2aError(err)
	case e.AnsweredByMessage():
		return e.PublicMessage(), nil
	}
	return e.Public().WithHistory(req.HistoryLength), nil
}

// Stream delivers a message and yields the events of its task (a2a.Agent).
func (f *Agent) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		sent, err := f.deliver(ctx, req)
		if err != nil {
			yield(nil, f.a2aError(err))
			return
		}
		f.streamSent(ctx, sent, yield)
	}
}

// Task returns a task as it stands (a2a.Agent).
func (f *Agent) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return f.AwaitTask(ctx, q, 0)
}

// AwaitTask returns a task once it is idle, or as it stands after a time.
func (f *Agent) AwaitTask(
	ctx context.Context, q a2a.TaskQuery, wait time.Duration,
) (*a2a.Task, error) {
	e, err := f.proxy.Runner.Polled(ctx, f.access(ctx), string(q.ID), wait, nil)
	err = f.checkTask(e, err)
	if err != nil {
		return nil, f.a2aError(err)
	}
	return e.Public().WithHistory(q.HistoryLength), nil
}

// Cancel asks the agent to stop a task (a2a.Agent).
func (f *Agent) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	e, err := f.record(ctx, id)
	if err == nil {
		e, err = f.proxy.Runner.Cancel(ctx, f.access(ctx), e.Handle)
	}
	if err != nil {
		return nil, f.a2aError(err)
	}
	return e.Public(), nil
}

// Subscribe follows a task that exists already, through its pauses: the task as it stands, then
// its events (a2a.Agent). Where another replica follows it, whole tasks come
// instead of events, as the ledger hears of them.
func (f *Agent) Subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		e, err := f.current(ctx, id)
		switch {
		case err != nil:
			yield(nil, f.a2aError(err))
		case e.State().Terminal():
			yield(
				nil,
				a2a.Errorf(
					a2a.UnsupportedOperation,
					"the task has ended (%s); there is nothing to follow",
					e.State(),
				),
			)
		default:
			f.streamFrom(ctx, e, a2a.State.Terminal, yield)
		}
	}
}

// TaskNamed returns the task that the caller gave a name (a2a.Namer).
func (f *Agent) TaskNamed(ctx context.Context, name a2a.TaskID) (a2a.TaskID, error) {
	handle, err := f.proxy.Runner.TaskNamed(ctx, f.access(ctx), f.name, string(name))
	if err != nil {
		return "", f.a2aError(err)
	}
	return a2a.TaskID(handle), nil
}

// Card returns the card of the agent without its interfaces, which depend on the server.
func (f *Agent) Card(ctx context.Context) (*a2a.Card, error) {
	agent, conn, err := f.connect(ctx)
	if err != nil {
		return nil, f.a2aError(err)
	}
	return f.shared(agent.Shown(conn.Card())), nil
}

// ExtendedCard returns what the agent tells of itself to those who may call it,
// and its card where it has nothing more to tell (a2a.Extender).
func (f *Agent) ExtendedCard(ctx context.Context) (*a2a.Card, error) {
	agent, conn, err := f.connect(ctx)
	if err != nil {
		return nil, f.a2aError(err)
	}
	card, err := agent.ExtendedCard(ctx, conn)
	if err != nil { // the card that everybody sees is true, too
		f.proxy.Log.WarnContext(
			ctx, "asking an agent for its extended card",
			"agent", f.name,
			"err", err,
		)
		card = conn.Card()
	}
	return f.shared(agent.Shown(card)), nil
}

// shared returns what is true of a card when we serve the agent.
func (f *Agent) shared(card *a2a.Card) *a2a.Card {
	c := fitCard(card)
	c.Interfaces = nil
	c.SecuritySchemes = nil
	c.Security = nil
	// Whatever the agent does: there is a follower, and an outbox.
	c.Capabilities = a2a.Capabilities{
		Streaming:         true,
		PushNotifications: f.proxy.Runner.Webhooks != nil,
		Extensions:        c.Capabilities.Extensions,
	}
	return &c
}

// fitCard returns an agent's card as this server may vouch for it: it signs cards, and
// others show what is on them.
func fitCard(card *a2a.Card) a2a.Card {
	c := *card
	c.Name, c.Description, c.Version = sanitize.Label(c.Name), sanitize.Text(c.Description), sanitize.Label(c.Version)
	c.DocumentationURL, c.IconURL = sanitize.WebPage(c.DocumentationURL), sanitize.WebPage(c.IconURL)
	if p := c.Provider; p != nil {
		c.Provider = &a2a.Provider{
			Organization: sanitize.Label(p.Organization),
			URL:          sanitize.WebPage(p.URL),
		}
	}
	c.DefaultInputModes, c.DefaultOutputModes = labels(c.DefaultInputModes), labels(c.DefaultOutputModes)
	c.Capabilities.Extensions = slices.Clone(c.Capabilities.Extensions)
	for i := range c.Capabilities.Extensions {
		e := &c.Capabilities.Extensions[i]
		e.URI = sanitize.Label(e.URI)
		e.Description = sanitize.Text(e.Description)
	}
	c.Skills = slices.Clone(c.Skills)
	for i := range c.Skills {
		s := &c.Skills[i]
		s.ID, s.Name, s.Description = sanitize.Text(s.ID), sanitize.Label(s.Name), sanitize.Text(s.Description)
		s.Tags, s.Examples = labels(s.Tags), cleaned(s.Examples)
		s.InputModes, s.OutputModes = labels(s.InputModes), labels(s.OutputModes)
	}
	return c
}

// labels and cleaned do so with each text of a list.
func labels(in []string) []string { return eachText(in, sanitize.Label) }

func cleaned(in []string) []string { return eachText(in, sanitize.Text) }

func eachText(in []string, fit func(string) string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = fit(out[i])
	}
	return out
}

// Visible reports whether the agent takes messages of the caller.
func (f *Agent) Visible(ctx context.Context) bool {
	return f.proxy.Directory.AllowsMessages(f.access(ctx), f.name, "")
}

// Exists reports whether the caller may have tasks at the agent, which may be disabled.
func (f *Agent) Exists(ctx context.Context) bool {
	return f.proxy.Directory.Agent(f.access(ctx), f.name) != nil
}

// access returns the access of a call.
func (f *Agent) access(ctx context.Context) directory.Access {
	return f.proxy.Directory.Access(ctx)
}

// connect reaches the agent for a call.
func (f *Agent) connect(ctx context.Context) (*directory.Resolved, directory.Conn, error) {
	agent, err := f.proxy.Directory.Resolve(ctx, f.access(ctx), f.name, "")
	if err != nil {
		return nil, nil, err
	}
	conn, err := agent.Connect(ctx)
	return agent, conn, err
}

// errAgentNotFound is the error for an agent that does not exist, or not for the caller.
var errAgentNotFound = a2a.Errorf(a2a.TaskNotFound, "there is no such agent, or not for you")

// deliver sends a message to the agent.
func (f *Agent) deliver(ctx context.Context, req *a2a.SendRequest) (*runner.Sent, error) {
	m := &runner.Message{Agent: f.name, NewContexts: true}
	if req != nil {
		m.SendRequest = *req
	}
	if m.Metadata == nil {
		m.Metadata = a2a.Metadata{} // the caller puts nothing around the message
	}
	sent, err := f.proxy.Runner.Send(ctx, f.access(ctx), m)
	if err == nil {
		f.note(sent.Handle)
	}
	return sent, err
}

// record returns a task of the caller at this agent.
func (f *Agent) record(ctx context.Context, id a2a.TaskID) (*ledger.Record, error) {
	e, err := f.proxy.Runner.Task(ctx, f.access(ctx), string(id))
	return e, f.checkTask(e, err)
}

// current is record with the state of our follower, if there is one.
func (f *Agent) current(ctx context.Context, id a2a.TaskID) (*ledger.Record, error) {
	e, err := f.proxy.Runner.Current(ctx, f.access(ctx), string(id))
	return e, f.checkTask(e, err)
}

// checkTask returns err or, for a task of another agent, ErrNoTask.
func (f *Agent) checkTask(e *ledger.Record, err error) error {
	if err == nil && e.Agent != f.name {
		return ledger.ErrNoTask
	}
	if err == nil {
		f.note(e.Handle)
	}
	return err
}

// note says in the call which task of the caller's it is about.
func (f *Agent) note(handle string) {
	if f.call != nil {
		f.call.Task = handle
	}
}

// a2aError puts an error into the terms of A2A. Unexpected errors stay as they are, for the log.
func (f *Agent) a2aError(err error) error {
	var refusal *a2a.Error
	var input ledger.InputError
	var down directory.Unreachable
	var unrecorded runner.ErrNotRecorded
	var ended ledger.NotCancelable
	switch {
	case errors.Is(err, directory.ErrNoAgent):
		return errAgentNotFound
	case errors.As(err, &unrecorded):
		return a2a.Errorf(
			a2a.Internal,
			"the message was sent, but its task could not be recorded, so the agent is asked to stop it",
		)
	case errors.As(err, &refusal):
		told := *refusal
		told.Message = ledger.WithoutAddresses(refusal, refusal.Message)
		return &told
	case errors.Is(err, ledger.ErrNoTask):
		return a2a.Errorf(a2a.TaskNotFound, "there is no such task, or not for you")
	case errors.Is(err, ledger.ErrTaskBusy):
		return a2a.Errorf(a2a.InvalidTaskState, "the task takes no message now")
	case errors.Is(err, ledger.ErrTaskEnded):
		return a2a.Errorf(
			a2a.InvalidTaskState,
			"the task has ended and takes no more messages; leave the task id out to start another",
		)
	case errors.Is(err, ledger.ErrTooManyTasks):
		return a2a.Errorf(
			a2a.RateLimited,
			"you have too many tasks running (limits.tasks_per_user); wait for some to finish, or cancel them",
		)
	case errors.As(err, &ended):
		return a2a.Errorf(a2a.TaskNotCancelable, "%s", strings.TrimSuffix(ended.Error(), "."))
	case errors.As(err, &down):
		return a2a.Errorf(a2a.Unavailable, "%s", strings.TrimSuffix(down.Error(), "."))
	case errors.As(err, &input):
		return a2a.Errorf(a2a.InvalidParams, "%s", input.Text)
	case errors.Is(err, runner.ErrStopping):
		return a2a.Errorf(a2a.Unavailable, "the server is stopping; subscribe to the task again")
	default:
		return err
	}
}
