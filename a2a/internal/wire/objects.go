package wire

import (
	"encoding/json"

	"rialto/a2a"
)

// Since 0.2 the objects of the generations differ by few members, so they share these types.

type messageDoc struct {
	Kind             string       `json:"kind,omitempty"`
	MessageID        string       `json:"messageId"`
	ContextID        string       `json:"contextId,omitempty"`
	TaskID           a2a.TaskID   `json:"taskId,omitempty"`
	Role             string       `json:"role"`
	Parts            []partDoc    `json:"parts,omitzero"`
	Content          []partDoc    `json:"content,omitzero"` // a2a.v1 before it was called parts
	Metadata         a2a.Metadata `json:"metadata,omitempty"`
	Extensions       []string     `json:"extensions,omitempty"`
	ReferenceTaskIDs []a2a.TaskID `json:"referenceTaskIds,omitempty"`
}

type partDoc struct {
	Kind      string          `json:"kind,omitempty"`
	Type      string          `json:"type,omitempty"` // 0.1
	Text      *string         `json:"text,omitempty"`
	File      *fileDoc        `json:"file,omitempty"` // before 1.0
	Raw       *[]byte         `json:"raw,omitempty"`
	URL       *string         `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Metadata  a2a.Metadata    `json:"metadata,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
}

type fileDoc struct {
	Name       string  `json:"name,omitempty"`
	MimeType   string  `json:"mimeType,omitempty"`
	Bytes      *[]byte `json:"bytes,omitempty"`
	URI        *string `json:"uri,omitempty"`
	ProtoBytes *[]byte `json:"fileWithBytes,omitempty"`
	ProtoURI   *string `json:"fileWithUri,omitempty"`
}

type artifactDoc struct {
	ArtifactID  string       `json:"artifactId"`
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []partDoc    `json:"parts"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
	Extensions  []string     `json:"extensions,omitempty"`
}

type statusDoc struct {
	State     string      `json:"state"`
	Message   *messageDoc `json:"message,omitempty"`
	Timestamp string      `json:"timestamp,omitempty"`
}

type taskDoc struct {
	Kind      string        `json:"kind,omitempty"`
	ID        a2a.TaskID    `json:"id"`
	ContextID *string       `json:"contextId,omitempty"`
	Status    statusDoc     `json:"status"`
	Artifacts []artifactDoc `json:"artifacts,omitempty"`
	History   []messageDoc  `json:"history,omitempty"`
	Metadata  a2a.Metadata  `json:"metadata,omitempty"`
}

type statusUpdateDoc struct {
	Kind      string       `json:"kind,omitempty"`
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Status    statusDoc    `json:"status"`
	Final     *bool        `json:"final,omitempty"` // before 1.0
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdateDoc struct {
	Kind      string       `json:"kind,omitempty"`
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Artifact  artifactDoc  `json:"artifact"`
	Append    bool         `json:"append,omitempty"`
	LastChunk bool         `json:"lastChunk,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

// eventDoc is a StreamResponse of protocol buffers: one of its members is present.
type eventDoc struct {
	Task           any `json:"task,omitempty"`
	Message        any `json:"message,omitempty"`
	StatusUpdate   any `json:"statusUpdate,omitempty"`
	ArtifactUpdate any `json:"artifactUpdate,omitempty"`
}

// schema is the schema of one generation and binding. It encodes the objects.
type schema int

const (
	schemaV03     schema = iota // 0.2 and 0.3 over JSON-RPC, where objects have a kind
	schemaV03REST               // the JSON form of a2a.v1 as servers of 0.3 over HTTP+JSON have it
	schemaV03GRPC               // with the members that a2a.v1 got last, which those may refuse
	schemaV10                   // the JSON form of lf.a2a.v1
)

// kind returns name, which only JSON-RPC writes.
func (s schema) kind(name string) string {
	if s == schemaV03 {
		return name
	}
	return ""
}

func (s schema) event(event a2a.Event) any {
	var doc eventDoc
	var bare any
	switch e := event.(type) {
	case *a2a.Task:
		bare = s.task(e)
		doc.Task = bare
	case *a2a.Message:
		bare = s.message(*e)
		doc.Message = bare
	case *a2a.StatusUpdate:
		bare = s.statusUpdate(e)
		doc.StatusUpdate = bare
	case *a2a.ArtifactUpdate:
		bare = artifactUpdateDoc{
			Kind:      s.kind(kindArtifact),
			TaskID:    e.TaskID,
			ContextID: e.ContextID,
			Artifact:  s.artifact(e.Artifact),
			Append:    e.Append,
			LastChunk: e.LastChunk,
			Metadata:  e.Metadata,
		}
		doc.ArtifactUpdate = bare
	}

	if s == schemaV03 {
		return bare
	}

	return doc
}

func (s schema) statusUpdate(u *a2a.StatusUpdate) statusUpdateDoc {
	doc := statusUpdateDoc{
		Kind:      s.kind(kindStatus),
		TaskID:    u.TaskID,
		ContextID: u.ContextID,
		Status:    s.status(u.Status),
		Metadata:  u.Metadata,
	}
	if s != schemaV10 {
		doc.Final = new(u.Status.State.Idle())
	}

	return doc
}

func (s schema) task(t *a2a.Task) any {
	doc := taskDoc{
		Kind:      s.kind(kindTask),
		ID:        t.ID,
		Status:    s.status(t.Status),
		Artifacts: each(t.Artifacts, s.artifact),
		History:   each(t.History, s.message),
		Metadata:  t.Metadata,
	}
	if t.ContextID != "" || s != schemaV10 {
		doc.ContextID = &t.ContextID
	}

	return doc
}

func (s schema) status(in a2a.Status) statusDoc {
	doc := statusDoc{State: stateV1(in.State), Timestamp: formatTime(in.Timestamp)}
	switch {
	case s == schemaV03:
		doc.State = string(in.State)
	case s != schemaV10 && in.State == a2a.Canceled:
		doc.State = "TASK_STATE_CANCELLED"
	}

	if in.Message != nil {
		doc.Message = new(s.message(*in.Message))
	}

	return doc
}

func (s schema) message(m a2a.Message) messageDoc {
	doc := messageDoc{
		Kind:             s.kind(kindMessage),
		MessageID:        m.ID,
		ContextID:        m.ContextID,
		TaskID:           m.TaskID,
		Role:             roleV1(m.Role),
		Parts:            filled(each(m.Parts, s.part)),
		Metadata:         m.Metadata,
		Extensions:       m.Extensions,
		ReferenceTaskIDs: m.ReferenceTaskIDs,
	}
	switch s {
	case schemaV03:
		doc.Role = roleV0(m.Role)
	case schemaV03REST:
		doc.Parts, doc.Content, doc.ReferenceTaskIDs = nil, doc.Parts, nil
	}

	return doc
}

func (s schema) artifact(a a2a.Artifact) artifactDoc {
	return artifactDoc{
		ArtifactID:  a.ID,
		Name:        a.Name,
		Description: a.Description,
		Parts:       filled(each(a.Parts, s.part)),
		Metadata:    a.Metadata,
		Extensions:  a.Extensions,
	}
}

func (s schema) part(p a2a.Part) partDoc {
	if s == schemaV10 {
		return partV10(p)
	}
	return s.partV03(p)
}
