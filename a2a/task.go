package a2a

import (
	"maps"
	"slices"
	"time"
)

// State tells where a task stands, in the words of A2A 0.2 and later.
type State string

// The states of every generation. Unknown covers both 0.x "unknown" and 1.0 "unspecified".
const (
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required"
	AuthRequired  State = "auth-required"
	Completed     State = "completed"
	Canceled      State = "canceled"
	Failed        State = "failed"
	Rejected      State = "rejected"
	Unknown       State = "unknown"
)

// Terminal reports whether a task in state s has ended for good.
func (s State) Terminal() bool {
	return s == Completed || s == Canceled || s == Failed || s == Rejected
}

// Interrupted reports whether a task in state s waits for its caller.
func (s State) Interrupted() bool { return s == InputRequired || s == AuthRequired }

// StateOf returns the state of a task that an event brings; "" for none.
func StateOf(e Event) State {
	switch e := e.(type) {
	case *Task:
		return e.Status.State
	case *StatusUpdate:
		return e.Status.State
	}
	return ""
}

// Idle reports whether a task in state s is terminal or interrupted: nothing happens
// until its caller acts.
func (s State) Idle() bool { return s.Terminal() || s.Interrupted() }

// Status is a state, when it was reached, and what the agent said of it.
type Status struct {
	State     State     `json:"state"`
	Message   *Message  `json:"message,omitempty"`
	Timestamp time.Time `json:"timestamp,omitzero"`
}

// Task is a piece of work that an agent does.
type Task struct {
	ID        TaskID     `json:"id"`
	ContextID string     `json:"contextId,omitempty"`
	Status    Status     `json:"status"`
	Artifacts []Artifact `json:"artifacts,omitempty"`
	History   []Message  `json:"history,omitempty"`
	Metadata  Metadata   `json:"metadata,omitempty"`
}

// Artifact is something that a task produced.
type Artifact struct {
	ID          string   `json:"artifactId"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Parts       []Part   `json:"parts"`
	Metadata    Metadata `json:"metadata,omitempty"`
	Extensions  []string `json:"extensions,omitempty"`
}

// Text returns the text parts of a, one a line.
func (a *Artifact) Text() string { return joinText(a.Parts) }

// Event is what an agent answers or streams: a *Task, *Message, *StatusUpdate or *ArtifactUpdate.
type Event interface{ isEvent() }

// StatusUpdate tells that a task changed its status.
type StatusUpdate struct {
	TaskID    TaskID
	ContextID string
	Status    Status
	Metadata  Metadata
}

// ArtifactUpdate brings an artifact, or the next chunk of one.
type ArtifactUpdate struct {
	TaskID    TaskID
	ContextID string
	Artifact  Artifact
	Append    bool // Artifact.Parts continue the artifact of the same ID
	LastChunk bool
	Metadata  Metadata
}

func (*Task) isEvent()           {}
func (*Message) isEvent()        {}
func (*StatusUpdate) isEvent()   {}
func (*ArtifactUpdate) isEvent() {}

// Apply applies e to t and reports whether t changed. Events about other tasks, and
// events after a terminal state, change nothing.
func (t *Task) Apply(e Event) bool {
	if t.Status.State.Terminal() {
		return false
	}
	switch e := e.(type) {
	case *Task:
		if e.ID != t.ID {
			return false
		}
		*t = *e.Clone()
	case *StatusUpdate:
		if e.TaskID != t.ID {
			return false
		}
		t.applyStatus(e)
	case *ArtifactUpdate:
		if e.TaskID != t.ID {
			return false
		}
		t.applyArtifact(e)
	default:
		return false
	}
	return true
}

// applyStatus moves the message of the old status into the history, so that nothing an agent said
// is lost when it says the next thing. The metadata of an update joins that of the task.
func (t *Task) applyStatus(e *StatusUpdate) {
	if m := t.Status.Message; m != nil {
		known := slices.ContainsFunc(
			t.History, func(h Message) bool { return h.ID == m.ID && m.ID != "" },
		)
		if !known {
			t.History = append(t.History, *m)
		}
	}
	t.Status = e.Status
	if t.ContextID == "" {
		t.ContextID = e.ContextID
	}
	if len(e.Metadata) > 0 && t.Metadata == nil {
		t.Metadata = Metadata{}
	}
	maps.Copy(t.Metadata, e.Metadata)
}

func (t *Task) applyArtifact(e *ArtifactUpdate) {
	i := slices.IndexFunc(t.Artifacts, func(a Artifact) bool { return a.ID == e.Artifact.ID })
	switch {
	case i < 0:
		a := e.Artifact
		a.Parts = slices.Clone(a.Parts)
		t.Artifacts = append(t.Artifacts, a)
	case e.Append:
		t.Artifacts[i].Parts = append(t.Artifacts[i].Parts, e.Artifact.Parts...)
	default:
		t.Artifacts[i] = e.Artifact
		t.Artifacts[i].Parts = slices.Clone(e.Artifact.Parts)
	}
}

// Clone returns a copy of t that shares no slice or map that Apply writes to.
func (t *Task) Clone() *Task {
	c := *t
	c.Metadata = maps.Clone(t.Metadata)
	c.History = slices.Clone(t.History)
	c.Artifacts = slices.Clone(t.Artifacts)
	for i := range c.Artifacts {
		c.Artifacts[i].Parts = slices.Clone(c.Artifacts[i].Parts)
	}
	return &c
}

// WithHistory returns t with at most n of its latest messages; nil leaves the history as it is.
func (t *Task) WithHistory(n *int) *Task {
	if n == nil || len(t.History) <= *n {
		return t
	}
	c := *t
	c.History = t.History[len(t.History)-max(*n, 0):]
	return &c
}
