package runner

import (
	"context"
	"errors"
	"fmt"
	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"time"
)

// Send sends a message: it writes the task into the ledger and starts its follower.
func (r *Runner) Send(ctx context.Context, access directory.Access, args *Request) (*Follower, error) {
	args.Data = access.OverrideUseCase(args.Data)
	m, err := userMessage(args)
	if err != nil {
		return nil, err
	}
	m.Metadata = access.Metadata(args.Skill, nil)
	if args.TaskID != "" {
		return r.sendNext(ctx, access, args, m)
	}
	return r.sendNew(ctx, access, args, m)
}

func (r *Runner) sendNew(ctx context.Context, access directory.Access, args *Request, m *a2a.Message) (*Follower, error) {
	args, err := r.inConversation(ctx, access, args)
	if err != nil {
		return nil, err
	}
	to, err := r.Directory.Resolve(ctx, access, args.Agent, args.Skill)
	if err != nil {
		return nil, err
	}
	e := &ledger.Record{Owner: access.User(), Client: access.Client(), Agent: to.Name, MessageID: m.ID, Asked: ledger.Excerpt(m), Digest: args.digest(m), Trace: traceOf(ctx, r.Observer)}
	if f, err := r.Repeated(ctx, e.Owner, e.Agent, e.Digest); f != nil || err != nil {
		return f, err
	}
	conn, err := to.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.ownContext(ctx, access, to.Name, args.ContextID); err != nil {
		return nil, err
	}
	m.ContextID = args.ContextID
	if err := r.AssignHandle(e); err != nil {
		return nil, err
	}
	req := &a2a.SendRequest{Message: m, Metadata: m.Metadata}
	if e.Digest == "" {
		if f, err := r.deferWrite(ctx, conn, e, req); f != nil || err != nil {
			return f, err
		}
	}
	return r.StartTask(ctx, conn, e, req)
}

func (r *Runner) sendNext(ctx context.Context, access directory.Access, args *Request, m *a2a.Message) (*Follower, error) {
	e, err := r.Task(ctx, access, args.TaskID)
	if err != nil {
		return nil, err
	}
	e.Digest = args.digest(m)
	if f, err := r.Repeated(ctx, e.Owner, e.Agent, e.Digest); f != nil || err != nil {
		return f, err
	}
	if err := checkContinues(args, e); err != nil {
		return nil, err
	}
	to, err := r.Directory.Resolve(ctx, access, e.Agent, args.Skill)
	if err != nil {
		return nil, err
	}
	conn, err := to.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return r.ContinueTask(ctx, conn, e, &a2a.SendRequest{Message: m, Metadata: m.Metadata})
}

// ownContext refuses a conversation that the caller does not have. A context id is not
// secret, so that knowing it is not enough.
func (r *Runner) ownContext(ctx context.Context, access directory.Access, agent, contextID string) error {
	if contextID == "" {
		return nil
	}
	own, err := r.Lists.HasContext(ctx, access.User(), agent, contextID)
	if err != nil {
		return fmt.Errorf("looking the conversation up: %w", err)
	}
	if !own {
		return ledger.InputError{Text: fmt.Sprintf("You have no conversation %q with the agent %s. Leave context_id out to start a new one, or take it from an earlier result of this agent.", sanitize.Short(contextID, 100), agent)}
	}
	return nil
}

// checkContinues returns an error if a request cannot continue a task.
func checkContinues(args *Request, e *ledger.Record) error {
	state := e.State()
	switch {
	case args.Agent != "" && args.Agent != e.Agent:
		return ledger.InputError{Text: fmt.Sprintf("Task %s belongs to the agent %s, not to %s. Leave the argument \"agent\" out to continue it.", e.Handle, e.Agent, sanitize.Short(args.Agent, 100))}
	case args.ContextID != "" && args.ContextID != e.ContextID():
		return ledger.InputError{Text: fmt.Sprintf("Task %s belongs to another conversation. Leave the argument \"context_id\" out to continue it.", e.Handle)}
	case state.Terminal():
		return endedError(e)
	case !state.Interrupted() || !e.Idle, args.Pause != "" && args.Pause != e.MessageID:
		return ledger.ErrTaskBusy
	}
	return nil
}

func endedError(e *ledger.Record) error {
	text := fmt.Sprintf("Task %s has ended (%s) and takes no more messages. Send a new task, with agent %q", e.Handle, e.State(), e.Agent)
	if id := e.ContextID(); id != "" {
		text += fmt.Sprintf(" and context_id %q to stay in the conversation", sanitize.Short(id, 200))
	}
	return errors.Join(ledger.InputError{Text: text + "."}, ledger.ErrTaskEnded)
}

// inConversation adds the agent to a request that names only a conversation. If several
// agents have a conversation of that name, the default one is meant.
func (r *Runner) inConversation(ctx context.Context, access directory.Access, args *Request) (*Request, error) {
	if args.Agent != "" || args.ContextID == "" {
		return args, nil
	}
	named := *args
	for _, p := range r.Directory.Agents(access) {
		if named.Agent != "" && p.Name != r.Directory.Default {
			continue
		}
		has, err := r.Lists.HasContext(ctx, access.User(), p.Name, args.ContextID)
		if err != nil {
			return nil, fmt.Errorf("looking the conversation up: %w", err)
		}
		if has {
			named.Agent = p.Name
		}
	}
	return &named, nil
}

// FirstWord is how long every caller waits for the agent to accept the message.
const FirstWord = 5 * time.Second

// Await waits for at most budget and returns the task, or why the agent did not take
// the message. A caller without a budget also learns that.
func (r *Runner) Await(ctx context.Context, f *Follower, budget time.Duration, progress func(string)) (*ledger.Record, error) {
	over := time.NewTimer(budget) // a context that ends in time costs three times as much
	defer over.Stop()
	e := f.Wait(ctx, over.C, progress, false)
	if budget < FirstWord {
		over.Reset(FirstWord - budget)
		e = f.Wait(ctx, over.C, func(string) {}, true)
	}
	if err := f.EnsureRecorded(); err != nil { // before its handle is given out, the ledger has the task
		return nil, err
	}
	if err := f.Refusal(); err != nil && e.Failure == nil {
		return nil, r.notTaken(e, err)
	}
	return e, nil
}
