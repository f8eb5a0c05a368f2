package a2aexec

import (
	"context"
	"encoding/json"
	"slices"

	"rialto/a2a"
)

// Turn is the work of one message. Its methods send events to the followers of the task. They may
// be called concurrently, never block on a follower, and do nothing after the turn has ended.
type Turn struct {
	// Message is the message, with the ids of its task and context.
	Message *a2a.Message

	// Request is what the message came in.
	Request *a2a.SendRequest

	// Skill is the "skillId" in the metadata of the message or else of the request; ""
	// leaves the choice to the agent. (No generation before 1.1 has a field for it.)
	Skill string

	record *record
	stop   context.CancelCauseFunc
	done   chan struct{}
	end    *a2a.Task // as it stood when settled closed
	events int       // guarded by record.mu
}

func newTurn(r *record, req *a2a.SendRequest) *Turn {
	m := *req.Message
	m.TaskID = r.task.ID
	m.ContextID = r.contextID
	m.Role = a2a.RoleUser
	if m.ID == "" {
		m.ID = newID()
	}

	return &Turn{
		Message: &m,
		Request: req,
		Skill:   skill(req),
		record:  r,
		done:    make(chan struct{}),
	}
}

func skill(req *a2a.SendRequest) string {
	for _, meta := range []a2a.Metadata{req.Message.Metadata, req.Metadata} {
		if id, ok := meta["skillId"].(string); ok && id != "" {
			return id
		}
	}
	return ""
}

// Task returns the task as it stands. Its history has the earlier turns and,
// last, the message of this one.
func (t *Turn) Task() *a2a.Task {
	task, _ := t.record.snapshot()
	return task
}

// Working reports progress.
func (t *Turn) Working(text string) { t.status(a2a.Working, text) }

// Artifact adds a whole artifact, or replaces the one with its id. An artifact without an
// id gets one.
func (t *Turn) Artifact(a a2a.Artifact) { t.artifact(a, false, true) }

// Append adds a chunk to the artifact with a's id; last marks the last one. The first chunk
// creates the artifact.
func (t *Turn) Append(a a2a.Artifact, last bool) { t.artifact(a, true, last) }

// Ask ends the turn with a question. The answer is the message of the next turn.
func (t *Turn) Ask(text string) { t.status(a2a.InputRequired, text) }

// AskForm is Ask with a form: schema is the JSON Schema of an object, and is sent as data
// with the text.
func (t *Turn) AskForm(text string, schema json.RawMessage) {
	t.record.emit(t, func() a2a.Event {
		u := t.record.status(a2a.InputRequired, text)
		if u.Status.Message == nil {
			u.Status.Message = &a2a.Message{
				ID:        newID(),
				ContextID: u.ContextID,
				TaskID:    u.TaskID,
				Role:      a2a.RoleAgent,
			}
		}
		u.Status.Message.Parts = append(
			u.Status.Message.Parts,
			a2a.Part{Content: a2a.Data(schema), MediaType: "application/schema+json"},
		)
		return u
	})
}

// AskAuth ends the turn until the caller has given the authorization that text describes.
func (t *Turn) AskAuth(text string) { t.status(a2a.AuthRequired, text) }

// Complete ends the task; what it produced is in its artifacts.
func (t *Turn) Complete(text string) { t.status(a2a.Completed, text) }

// Fail ends the task and says why.
func (t *Turn) Fail(text string) { t.status(a2a.Failed, text) }

// Reject ends the task: the agent will not do what was asked.
func (t *Turn) Reject(text string) { t.status(a2a.Rejected, text) }

func (t *Turn) status(s a2a.State, text string) {
	t.record.emit(t, func() a2a.Event { return t.record.status(s, text) })
}

func (t *Turn) artifact(a a2a.Artifact, more, last bool) {
	if a.ID == "" {
		a.ID = newID()
	}
	t.record.emit(t, func() a2a.Event {
		known := t.record.has(a.ID)
		return &a2a.ArtifactUpdate{
			TaskID: t.record.task.ID, ContextID: t.record.contextID,
			Artifact: a, Append: more && known, LastChunk: last,
		}
	})
}

// has reports whether the task has an artifact with the id. It locks r.mu.
func (r *record) has(id string) bool {
	return slices.ContainsFunc(r.task.Artifacts, func(a a2a.Artifact) bool { return a.ID == id })
}
