// Package a2a defines the types of the Agent2Agent protocol: agents, messages, parts,
// artifacts, tasks, states, events, cards and errors.
//
// The types are a superset of A2A 1.0. Package a2a/internal/wire encodes and decodes them for each
// generation of the protocol; their own JSON form is how Rialto stores them. The package does no
// I/O: a2aclient reaches remote agents, a2aserver serves them, a2aexec runs them.
package a2a

import (
	"context"
	"iter"
)

// Agent is the interface on both sides of the wire: a2aclient implements it for remote
// agents, a2aserver serves it, a2aexec makes one of a function.
//
// Methods may be called concurrently. A method that fails returns an *Error where the agent (or its
// server) said no, and another error where it could not be reached or understood. A context that
// ends stops the call, not the task: only Cancel stops a task.
type Agent interface {
	// Send delivers a message. It returns a *Task or a *Message: when
	// SendRequest.ReturnImmediately is false, not before the task is
	// terminal or interrupted; otherwise as soon as the task is known.
	Send(context.Context, *SendRequest) (Event, error)

	// Stream delivers a message and yields its events. The first event is a *Task or a *Message;
	// the sequence ends after a Message, a terminal state, or an error, which is yielded last with a
	// nil event, and may end after an interrupted state. After ErrStreamEnded and ErrNoStream the agent has the
	// message, and the task goes on.
	Stream(context.Context, *SendRequest) Events

	// Task returns a task as it stands, or TaskNotFound.
	Task(context.Context, TaskQuery) (*Task, error)

	// Cancel asks the agent to stop a task and returns the task as it then
	// stands. A task that has ended answers TaskNotCancelable.
	Cancel(context.Context, TaskID) (*Task, error)

	// Subscribe follows a task that exists already: the task as it stands, then its events, ending
	// as Stream does. A task that has ended answers UnsupportedOperation (A2A 1.0 section 3.1.6),
	// perhaps after the task.
	Subscribe(context.Context, TaskID) Events
}

// Events are what an agent yields. An error is last, with a nil event.
type Events = iter.Seq2[Event, error]

// TaskID names a task at the agent that runs it. It is unique at that agent
// only, and it is no secret.
type TaskID string

// SendRequest is a message on its way to an agent.
type SendRequest struct {
	Message *Message

	// AcceptedOutputModes lists the media types the caller can take; empty means any.
	AcceptedOutputModes []string

	// ReturnImmediately asks Send not to wait for the task to end (A2A 1.0;
	// the inverse of "blocking" in 0.2 and 0.3).
	ReturnImmediately bool

	// HistoryLength bounds the messages in Task.History: nil leaves it to
	// the agent, 0 asks for none.
	HistoryLength *int

	// Name is the id that the caller gives to the task that the message starts
	// (A2A 0.1); "" in later generations, where the agent gives it.
	Name TaskID

	// Push is the webhook to notify of the task; nil is none. An agent that is
	// no Pusher answers PushNotSupported.
	Push *PushConfig

	Metadata Metadata

	// Extensions are those that the caller declares; nil is none. The agent notes in it which ones
	// it has activated.
	Extensions *Extensions `json:"-"`
}

// TaskQuery asks for one task.
type TaskQuery struct {
	ID            TaskID
	HistoryLength *int // as in SendRequest
}
