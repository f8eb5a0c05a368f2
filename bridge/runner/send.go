package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/uploads"
)

// Message is a message to an agent. The ids in it are those that the caller knows: handles
// of tasks, and the caller's names of conversations.
type Message struct {
	a2a.SendRequest

	// Agent is the agent that gets the message. "" leaves it to the task, to the
	// conversation, or to the default.
	Agent string

	// Pause is the id of the message that began the pause to answer; "" is the present pause.
	Pause string

	// Attachments are files of a chat that parts name. They are fetched unless the message is a
	// repetition.
	Attachments uploads.Attachments

	// NewContexts reports that the caller names conversations, as callers of A2A do: a
	// context id that is not known begins one. Otherwise it is refused.
	NewContexts bool
}

// Send sends a message: it writes the task into the ledger and starts its follower. Of
// messages with the same id and content, one is sent, and the others get its task.
func (r *Runner) Send(ctx context.Context, access directory.Access, in *Message) (*Sent, error) {
	if in.SendRequest.Message == nil || len(in.SendRequest.Message.Parts) == 0 {
		return nil, a2a.Errorf(a2a.InvalidParams, "a message with at least one part is required")
	}
	if err := access.CheckSend(); err != nil {
		return nil, err
	}

	skill, _, err := in.named(directory.SkillKey)
	if err != nil {
		return nil, err
	}

	s := &sending{
		r:      r,
		access: access,
		in:     in,
		skill:  skill,
	}
	if err := s.nameUseCase(); err != nil {
		return nil, err
	}

	s.digest = in.digest(s.access)
	send := s.first
	if in.SendRequest.Message.TaskID != "" {
		send = s.next
	}

	sent, err := send(ctx)
	if errors.Is(err, uploads.ErrTaken) {
		sent, err = s.duplicateOr(ctx, err)
	}
	if err != nil {
		return nil, err
	}

	sent.access = access
	return sent, nil
}

// sending is one call of Send.
type sending struct {
	r      *Runner
	access directory.Access
	in     *Message
	skill  string
	agent  string // "" until it is resolved
	digest string
}

// duplicateOr returns what an equal call has sent meanwhile, or else the error.
func (s *sending) duplicateOr(ctx context.Context, err error) (*Sent, error) {
	before, failure := s.r.duplicate(ctx, s.access.User(), s.agent, s.digest)
	if before != nil {
		return before, nil
	}
	return nil, cmp.Or(failure, err)
}

// first begins a task.
func (s *sending) first(ctx context.Context) (*Sent, error) {
	name, err := s.agentName(ctx)
	if err != nil {
		return nil, err
	}

	to, err := s.r.Directory.Resolve(ctx, s.access, name, s.skill)
	if err == nil {
		err = to.CheckSkill()
	} else if name == "" {
		err = s.r.Directory.Propose(ctx, s.access, s.in.Message.Text(), err)
	}
	if err != nil {
		return nil, err
	}

	s.agent = to.Name
	before, err := s.r.duplicate(ctx, s.access.User(), s.agent, s.digest)
	if before != nil || err != nil {
		return before, err
	}

	conn, err := s.connect(ctx, to)
	if err == nil {
		err = to.Suspended() // a task would fail at once
	}
	if err != nil {
		return nil, err
	}

	req, err := s.request(ctx, to.Name)
	if err != nil {
		return nil, err
	}

	e := s.record(ctx, req)
	if err := s.setContext(ctx, e, req.Message); err != nil {
		return nil, err
	}
	if err := s.r.assignHandle(e); err != nil {
		return nil, err
	}

	missing, err := s.findFiles(ctx, conn, e, req)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return s.await(ctx, e, req, missing)
	}
	return s.start(ctx, conn, e, req)
}

// record returns the record of a new task, which has no handle yet.
func (s *sending) record(ctx context.Context, req *a2a.SendRequest) *ledger.Record {
	return &ledger.Record{
		Owner:     s.access.User(),
		Client:    s.access.Client(),
		Agent:     s.agent,
		MessageID: req.Message.ID,
		Asked:     ledger.Excerpt(req.Message),
		Name:      string(req.Name),
		UseCase:   s.access.UseCase(),
		Digest:    s.digest,
		Trace:     traceOf(ctx, s.r.Observer),
	}
}

// start sends the first message of a task.
func (s *sending) start(
	ctx context.Context,
	conn directory.Conn,
	e *ledger.Record,
	req *a2a.SendRequest,
) (*Sent, error) {
	unnamed := e.Digest == "" && e.Name == "" // one that names its task may be repeated
	if unnamed && req.Push == nil && len(e.Files) == 0 {
		sent, err := s.r.deferWrite(ctx, conn, e, req)
		if sent != nil || err != nil {
			return sent, err
		}
	}

	return s.r.startTask(ctx, conn, e, req)
}

