package bridge

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"

	"github.com/google/uuid"
)

const (
	defaultWait = 45 * time.Second // ChatGPT gives a call about 60 seconds
	longestWait = 240 * time.Second
	firstWord   = 5 * time.Second // for the agent to accept, when the caller does not wait
)

// sendArgs are the arguments of send_task.
type sendArgs struct {
	Message   string          `json:"message"`
	Agent     string          `json:"agent"`
	Skill     string          `json:"skill"`
	TaskID    string          `json:"task_id"`
	ContextID string          `json:"context_id"`
	Files     []fileArg       `json:"files"`
	Data      json.RawMessage `json:"data"`
	MessageID string          `json:"message_id"`
	Wait      *float64        `json:"wait"`

	pause string // that the message answers; "" is the one that there is
}

// fileArg is a file by content or by reference.
type fileArg struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Bytes     []byte `json:"bytes"`
	URL       string `json:"url"`
}

func (b *Bridge) sendTask() mcp.Tool {
	return mcp.Tool{
		Name:  "send_task",
		Title: "Send a task to an agent",
		Description: "Send a message to an agent and wait for the answer. If the work takes longer than the wait, the result has a task_id: " +
			"call get_task with it until the state is no longer submitted or working. " +
			"When the state is input-required, answer the agent's question by calling send_task again with the same task_id.",
		InputSchema:  sendTaskInput,
		OutputSchema: taskOutput,
		Destructive:  true, // an agent may do anything
		OpenWorld:    true,
		Tasks:        mcp.TasksOptional,
		DetachedFor:  longestWait + time.Minute, // a message must not be lost between the ledger and the agent
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args sendArgs
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			r, err := b.sendOrAnswer(ctx, c, &args)
			if err != nil {
				return b.refuse(err)
			}
			return r, nil
		},
	}
}

// sendOrAnswer sends the message of a call, and waits for what becomes of it.
// A call that is repeated with answers has sent its message already.
func (b *Bridge) sendOrAnswer(ctx context.Context, c *mcp.Call, args *sendArgs) (*mcp.Result, error) {
	e, err := b.asked(ctx, c)
	if err != nil {
		return nil, err
	}
	if e == nil {
		f, err := b.send(ctx, b.Directory.Effective(ctx), args)
		if err != nil {
			return nil, err
		}
		if c.TakesTask {
			return b.begin(ctx, f, c)
		}
		if e, err = b.await(ctx, f, args.Wait, c.Progress); err != nil {
			return nil, err
		}
	}
	if e, err = b.converse(ctx, c, e, args.Wait); err != nil {
		return nil, err
	}
	return b.result(e, page{}), nil
}

// send writes the task into the ledger, hands the message to a follower and
// returns it.
func (b *Bridge) send(ctx context.Context, caller directory.Caller, args *sendArgs) (*follower, error) {
	args.Data = b.Directory.ForceArguments(args.Data)
	m, err := userMessage(args)
	if err != nil {
		return nil, err
	}
	m.Metadata = b.Directory.Metadata(caller, args.Skill)
	if args.TaskID != "" {
		return b.continueTask(ctx, caller, args, m)
	}
	return b.startTask(ctx, caller, args, m)
}

