// Package ledger defines the record of a task, how an agent's events change it, and the contracts
// of the stores that keep it. It knows A2A. It does not know how agents are reached, who runs a
// task, or how one is shown to MCP clients and on pages: see packages directory, runner and view.
package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/sanitize"
	"rialto/internal/i18n"
)

// Record is a task as we keep it.
type Record struct {
	Handle    string // the task_id that clients see
	Owner     string // the user it belongs to
	Client    string // through which it was sent
	Agent     string // the name of the agent that runs it
	MessageID string // of the latest message sent to it
	Asked     string // the beginning of the message that began it

	// Name and ContextName are what an A2A caller calls the task (only A2A 0.1
	// does) and the conversation; "" where the agent's word is shown.
	Name        string
	ContextName string

	// UseCase is the one that the task was begun with, "" if the call had none or several. The
	// agent gets it again with the messages that continue the task.
	UseCase string

	// Digest tells the message that AddTask or ContinueTask is about from others;
	// "" if its caller gave it no name. It is not read back.
	Digest string

	// Files are the ids of the uploads that AddTask or ContinueTask gives to the task. They are not
	// read back.
	Files []string

	// Task is the task as last heard of, under the agent's own id. It is nil
	// until the agent has answered. An agent that answers with a message
	// instead of a task leaves a completed task without an id here.
	Task *a2a.Task

	// Failure says why there is no task, or no more of one.
	Failure *Failure

	// Revisions are earlier states and artifacts of the task; nil if there are none.
	Revisions *Revisions

	// Idle reports that nothing changes until the owner acts: the task has ended, or
	// waits for input or for a grant.
	Idle bool

	// Updated is another moment after each change. Both are whole milliseconds.
	Created, Updated time.Time

	// Trace is the traceparent of the call that sent the latest message; "" is none.
	Trace string

	Resent bool // the message being sent was unsent until now
}

// LeftByItself separates the ID of a message from a number in a MessageID: how often the agent has left
// a pause without an answer since that message.
const LeftByItself = "+rialto-"

// State tells where the task stands. A task that no agent has confirmed is
// submitted, and one whose pause was answered is working.
func (e *Record) State() a2a.State {
	switch {
	case e.Failure != nil:
		return a2a.Failed
	case e.Task == nil:
		return a2a.Submitted
	case e.Task.Status.State.Interrupted() && !e.Idle:
		return a2a.Working
	default:
		return e.Task.Status.State
	}
}

// ContextID returns the conversation the task belongs to, as the agent named
// it; "" while it is not known.
func (e *Record) ContextID() string {
	if e.Task == nil {
		return ""
	}
	return e.Task.ContextID
}

// Excerpt returns the beginning of the message that begins a task, for lists.
func Excerpt(m *a2a.Message) string {
	text := m.Text()
	text = strings.ToValidUTF8(text[:min(len(text), 2000)], "")
	return sanitize.Short(strings.Join(strings.Fields(text), " "), 200)
}

// Request returns the message that began the task; nil if it is not kept.
func (e *Record) Request() *a2a.Message {
	if e.Task == nil {
		return nil
	}
	i := slices.IndexFunc(e.Task.History, ofUser)
	if i < 0 {
		return nil
	}
	return &e.Task.History[i]
}

// HasMessage reports whether a message of the task has an id.
func (e *Record) HasMessage(id string) bool {
	return e.Task != nil && hasMessage(e.Task.History, id)
}

// RequestText returns the text of the message that began the task, as far as it is kept.
func (e *Record) RequestText() string {
	if m := e.Request(); m != nil {
		return m.Text()
	}
	return e.Asked
}

// Touch sets Updated to now, or later if Updated is not before now: it changes with
// each change of the record.
func (e *Record) Touch(now time.Time) {
	now = now.Truncate(time.Millisecond)
	if !now.After(e.Updated) {
		now = e.Updated.Add(time.Millisecond)
	}
	e.Updated = now
}

func (e *Record) Clone() *Record {
	c := *e
	c.Task = unshared(e.Task)
	return &c
}

