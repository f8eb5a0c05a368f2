package wire

import (
	"encoding/json"

	"rialto/a2a"
)

// v03 is A2A 0.3 over JSON-RPC, whose objects have a kind. HTTP+JSON and gRPC have
// the protocol buffers a2a.v1 instead (v03_rest.go).
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
	errors:    numbers,
	Codec:     codecV03,
	PushCodec: codecV03,
}

var codecV03 = jsonCodec{generation: a2a.V03, encoder: encodeV03{}}

// encodeV03 encodes for A2A 0.3.
type encodeV03 struct {
	proto  bool // as the JSON form of a2a.v1
	latest bool // with the members that a2a.v1 got last, which servers over HTTP+JSON may refuse
}

// sendV03 has no place for a tenant.
type sendV03 struct {
	Message       messageV03   `json:"message"`
	Configuration configV03    `json:"configuration"`
	Metadata      a2a.Metadata `json:"metadata,omitempty"`
}

type configV03 struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitzero"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	Blocking            bool     `json:"blocking"`
	Push                *pushDoc `json:"pushNotificationConfig,omitempty"`
	ProtoPush           *pushDoc `json:"pushNotification,omitempty"`
}

type messageV03 struct {
	Kind             string       `json:"kind,omitempty"`
	MessageID        string       `json:"messageId"`
	ContextID        string       `json:"contextId,omitempty"`
	TaskID           a2a.TaskID   `json:"taskId,omitempty"`
	Role             string       `json:"role"`
	Parts            []partV03    `json:"parts,omitzero"`
	Content          []partV03    `json:"content,omitzero"` // a2a.v1 before it was called parts
	Metadata         a2a.Metadata `json:"metadata,omitempty"`
	Extensions       []string     `json:"extensions,omitempty"`
	ReferenceTaskIDs []a2a.TaskID `json:"referenceTaskIds,omitempty"`
}

type partV03 struct {
	Kind     string          `json:"kind,omitempty"`
	Type     string          `json:"type,omitempty"` // 0.1
	Text     *string         `json:"text,omitempty"`
	File     *fileV03        `json:"file,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Metadata a2a.Metadata    `json:"metadata,omitempty"`
}

type fileV03 struct {
	Name       string  `json:"name,omitempty"`
	MimeType   string  `json:"mimeType,omitempty"`
	Bytes      *[]byte `json:"bytes,omitempty"`
	URI        *string `json:"uri,omitempty"`
	ProtoBytes *[]byte `json:"fileWithBytes,omitempty"`
	ProtoURI   *string `json:"fileWithUri,omitempty"`
}

type artifactV03 struct {
	ArtifactID  string       `json:"artifactId"`
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []partV03    `json:"parts"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
	Extensions  []string     `json:"extensions,omitempty"`
}

type statusV03 struct {
	State     string      `json:"state"`
	Message   *messageV03 `json:"message,omitempty"`
	Timestamp string      `json:"timestamp,omitempty"`
}

type taskV03 struct {
	Kind      string        `json:"kind,omitempty"`
	ID        a2a.TaskID    `json:"id"`
	ContextID string        `json:"contextId"`
	Status    statusV03     `json:"status"`
	Artifacts []artifactV03 `json:"artifacts,omitempty"`
	History   []messageV03  `json:"history,omitempty"`
	Metadata  a2a.Metadata  `json:"metadata,omitempty"`
}