func (b *Bridge) startTask(ctx context.Context, caller directory.Caller, args *sendArgs, m *a2a.Message) (*follower, error) {
	args, err := b.inConversation(ctx, caller, args)
	if err != nil {
		return nil, err
	}
	p, err := b.Directory.Choose(ctx, args.Agent, args.Skill, args.Message)
	if err == nil {
		err = caller.CheckSkill(p.Agent, args.Skill)
	}
	if err != nil {
		return nil, b.Directory.HintSkill(ctx, args.Skill, err)
	}
	e := &ledger.Record{Owner: caller.User, Client: caller.Client, Agent: p.Name, MessageID: m.ID, Asked: ledger.Excerpt(m), Digest: args.digest(m)}
	if f, err := b.again(ctx, e.Owner, e.Agent, e.Digest); f != nil || err != nil {
		return f, err
	}
	conn, err := b.Directory.ConnectFor(ctx, p, caller.User)
	if err == nil {
		err = directory.CheckCardSkill(conn, p.Name, args.Skill)
	}
	if err != nil {
		return nil, b.Directory.HintSkill(ctx, args.Skill, err)
	}
	if err := b.ownContext(ctx, caller, p.Name, args.ContextID); err != nil {
		return nil, err
	}
	m.ContextID = args.ContextID
	if err := b.enroll(e); err != nil {
		return nil, err
	}
	req := &a2a.SendRequest{Message: m, Metadata: m.Metadata}
	if e.Digest == "" {
		if f := b.ahead(conn, e, req); f != nil {
			return f, nil
		}
	}
	return b.open(ctx, conn, e, req)
}

// enroll gives a new task its handle.
func (b *Bridge) enroll(e *ledger.Record) error {
	handle, err := uuid.NewV7() // sorts by time: tasks of one millisecond are listed in their order
	if err != nil {
		return err
	}
	now := b.Now().Truncate(time.Millisecond)
	e.Handle, e.Created, e.Updated = handle.String(), now, now
	return nil
}

// mostRunning is how many tasks of an owner run at one time.
func (b *Bridge) mostRunning() int { return cmp.Or(b.MaxRunning, 1000) }

// open writes e, a new task, into the ledger, and hands the message that starts
// it to a follower.
func (b *Bridge) open(ctx context.Context, conn directory.Conn, e *ledger.Record, req *a2a.SendRequest) (*follower, error) {
	b.hold(e.Handle) // it counts from now on
	defer b.letGo(e.Handle)
	b.catchUp()
	err := b.Ledger.AddTask(ctx, e, b.lease(), b.mostRunning())
	var before ledger.ErrDuplicate
	switch {
	case errors.As(err, &before):
		return b.rejoin(ctx, e.Owner, before.Handle)
	case err != nil:
		return nil, fmt.Errorf("writing the task down: %w", err)
	}
	b.begun(e)
	if err := b.watch(ctx, e, req); err != nil {
		b.abandon(e, ledger.Fail(a2a.Unavailable, "The webhook that came with the message could not be recorded, so the message was not sent."))
		return nil, err
	}
	return b.follow(conn, e, req), nil
}

// ownContext refuses a conversation that the caller has not had: a context id
// is no secret, so knowing one is not enough to join it.
func (b *Bridge) ownContext(ctx context.Context, caller directory.Caller, agent, contextID string) error {
	if contextID == "" {
		return nil
	}
	own, err := b.Lists.HasContext(ctx, caller.User, agent, contextID)
	if err != nil {
		return fmt.Errorf("looking the conversation up: %w", err)
	}
	if !own {
		return ledger.InputError{Text: fmt.Sprintf("You have no conversation %q with the agent %s. Leave context_id out to start a new one, or take it from an earlier result of this agent.", sanitize.Short(contextID, 100), agent)}
	}
	return nil
}

func (b *Bridge) continueTask(ctx context.Context, caller directory.Caller, args *sendArgs, m *a2a.Message) (*follower, error) {
	e, err := b.Ledger.Task(ctx, caller.User, args.TaskID)
	if err == nil && b.Directory.Hides(ctx, e.Agent) {
		err = ledger.ErrNoTask
	}
	if err != nil {
		return nil, err
	}
	e.Digest = args.digest(m)
	if f, err := b.again(ctx, e.Owner, e.Agent, e.Digest); f != nil || err != nil {
		return f, err
	}
	if err := fits(args, e); err != nil {
		return nil, err
	}
	p, err := b.Directory.Choose(ctx, e.Agent, "", "")
	if err == nil {
		err = caller.CheckSkill(p.Agent, args.Skill)
	}
	if err != nil {
		return nil, err
	}
	conn, err := b.Directory.ConnectFor(ctx, p, caller.User)
	if err == nil {
		err = directory.CheckCardSkill(conn, p.Name, args.Skill)
	}
	if err != nil {
		return nil, err
	}
	return b.goOn(ctx, conn, e, &a2a.SendRequest{Message: m, Metadata: m.Metadata})
}