// next continues a task.
func (s *sending) next(ctx context.Context) (*Sent, error) {
	e, err := s.r.Task(ctx, s.access, string(s.in.SendRequest.Message.TaskID))
	if err != nil {
		return nil, err
	}
	if s.in.Agent != "" && s.in.Agent != e.Agent {
		return nil, errors.Join(ledger.ErrNoTask, ledger.InputError{Text: fmt.Sprintf(
			"Task %s belongs to the agent %s, not to %s. Leave the argument \"agent\" out to continue it.",
			e.Handle,
			e.Agent,
			sanitize.Short(s.in.Agent, 100),
		)})
	}

	s.agent = e.Agent
	before, err := s.r.duplicate(ctx, e.Owner, s.agent, s.digest)
	if before != nil || err != nil {
		return before, err
	}
	if err := s.continues(e); err != nil {
		return nil, err
	}

	s.access = s.access.Continuing(e.UseCase)
	to, err := s.r.Directory.Resolve(ctx, s.access, e.Agent, s.skill)
	if err != nil {
		return nil, err
	}

	req, err := s.request(ctx, e.Agent)
	if err != nil {
		return nil, err
	}
	if e.HasMessage(req.Message.ID) { // there are clients whose ids never change
		req.Message.ID = uuid.NewString()
	}

	conn, err := s.connect(ctx, to)
	if err != nil {
		return nil, err
	}

	missing, err := s.findFiles(ctx, conn, e, req)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, s.notYet(missing)
	}

	e.Digest = s.digest
	return s.r.continueTask(ctx, conn, e, req)
}

// connect reaches the agent of the message, which must declare what the agent requires.
func (s *sending) connect(ctx context.Context, to *directory.Resolved) (directory.Conn, error) {
	conn, err := to.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, uri := range conn.Card().RequiredExtensions() {
		if !s.in.Extensions.Declares(uri) {
			return nil, a2a.Errorf(
				a2a.ExtensionRequired,
				"the agent %s requires the extension %s, which the call does not declare",
				to.Name,
				sanitize.Short(uri, 200),
			)
		}
	}
	return conn, nil
}

// request returns the message as its agent gets it, with the ids of tasks that the agent
// gave, and with the use case and the topic of the call.
func (s *sending) request(ctx context.Context, agent string) (*a2a.SendRequest, error) {
	out := s.in.SendRequest
	m := *s.in.SendRequest.Message
	out.Message = &m
	out.HistoryLength = nil
	out.ReturnImmediately = false // the ledger wants it all
	m.ID = cmp.Or(m.ID, uuid.NewString())
	m.Parts = s.access.OverrideParts(m.Parts)
	m.Metadata = s.access.Metadata(m.Metadata)
	switch {
	case out.Metadata == nil:
		out.Metadata = m.Metadata // agents read either
	case len(out.Metadata) > 0:
		out.Metadata = s.access.Metadata(out.Metadata)
	}

	if out.Push != nil {
		if s.r.Webhooks == nil {
			return nil, ErrNoPush
		}
		if err := s.r.Webhooks.Accept(ctx, out.Push); err != nil {
			return nil, err
		}
	}

	var err error
	m.ReferenceTaskIDs, err = s.references(ctx, agent, m.ReferenceTaskIDs)
	return &out, err
}

// ErrNoPush says that callers cannot give webhooks for their tasks.
var ErrNoPush error = a2a.Errorf(a2a.PushNotSupported, "this agent sends no push notifications")

// nameUseCase keeps the call to the use case that the metadata names, one of the caller's.
func (s *sending) nameUseCase() error {
	useCase, says, err := s.in.named(directory.UseCaseKey)
	if err != nil || !says {
		return err
	}

	access, ok := s.access.WithUseCase(useCase)
	if !ok {
		return ledger.InputError{Text: "The use case " + sanitize.Short(useCase, sanitize.MaxName) +
			" in the metadata of the message is not one of yours."}
	}

	s.access = access
	return nil
}

// named returns a member of the metadata of the message, or of the request around it, because
// agents read either. ok tells whether one of them has it; null says nothing.
func (m *Message) named(key string) (found string, ok bool, err error) {
	for _, said := range []a2a.Metadata{m.SendRequest.Message.Metadata, m.Metadata} {
		if said[key] == nil {
			continue
		}
		name, isText := said[key].(string)
		switch {
		case !isText:
			return "", true, ledger.InputError{
				Text: "The " + key + " in the metadata must be a string.",
			}
		case name != found && name != "" && found != "":
			return "", true, ledger.InputError{
				Text: "The metadata names two values of " + key + ". Name one.",
			}
		}
		found = cmp.Or(found, name)
		ok = true
	}
	return found, ok, nil
}

