package ledger

import (
	"cmp"
	"slices"

	"rialto/a2a"
)

// PublicContext returns what the caller calls the conversation.
func (e *Record) PublicContext() string {
	return cmp.Or(e.ContextName, e.ContextID())
}

// Public returns the task as its A2A callers see it: under the ledger's ids, in the state in which
// the ledger has it, and with the time of the ledger, by which tasks are listed.
func (e *Record) Public() *a2a.Task {
	t := &a2a.Task{
		ID:        a2a.TaskID(e.Handle),
		ContextID: e.PublicContext(),
		Status:    a2a.Status{State: e.State()},
	}
	if e.Task != nil {
		t = e.PublicEvent(e.Task).(*a2a.Task)
	}

	switch state := e.State(); {
	case e.Failure != nil:
		t.Status = a2a.Status{State: state, Message: e.failed()}
	case state != t.Status.State: // the pause was answered, and the agent has not said anything yet
		t.Apply(&a2a.StatusUpdate{TaskID: t.ID, Status: a2a.Status{State: state}})
	}

	t.Status.Timestamp = e.Updated.UTC()
	if notice := e.DeliveryText(); notice != "" {
		t.Status.Message = e.withNotice(t.Status.Message, notice)
	}

	return t
}

// withNotice returns the question of an agent with our notice before it.
func (e *Record) withNotice(question *a2a.Message, notice string) *a2a.Message {
	m := e.WithPublicIDs(a2a.Message{Role: a2a.RoleAgent})
	if question != nil {
		m = *question
	}
	m.ID = e.Handle + "-" + e.MessageID
	m.Parts = slices.Insert(slices.Clone(m.Parts), 0, a2a.TextPart(notice))
	return &m
}

// failed is what the agent would have said of the failure.
func (e *Record) failed() *a2a.Message {
	return &a2a.Message{
		ID: e.Handle + "-failure", TaskID: a2a.TaskID(e.Handle), ContextID: e.PublicContext(),
		Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(e.Failure.Message)},
	}
}

// AnsweredByMessage reports whether the agent has answered with a message, without a task.
func (e *Record) AnsweredByMessage() bool {
	return e.Task != nil && e.Task.ID == "" && e.Task.Status.Message != nil && e.Failure == nil &&
		!e.Unsent()
}

// PublicMessage returns the message with which an agent answered instead of a task.
func (e *Record) PublicMessage() *a2a.Message {
	m := *e.Task.Status.Message
	m.TaskID, m.ContextID = "", e.PublicContext()
	return &m
}

// PublicEvent returns a copy of an event of the agent under the ids that callers know.
// What an agent writes into texts and metadata stays as it is.
func (e *Record) PublicEvent(event a2a.Event) a2a.Event {
	switch event := event.(type) {
	case *a2a.Message:
		m := e.WithPublicIDs(*event)
		return &m
	case *a2a.Task:
		t := event.Clone()
		t.ID, t.ContextID, t.Status = a2a.TaskID(e.Handle), e.PublicContext(), e.publicStatus(t.Status)
		for i, m := range t.History {
			t.History[i] = e.WithPublicIDs(m)
		}
		return t
	case *a2a.StatusUpdate:
		u := *event
		u.TaskID, u.ContextID, u.Status = a2a.TaskID(e.Handle), e.PublicContext(), e.publicStatus(u.Status)
		return &u
	case *a2a.ArtifactUpdate:
		u := *event
		u.TaskID, u.ContextID = a2a.TaskID(e.Handle), e.PublicContext()
		u.Artifact.Parts = slices.Clone(u.Artifact.Parts)
		return &u
	default:
		return event
	}
}

func (e *Record) publicStatus(s a2a.Status) a2a.Status {
	if s.Message != nil {
		m := e.WithPublicIDs(*s.Message)
		s.Message = &m
	}
	return s
}

// WithPublicIDs returns m as one of this task. Other tasks that it refers to are the
// agent's, whose ids mean nothing here.
func (e *Record) WithPublicIDs(m a2a.Message) a2a.Message {
	m.TaskID, m.ContextID, m.ReferenceTaskIDs = a2a.TaskID(e.Handle), e.PublicContext(), nil
	return m
}