// goOn hands the message that continues e to a follower.
func (b *Bridge) goOn(ctx context.Context, conn directory.Conn, e *ledger.Record, req *a2a.SendRequest) (*follower, error) {
	m := req.Message
	if err := b.watch(ctx, e, req); err != nil {
		return nil, err
	}
	err := b.reopen(ctx, e, m.ID)
	var before ledger.ErrDuplicate
	switch {
	case errors.As(err, &before):
		return b.rejoin(ctx, e.Owner, before.Handle)
	case err != nil:
		return nil, err
	}
	if e.Unsent() { // whatever was said besides
		send := *req
		send.Message = e.TakeUnsent(m.ID)
		return b.follow(conn, e, &send), nil
	}
	m.TaskID, m.ContextID = e.Task.ID, e.Task.ContextID
	return b.follow(conn, e, req), nil
}

// reopen takes a task that waits for its owner under our lease, for the message
// named messageID.
func (b *Bridge) reopen(ctx context.Context, e *ledger.Record, messageID string) error {
	e.Touch(b.Now())
	if err := b.Ledger.ContinueTask(ctx, e, messageID, b.lease(), e.Updated); err != nil {
		return err
	}
	e.MessageID, e.Idle = messageID, false
	b.changed(e)
	return nil
}

// fits checks that a message can continue a task.
func fits(args *sendArgs, e *ledger.Record) error {
	state := e.State()
	switch {
	case args.Agent != "" && args.Agent != e.Agent:
		return ledger.InputError{Text: fmt.Sprintf("Task %s belongs to the agent %s, not to %s. Leave the argument \"agent\" out to continue it.", e.Handle, e.Agent, sanitize.Short(args.Agent, 100))}
	case args.ContextID != "" && args.ContextID != e.ContextID():
		return ledger.InputError{Text: fmt.Sprintf("Task %s belongs to another conversation. Leave the argument \"context_id\" out to continue it.", e.Handle)}
	case state.Terminal():
		return ended(e)
	case !state.Interrupted() || !e.Idle, args.pause != "" && args.pause != e.MessageID:
		return ledger.ErrTaskBusy
	}
	return nil
}

// ended is what a caller is told whose message is to a task that has ended.
func ended(e *ledger.Record) error {
	text := fmt.Sprintf("Task %s has ended (%s) and takes no more messages. Send a new task, with agent %q", e.Handle, e.State(), e.Agent)
	if id := e.ContextID(); id != "" {
		text += fmt.Sprintf(" and context_id %q to stay in the conversation", sanitize.Short(id, 200))
	}
	return errors.Join(ledger.InputError{Text: text + "."}, ledger.ErrTaskEnded)
}

// userMessage builds what is sent from the arguments.
func userMessage(args *sendArgs) (*a2a.Message, error) {
	if strings.TrimSpace(args.Message) == "" {
		return nil, ledger.InputError{Text: "The argument \"message\" is empty. Say what the agent should do, for example: \"List the ten largest claims.\""}
	}
	m := &a2a.Message{ID: args.MessageID, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(args.Message)}}
	if m.ID == "" {
		m.ID = uuid.NewString()
	}
	for i, f := range args.Files {
		p, err := f.part()
		if err != nil {
			return nil, ledger.InputError{Text: fmt.Sprintf("files[%d] %v", i, err)}
		}
		m.Parts = append(m.Parts, p)
	}
	if len(args.Data) > 0 && string(args.Data) != "null" {
		m.Parts = append(m.Parts, a2a.Part{Content: a2a.Data(args.Data), MediaType: "application/json"})
	}
	return m, nil
}

