package wire

import (
	"encoding/json"

	"rialto/a2a"
)

// v10 is A2A 1.0: the JSON form of the protocol buffers lf.a2a.v1.
var v10 = Dialect{
	Generation: a2a.V10,
	Versioned:  true,
	Replays:    true,
	methods: []method{
		{Send, "SendMessage"},
		{Stream, "SendStreamingMessage"},
		{Task, "GetTask"},
		{Cancel, "CancelTask"},
		{Subscribe, "SubscribeToTask"},
		{List, "ListTasks"},
		{PushSet, "CreateTaskPushNotificationConfig"},
		{PushGet, "GetTaskPushNotificationConfig"},
		{PushList, "ListTaskPushNotificationConfigs"},
		{PushList, "ListTaskPushNotificationConfig"}, // of the release candidates
		{PushDelete, "DeleteTaskPushNotificationConfig"},
		{ExtendedCard, "GetExtendedAgentCard"},
	},
	errors:  numbers,
	reasons: reasonArray,
	Codec:   jsonCodec{generation: a2a.V10, speller: spell10{}, decodeSend: decodeSend},
}

type spell10 struct{}

type send10 struct {
	Tenant        string       `json:"tenant,omitempty"`
	Message       message10    `json:"message"`
	Configuration config10     `json:"configuration"`
	Metadata      a2a.Metadata `json:"metadata,omitempty"`
}

// config10 says in so many words whether to wait: servers disagree about the
// default.
type config10 struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitempty"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	ReturnImmediately   bool     `json:"returnImmediately"`
	Push                *push10  `json:"taskPushNotificationConfig,omitempty"`
}

type message10 struct {
	MessageID        string       `json:"messageId"`
	ContextID        string       `json:"contextId,omitempty"`
	TaskID           a2a.TaskID   `json:"taskId,omitempty"`
	Role             string       `json:"role"`
	Parts            []part10     `json:"parts"`
	Metadata         a2a.Metadata `json:"metadata,omitempty"`
	Extensions       []string     `json:"extensions,omitempty"`
	ReferenceTaskIDs []a2a.TaskID `json:"referenceTaskIds,omitempty"`
}

type part10 struct {
	Text      *string         `json:"text,omitempty"`
	Raw       *[]byte         `json:"raw,omitempty"`
	URL       *string         `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Metadata  a2a.Metadata    `json:"metadata,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
}

type artifact10 struct {
	ArtifactID  string       `json:"artifactId"`
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []part10     `json:"parts"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
	Extensions  []string     `json:"extensions,omitempty"`
}

type status10 struct {
	State     string     `json:"state"`
	Message   *message10 `json:"message,omitempty"`
	Timestamp string     `json:"timestamp,omitempty"`
}

type task10 struct {
	ID        a2a.TaskID   `json:"id"`
	ContextID string       `json:"contextId,omitempty"`
	Status    status10     `json:"status"`
	Artifacts []artifact10 `json:"artifacts,omitempty"`
	History   []message10  `json:"history,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type statusUpdate10 struct {
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Status    status10     `json:"status"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdate10 struct {
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Artifact  artifact10   `json:"artifact"`
	Append    bool         `json:"append,omitempty"`
	LastChunk bool         `json:"lastChunk,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

// event10 is a StreamResponse, and with its first two members a
// SendMessageResponse.
type event10 struct {
	Task           *task10           `json:"task,omitempty"`
	Message        *message10        `json:"message,omitempty"`
	StatusUpdate   *statusUpdate10   `json:"statusUpdate,omitempty"`
	ArtifactUpdate *artifactUpdate10 `json:"artifactUpdate,omitempty"`
}

func (s spell10) send(r *a2a.SendRequest, e Envelope) any {
	return send10{
		Tenant:        e.Tenant,
		Message:       s.message(*r.Message),
		Configuration: config10{r.AcceptedOutputModes, r.HistoryLength, r.ReturnImmediately, inlinePush10(r)},
		Metadata:      r.Metadata,
	}
}

func (s spell10) task(t *a2a.Task) any { return s.wholeTask(t) }

func (s spell10) event(e a2a.Event) any {
	var out event10
	switch e := e.(type) {
	case *a2a.Task:
		t := s.wholeTask(e)
		out.Task = &t
	case *a2a.Message:
		m := s.message(*e)
		out.Message = &m
	case *a2a.StatusUpdate:
		out.StatusUpdate = &statusUpdate10{e.TaskID, e.ContextID, s.status(e.Status), e.Metadata}
	case *a2a.ArtifactUpdate:
		out.ArtifactUpdate = &artifactUpdate10{e.TaskID, e.ContextID, s.artifact(e.Artifact), e.Append, e.LastChunk, e.Metadata}
	}
	return out
}

func (s spell10) wholeTask(t *a2a.Task) task10 {
	return task10{
		ID:        t.ID,
		ContextID: t.ContextID,
		Status:    s.status(t.Status),
		Artifacts: each(t.Artifacts, s.artifact),
		History:   each(t.History, s.message),
		Metadata:  t.Metadata,
	}
}

func (s spell10) status(in a2a.Status) status10 {
	out := status10{State: stateV1(in.State), Timestamp: formatTime(in.Timestamp)}
	if in.Message != nil {
		m := s.message(*in.Message)
		out.Message = &m
	}
	return out
}

func (s spell10) message(m a2a.Message) message10 {
	return message10{
		MessageID:        m.ID,
		ContextID:        m.ContextID,
		TaskID:           m.TaskID,
		Role:             roleV1(m.Role),
		Parts:            filled(each(m.Parts, s.part)),
		Metadata:         m.Metadata,
		Extensions:       m.Extensions,
		ReferenceTaskIDs: m.ReferenceTaskIDs,
	}
}

func (s spell10) artifact(a a2a.Artifact) artifact10 {
	return artifact10{a.ID, a.Name, a.Description, filled(each(a.Parts, s.part)), a.Metadata, a.Extensions}
}

func (spell10) part(p a2a.Part) part10 {
	out := part10{Metadata: p.Metadata, Filename: p.Filename, MediaType: p.MediaType}
	switch c := p.Content.(type) {
	case a2a.Text:
		out.Text = (*string)(&c)
	case a2a.Raw:
		b := filled([]byte(c))
		out.Raw = &b
	case a2a.URL:
		out.URL = (*string)(&c)
	case a2a.Data:
		out.Data = json.RawMessage(c)
		if len(c) == 0 {
			out.Data = json.RawMessage("null")
		}
	}
	return out
}