type statusUpdateV03 struct {
	Kind      string       `json:"kind,omitempty"`
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Status    statusV03    `json:"status"`
	Final     bool         `json:"final"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdateV03 struct {
	Kind      string       `json:"kind,omitempty"`
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Artifact  artifactV03  `json:"artifact"`
	Append    bool         `json:"append,omitempty"`
	LastChunk bool         `json:"lastChunk,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

// kind returns name, which only JSON-RPC writes.
func (e encodeV03) kind(name string) string {
	if e.proto {
		return ""
	}
	return name
}

func (e encodeV03) send(r *a2a.SendRequest, _ Envelope) any { return e.sendV03(r) }

func (e encodeV03) sendV03(r *a2a.SendRequest) sendV03 {
	c := configV03{AcceptedOutputModes: r.AcceptedOutputModes, HistoryLength: r.HistoryLength, Blocking: !r.ReturnImmediately}
	if push := newPush(r.Push, false); e.proto {
		c.ProtoPush = push
	} else {
		c.Push = push
	}
	return sendV03{e.message(*r.Message), c, r.Metadata}
}

func (e encodeV03) event(event a2a.Event) any {
	name, value := "", any(nil)
	switch v := event.(type) {
	case *a2a.Task:
		name, value = "task", e.task(v)
	case *a2a.Message:
		name, value = "message", e.message(*v)
	case *a2a.StatusUpdate:
		name, value = "statusUpdate", statusUpdateV03{e.kind(kindStatus), v.TaskID, v.ContextID, e.status(v.Status), v.Status.State.Idle(), v.Metadata}
	case *a2a.ArtifactUpdate:
		name, value = "artifactUpdate", artifactUpdateV03{e.kind(kindArtifact), v.TaskID, v.ContextID, e.artifact(v.Artifact), v.Append, v.LastChunk, v.Metadata}
	}
	if e.proto {
		return map[string]any{name: value}
	}
	return value
}

func (e encodeV03) task(t *a2a.Task) any {
	return taskV03{
		Kind:      e.kind(kindTask),
		ID:        t.ID,
		ContextID: t.ContextID,
		Status:    e.status(t.Status),
		Artifacts: each(t.Artifacts, e.artifact),
		History:   each(t.History, e.message),
		Metadata:  t.Metadata,
	}
}

func (e encodeV03) status(in a2a.Status) statusV03 {
	out := statusV03{State: string(in.State), Timestamp: formatTime(in.Timestamp)}
	switch {
	case e.proto && in.State == a2a.Canceled:
		out.State = "TASK_STATE_CANCELLED"
	case e.proto:
		out.State = stateV1(in.State)
	}
	if in.Message != nil {
		m := e.message(*in.Message)
		out.Message = &m
	}
	return out
}

func (e encodeV03) message(m a2a.Message) messageV03 {
	out := messageV03{
		Kind:             e.kind(kindMessage),
		MessageID:        m.ID,
		ContextID:        m.ContextID,
		TaskID:           m.TaskID,
		Role:             roleV0(m.Role),
		Parts:            filled(each(m.Parts, e.part)),
		Metadata:         m.Metadata,
		Extensions:       m.Extensions,
		ReferenceTaskIDs: m.ReferenceTaskIDs,
	}
	if e.proto {
		out.Role = roleV1(m.Role)
	}
	if e.proto && !e.latest {
		out.Parts, out.Content, out.ReferenceTaskIDs = nil, out.Parts, nil
	}
	return out
}

func (e encodeV03) artifact(a a2a.Artifact) artifactV03 {
	return artifactV03{a.ID, a.Name, a.Description, filled(each(a.Parts, e.part)), a.Metadata, a.Extensions}
}

// part has no place for the media type and name of text and data.
func (e encodeV03) part(p a2a.Part) partV03 {
	out := partV03{Metadata: p.Metadata}
	switch c := p.Content.(type) {
	case a2a.Text:
		out.Kind, out.Text = "text", (*string)(&c)
	case a2a.Raw:
		b := filled([]byte(c))
		out.Kind, out.File = "file", &fileV03{Name: p.Filename, MimeType: p.MediaType, Bytes: &b}
	case a2a.URL:
		out.Kind, out.File = "file", &fileV03{Name: p.Filename, MimeType: p.MediaType, URI: (*string)(&c)}
	case a2a.Data:
		out.Kind = "data"
		out.Data, out.Metadata = wrapValue(c, p.Metadata)
	}
	if e.proto {
		e.boxPart(&out)
	}
	return out
}

// boxPart makes p one of a2a.v1.
func (e encodeV03) boxPart(p *partV03) {
	p.Kind = ""
	if f := p.File; f != nil {
		f.ProtoBytes, f.ProtoURI, f.Bytes, f.URI = f.Bytes, f.URI, nil, nil
		if !e.latest {
			f.Name = ""
		}
	}
	if p.Data != nil {
		p.Data = append(append([]byte(`{"data":`), p.Data...), '}')
	}
	if !e.latest {
		p.Metadata = nil
	}
}