// digest tells the message of a call from others, if the call names it.
func (a *sendArgs) digest(m *a2a.Message) string {
	if a.MessageID == "" {
		return ""
	}
	named := *m
	named.TaskID, named.ContextID = a2a.TaskID(a.TaskID), a.ContextID
	return ledger.Digest(&named)
}

func (f fileArg) part() (a2a.Part, error) {
	p := a2a.Part{Filename: f.Name, MediaType: f.MediaType}
	u, err := url.Parse(f.URL)
	switch {
	case f.URL != "" && f.Bytes != nil:
		return p, errors.New("has both \"bytes\" and \"url\": give one of them")
	case f.URL != "" && (err != nil || u.Scheme == "" || u.Host+u.Opaque == ""):
		return p, errors.New("has a \"url\" that is none: give a whole one, such as https://example.com/report.csv, or the content as \"bytes\" (base64)")
	case f.URL != "" && u.Scheme == "data":
		return f.inline(p)
	case f.URL != "":
		p.Content = a2a.URL(f.URL)
	case f.Bytes != nil:
		p.Content = a2a.Raw(f.Bytes)
	default:
		return p, errors.New("has no content: give \"bytes\" (base64) or \"url\"")
	}
	return p, nil
}

// inline is the part of a file whose address is its content (RFC 2397): few agents read
// those, and none has to.
func (f fileArg) inline(p a2a.Part) (a2a.Part, error) {
	head, content, ok := strings.Cut(f.URL[len("data:"):], ",")
	kind, coded := strings.CutSuffix(head, ";base64")
	text, err := url.PathUnescape(content)
	b := []byte(text)
	if err == nil && coded {
		b, err = base64.StdEncoding.DecodeString(text)
	}
	if !ok || err != nil {
		return p, errors.New("has a \"url\" that begins as a data: URL and is none: give its content as \"bytes\" (base64)")
	}
	p.Content, p.MediaType = a2a.Raw(b), cmp.Or(p.MediaType, kind)
	return p, nil
}

// begin returns a task for a client that takes one: MCP's task and the ledger's
// are the same. A client since 2026-07-28 is spared it if the answer comes fast.
func (b *Bridge) begin(ctx context.Context, f *follower, c *mcp.Call) (*mcp.Result, error) {
	over := time.NewTimer(firstWord)
	defer over.Stop()
	legacy := c.Client.Revision == mcp.Revision20251125
	e := f.wait(ctx, over.C, c.Progress, legacy)
	if err := f.known(); err != nil {
		return nil, err
	}
	if e.Idle && e.State().Terminal() && !legacy {
		return b.result(e, page{}), nil
	}
	return &mcp.Result{Task: b.mcpTask(e)}, nil
}

// await waits as long as the caller wants and returns the task as it then
// stands, or why the agent did not take the message: somebody who does not wait
// still learns that.
func (b *Bridge) await(ctx context.Context, f *follower, wait *float64, progress func(string)) (*ledger.Record, error) {
	budget := waitFor(wait)
	over := time.NewTimer(budget) // a context that ends in time costs three times as much
	defer over.Stop()
	e := f.wait(ctx, over.C, progress, false)
	if budget < firstWord {
		over.Reset(firstWord - budget)
		e = f.wait(ctx, over.C, func(string) {}, true)
	}
	if err := f.known(); err != nil { // before its handle is given out, the ledger has the task
		return nil, err
	}
	if err := f.refusal(); err != nil && e.Failure == nil {
		return nil, b.notTaken(e, err)
	}
	return e, nil
}

// waitFor returns how long a call may wait, from its argument in seconds.
func waitFor(seconds *float64) time.Duration {
	if seconds == nil {
		return defaultWait
	}
	return time.Duration(min(max(*seconds, 0), longestWait.Seconds()) * float64(time.Second))
}
