package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// What a person is told whose message is held: of which agent, and where to go.
const (
	toConnect = "The agent %s wants to know who you are. Connect it with your own account at %s; then it gets your message."
	toChange  = "The agent %s does not accept what you have connected it with. Connect it anew at %s; then it gets your message."
	toRepeat  = "The agent %s has not got your message yet: it could not be reached when you had connected it. Try again in a moment, at %s."
)

// holds returns what to tell the owner of a message that the agent has certainly
// not taken, if it is to be held instead of failing the task; "" if it is not. A
// message that was held is not lost because the agent is away when its turn has
// come.
func (f *follower) holds(ctx context.Context, err error) string {
	switch {
	case f.entry.Task != nil || f.message == nil:
		return ""
	case f.b.Directory.MustConnect(f.entry.Agent, err):
		if has, err := f.b.Directory.Connections.Connected(ctx, f.entry.Owner, f.entry.Agent); err == nil && has {
			return toChange
		}
		return toConnect
	case f.entry.Resent && ledger.Refused(err) && (a2a.Is(err, a2a.Unavailable) || a2a.Is(err, a2a.RateLimited)):
		return toRepeat
	}
	return ""
}

// Waits reports whether a task of the caller's waits until they have connected
// an agent.
func (b *Bridge) Waits(ctx context.Context, agent, handle string) bool {
	e, err := b.Ledger.Task(ctx, b.Directory.Caller(ctx).User, handle)
	return err == nil && waitsFor(e, agent)
}

// Owns reports whether a task is one of the caller's at an agent.
func (b *Bridge) Owns(ctx context.Context, agent, handle string) bool {
	e, err := b.Ledger.Task(ctx, b.Directory.Caller(ctx).User, handle)
	return err == nil && e.Agent == agent
}

func waitsFor(e *ledger.Record, agent string) bool {
	return e.Agent == agent && e.Idle && e.State() == a2a.AuthRequired
}

// Resume lets a task of the caller's go on whose agent was waiting until the
// caller had connected it. A task that waits for nothing of the kind stays as it
// is, and of several calls one resumes it.
func (b *Bridge) Resume(ctx context.Context, agent, handle string) error {
	caller := b.Directory.Caller(ctx)
	e, err := b.Ledger.Task(ctx, caller.User, handle)
	if err != nil || !waitsFor(e, agent) {
		return err
	}
	f, err := b.send(ctx, caller, &sendArgs{TaskID: handle, Message: "The user has connected the account.", pause: e.MessageID})
	if errors.Is(err, ledger.ErrTaskBusy) {
		return nil // somebody else has
	}
	if err != nil {
		return err
	}
	var noWait float64
	_, err = b.await(ctx, f, &noWait, func(string) {})
	return err
}

// visit is what a task in auth-required asks the person at the client: to open a
// page. It is the task's own where nobody names another: a task that asks nothing looks
// as if it were worked on, to clients that take tasks, and they wait for ever.
func (b *Bridge) visit(e *ledger.Record) (q mcp.Question, ok bool) {
	text := sanitize.Short(e.Task.Status.Message.Text(), 500)
	link := cmp.Or(b.Directory.ConnectPage(e), sanitize.FirstLink(text), b.pageURL(e))
	text = cmp.Or(text, "The agent waits until you have signed in or granted access.")
	return mcp.ElicitURL(questionKey(e), text, link), link != ""
}

// sendOff puts it to the person at the client that they open a page, and waits
// until the task has left its pause: it does so once they have connected the agent
// here, and an agent with a page of its own may do so too. done is unset if it
// waits still.
func (b *Bridge) sendOff(ctx context.Context, c *mcp.Call, e *ledger.Record, wait *float64) (after *ledger.Record, done bool, err error) {
	q, ok := b.visit(e)
	if !ok || !c.CanAsk(q) {
		return e, false, nil
	}
	answers, err := b.askAbout(ctx, c, e, q)
	switch {
	case errors.Is(err, mcp.ErrNoAnswer):
		return e, false, nil
	case errors.Is(err, errPassed): // they were there before they said that they would go
	case err != nil || !answers[0].Accepted():
		return e, false, err
	}
	waiting, cancel := context.WithTimeout(ctx, waitFor(wait))
	defer cancel()
	if _, err := b.next(waiting, e.Owner, e.Handle, e.Updated); err != nil && ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	after, err = b.task(ctx, e.Handle, waitFor(wait), c.Progress)
	return after, err == nil && (after.MessageID != e.MessageID || after.State() != a2a.AuthRequired), err
}

// notTaken is what a caller is told whose agent did not take a message to a task
// that exists already.
func (b *Bridge) notTaken(e *ledger.Record, err error) error {
	switch {
	case b.Directory.MustConnect(e.Agent, err):
		return b.Directory.NotConnected(e.Agent, fmt.Sprintf("Task %s stands where it stood; when the user has connected the agent, send the message again.", e.Handle))
	case e.State().Terminal():
		return ended(e)
	case !e.Idle:
		return ledger.InputError{Text: fmt.Sprintf("The agent did not take the message: task %s has gone on without it. Call get_task with its task_id.", e.Handle)}
	}
	if !ledger.Refused(err) {
		return fmt.Errorf("whether the agent received the message is not known. Task %s still stands where it stood; look with get_task before the message is sent again: %w", e.Handle, err)
	}
	return fmt.Errorf("the agent did not take the message, and task %s stands where it stood: %w", e.Handle, err)
}