// references replaces the handles of tasks that a message refers to by the ids of the agent.
func (s *sending) references(
	ctx context.Context, agent string, handles []a2a.TaskID,
) ([]a2a.TaskID, error) {
	ids := slices.Clone(handles)
	for i, handle := range handles {
		e, err := s.r.Task(ctx, s.access, string(handle))
		if err == nil && e.Agent != agent {
			err = ledger.ErrNoTask
		}
		if err != nil {
			return nil, err
		}
		if e.Task != nil {
			ids[i] = e.Task.ID
		}
	}

	return ids, nil
}

// setContext sets the conversation of a new task: its id at the agent in m, and the caller's
// name of it in e.
func (s *sending) setContext(ctx context.Context, e *ledger.Record, m *a2a.Message) error {
	if !s.in.NewContexts {
		return s.ownContext(ctx, e.Agent, m.ContextID)
	}

	e.ContextName = cmp.Or(m.ContextID, uuid.NewString())
	known, err := s.r.Lists.ContextNamed(ctx, e.Owner, e.Agent, e.ContextName)
	if err != nil {
		return fmt.Errorf("looking the conversation up: %w", err)
	}

	m.ContextID = cmp.Or(known, newContextID(e.Owner, e.Agent, e.ContextName))
	return nil
}

// newContextID returns the id of a conversation at the agent. Callers choose the names of
// conversations, and some agents identify messages by conversation, id and content, so
// that the ids of two users must differ.
func newContextID(owner, agent, name string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(owner+"\x00"+agent+"\x00"+name)).String()
}

// ownContext refuses a conversation that the caller does not have. A context id is not
// secret, so that knowing it is not enough.
func (s *sending) ownContext(ctx context.Context, agent, contextID string) error {
	if contextID == "" {
		return nil
	}

	own, err := s.r.Lists.HasContext(ctx, s.access.User(), agent, contextID)
	if err != nil {
		return fmt.Errorf("looking the conversation up: %w", err)
	}
	if !own {
		return ledger.InputError{Text: fmt.Sprintf(
			"You have no conversation %q with the agent %s. Leave context_id out to start a new one, "+
				"or take it from an earlier result of this agent.",
			sanitize.Short(contextID, 100),
			agent,
		)}
	}

	return nil
}

// agentName returns the agent that the message names. If it names only a conversation, the
// agent is the one that has the conversation, and of several such agents the default one.
func (s *sending) agentName(ctx context.Context) (string, error) {
	contextID := s.in.SendRequest.Message.ContextID
	if s.in.Agent != "" || contextID == "" {
		return s.in.Agent, nil
	}

	found := ""
	for _, p := range s.r.Directory.Agents(s.access) {
		if found != "" && p.Name != s.access.DefaultAgent() {
			continue
		}
		has, err := s.r.Lists.HasContext(ctx, s.access.User(), p.Name, contextID)
		if err != nil {
			return "", fmt.Errorf("looking the conversation up: %w", err)
		}
		if has {
			found = p.Name
		}
	}

	return found, nil
}

// continues returns an error if the message cannot continue a task.
func (s *sending) continues(e *ledger.Record) error {
	state := e.State()
	contextID := s.in.SendRequest.Message.ContextID
	switch {
	case contextID != "" && contextID != e.ContextID() && contextID != e.PublicContext():
		return ledger.InputError{Text: fmt.Sprintf(
			"Task %s belongs to another conversation. Leave the argument \"context_id\" out to continue it.",
			e.Handle,
		)}
	case state.Terminal():
		return endedError(e)
	case !state.Interrupted() || !e.Idle:
		return ledger.ErrTaskBusy
	case e.AwaitsFiles():
		return ledger.InputError{Text: e.Task.Status.Message.Text()}
	case s.in.Pause != "" && s.in.Pause != e.MessageID:
		return ledger.ErrTaskBusy
	}

	return nil
}

func endedError(e *ledger.Record) error {
	text := fmt.Sprintf(
		"Task %s has ended (%s) and takes no more messages. Send a new task, with agent %q",
		e.Handle, e.State(), e.Agent)
	if id := e.ContextID(); id != "" {
		text += fmt.Sprintf(
			" and context_id %q to stay in the conversation", sanitize.Short(id, 200),
		)
	}
	return errors.Join(ledger.InputError{Text: text + "."}, ledger.ErrTaskEnded)
}

// digest identifies the message among those of its caller and use case; "" for a message
// without an id, and for one that names its task instead, as in A2A 0.1.
func (m *Message) digest(access directory.Access) string {
	if m.Name != "" || m.SendRequest.Message.ID == "" {
		return ""
	}
	asSent := *m.SendRequest.Message
	asSent.Metadata = access.Metadata(asSent.Metadata)
	asSent.Parts = access.OverrideParts(asSent.Parts)
	return ledger.Digest(&asSent)
}
