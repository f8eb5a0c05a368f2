package wire

import (
	"encoding/json"

	"rialto/a2a"
)

// v03 is A2A 0.3 over JSON-RPC: objects that say their kind. Its REST and gRPC
// bindings spell differently, by protocol buffers.
var v03 = Dialect{
	Generation: a2a.V03,
	methods: []method{
		{Send, "message/send"},
		{Stream, "message/stream"},
		{Task, "tasks/get"},
		{Cancel, "tasks/cancel"},
		{Subscribe, "tasks/resubscribe"},
		{PushSet, "tasks/pushNotificationConfig/set"},
		{PushGet, "tasks/pushNotificationConfig/get"},
		{PushList, "tasks/pushNotificationConfig/list"},
		{PushDelete, "tasks/pushNotificationConfig/delete"},
		{ExtendedCard, "agent/getAuthenticatedExtendedCard"},
	},
	errors: numbers,
	Codec:  jsonCodec{generation: a2a.V03, speller: spell03{}, decodeSend: decodeSend},
}

type spell03 struct{}

// send03 has no place for a tenant.
type send03 struct {
	Message       message03    `json:"message"`
	Configuration config03     `json:"configuration"`
	Metadata      a2a.Metadata `json:"metadata,omitempty"`
}

type config03 struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitempty"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	Blocking            bool     `json:"blocking"`
	Push                *push03  `json:"pushNotificationConfig,omitempty"`
}

type message03 struct {
	Kind             string       `json:"kind"`
	MessageID        string       `json:"messageId"`
	ContextID        string       `json:"contextId,omitempty"`
	TaskID           a2a.TaskID   `json:"taskId,omitempty"`
	Role             string       `json:"role"`
	Parts            []part03     `json:"parts"`
	Metadata         a2a.Metadata `json:"metadata,omitempty"`
	Extensions       []string     `json:"extensions,omitempty"`
	ReferenceTaskIDs []a2a.TaskID `json:"referenceTaskIds,omitempty"`
}

type part03 struct {
	Kind     string          `json:"kind"`
	Text     *string         `json:"text,omitempty"`
	File     *file03         `json:"file,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Metadata a2a.Metadata    `json:"metadata,omitempty"`
}

type file03 struct {
	Name     string  `json:"name,omitempty"`
	MimeType string  `json:"mimeType,omitempty"`
	Bytes    *[]byte `json:"bytes,omitempty"`
	URI      *string `json:"uri,omitempty"`
}

type artifact03 struct {
	ArtifactID  string       `json:"artifactId"`
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []part03     `json:"parts"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
	Extensions  []string     `json:"extensions,omitempty"`
}

type status03 struct {
	State     a2a.State  `json:"state"`
	Message   *message03 `json:"message,omitempty"`
	Timestamp string     `json:"timestamp,omitempty"`
}

type task03 struct {
	Kind      string       `json:"kind"`
	ID        a2a.TaskID   `json:"id"`
	ContextID string       `json:"contextId"`
	Status    status03     `json:"status"`
	Artifacts []artifact03 `json:"artifacts,omitempty"`
	History   []message03  `json:"history,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type statusUpdate03 struct {
	Kind      string       `json:"kind"`
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Status    status03     `json:"status"`
	Final     bool         `json:"final"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdate03 struct {
	Kind      string       `json:"kind"`
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Artifact  artifact03   `json:"artifact"`
	Append    bool         `json:"append,omitempty"`
	LastChunk bool         `json:"lastChunk,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

func (s spell03) send(r *a2a.SendRequest, _ Envelope) any {
	return send03{
		Message:       s.message(*r.Message),
		Configuration: config03{r.AcceptedOutputModes, r.HistoryLength, !r.ReturnImmediately, inlinePush03(r)},
		Metadata:      r.Metadata,
	}
}

func (s spell03) event(e a2a.Event) any {
	switch e := e.(type) {
	case *a2a.Task:
		return s.task(e)
	case *a2a.Message:
		return s.message(*e)
	case *a2a.StatusUpdate:
		return statusUpdate03{kindStatus, e.TaskID, e.ContextID, s.status(e.Status), e.Status.State.Settled(), e.Metadata}
	case *a2a.ArtifactUpdate:
		return artifactUpdate03{kindArtifact, e.TaskID, e.ContextID, s.artifact(e.Artifact), e.Append, e.LastChunk, e.Metadata}
	default:
		return nil
	}
}

func (s spell03) task(t *a2a.Task) any {
	return task03{
		Kind:      kindTask,
		ID:        t.ID,
		ContextID: t.ContextID,
		Status:    s.status(t.Status),
		Artifacts: each(t.Artifacts, s.artifact),
		History:   each(t.History, s.message),
		Metadata:  t.Metadata,
	}
}

func (s spell03) status(in a2a.Status) status03 {
	out := status03{State: in.State, Timestamp: formatTime(in.Timestamp)}
	if in.Message != nil {
		m := s.message(*in.Message)
		out.Message = &m
	}
	return out
}

func (s spell03) message(m a2a.Message) message03 {
	return message03{
		Kind:             kindMessage,
		MessageID:        m.ID,
		ContextID:        m.ContextID,
		TaskID:           m.TaskID,
		Role:             roleV0(m.Role),
		Parts:            filled(each(m.Parts, s.part)),
		Metadata:         m.Metadata,
		Extensions:       m.Extensions,
		ReferenceTaskIDs: m.ReferenceTaskIDs,
	}
}

func (s spell03) artifact(a a2a.Artifact) artifact03 {
	return artifact03{a.ID, a.Name, a.Description, filled(each(a.Parts, s.part)), a.Metadata, a.Extensions}
}

// part has no place for the media type and name of text and data.
func (spell03) part(p a2a.Part) part03 {
	out := part03{Metadata: p.Metadata}
	switch c := p.Content.(type) {
	case a2a.Text:
		out.Kind, out.Text = "text", (*string)(&c)
	case a2a.Raw:
		b := filled([]byte(c))
		out.Kind, out.File = "file", &file03{Name: p.Filename, MimeType: p.MediaType, Bytes: &b}
	case a2a.URL:
		out.Kind, out.File = "file", &file03{Name: p.Filename, MimeType: p.MediaType, URI: (*string)(&c)}
	case a2a.Data:
		out.Kind = "data"
		out.Data, out.Metadata = wrapValue(c, p.Metadata)
	}
	return out
}