// Unsent reports whether the record holds a message that its agent has not received,
// until the owner has connected the agent or sent a file.
func (e *Record) Unsent() bool {
	return e.Failure == nil && e.Task != nil && e.Task.ID == "" &&
		e.Task.Status.State.Interrupted() &&
		len(e.Task.History) > 0
}

// AwaitsFiles reports whether the message is unsent until the owner has sent a file that it names.
func (e *Record) AwaitsFiles() bool {
	return e.Idle && e.Unsent() && e.Task.Status.State == a2a.InputRequired
}

// KeepUnsent keeps a message until the owner has connected the agent (auth-required) or sent a file
// (input-required), and asks the owner to do so.
func (e *Record) KeepUnsent(m *a2a.Message, until a2a.State, why *i18n.Message, now time.Time) {
	said := a2a.Message{
		ID:    uuid.NewString(),
		Role:  a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart(why.Error())},
	}
	said.Metadata = a2a.Metadata{sentenceKey: why.Stored()}
	e.Task = &a2a.Task{
		ContextID: m.ContextID,
		Status:    a2a.Status{State: until, Message: &said, Timestamp: now},
		History:   []a2a.Message{*m},
	}
}

// TakeUnsent removes the unsent message and returns it with an id, under which it is sent.
func (e *Record) TakeUnsent(id string) *a2a.Message {
	m := e.Task.History[0]
	m.ID = id
	e.Task = nil
	e.Resent = true
	return &m
}

// AwaitsGrant reports whether the agent waits in auth-required, and may continue without a message.
func (e *Record) AwaitsGrant() bool {
	return e.Idle && e.State() == a2a.AuthRequired && !e.Unsent() && e.Task.ID != ""
}

// AwaitsInput reports whether the agent waits for an answer.
func (e *Record) AwaitsInput() bool {
	return e.Idle && e.State() == a2a.InputRequired && e.Task.ID != ""
}

// MarkUnanswered notes that a client has returned the question of this pause without an answer, and
// how: "decline" or "cancel".
func (e *Record) MarkUnanswered(how string) {
	p := e.revisions()
	p.Unanswered = &Unanswered{e.MessageID, how}
	e.Revisions = &p
}

// Unanswered returns how a client has returned the question of this pause without an answer: "decline"
// or "cancel"; "" if none has.
func (e *Record) Unanswered() string {
	returned := e.revisions().Unanswered
	if !e.Idle || !e.State().Interrupted() || returned == nil || returned.MessageID != e.MessageID {
		return ""
	}
	return returned.How
}

// unshared returns a copy of t that may be changed. A task that has ended is returned
// as it is, because no event changes it.
func unshared(t *a2a.Task) *a2a.Task {
	if t == nil || t.Status.State.Terminal() {
		return t
	}
	return t.Clone()
}

func ofUser(m a2a.Message) bool { return m.Role != a2a.RoleAgent }

// Cancelable returns a NotCancelable if a task cannot be canceled, nil if it can.
func Cancelable(e *Record) error {
	state := e.State()
	switch {
	case state.Terminal():
		return NotCancelable{
			i18n.New("Task %s has ended (%s) and cannot be canceled.", e.Handle, state), state,
		}
	case (e.Task == nil || e.Task.ID == "") && !e.Unsent():
		return NotCancelable{
			i18n.New(
				"The agent has not confirmed task %s yet, so there is nothing to cancel. Try again in a few seconds.",
				e.Handle,
			), state,
		}
	}
	return nil
}

// ArtifactOf returns the artifact of a task with an id, and its number; nil if there is none.
func ArtifactOf(t *a2a.Task, id string) (a *a2a.Artifact, n int) {
	if t == nil || id == "" {
		return nil, 0
	}
	for i := range t.Artifacts {
		if a := &t.Artifacts[i]; a.ID == id {
			return a, i
		}
	}
	return nil, 0
}

// Count is how many tasks of an agent are in a state.
type Count struct {
	Agent string
	State a2a.State
	Tasks int64
}
