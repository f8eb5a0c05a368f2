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
	errors:    numbers,
	reasons:   reasonArray,
	Codec:     codecV10,
	PushCodec: codecV10,
}

var codecV10 = jsonCodec{generation: a2a.V10, encoder: encodeV10{}}

type encodeV10 struct{}

type sendV10 struct {
	Tenant        string       `json:"tenant,omitempty"`
	Message       messageV10   `json:"message"`
	Configuration configV10    `json:"configuration"`
	Metadata      a2a.Metadata `json:"metadata,omitempty"`
}

// configV10 always says whether to wait: servers disagree about the default.
type configV10 struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitempty"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	ReturnImmediately   bool     `json:"returnImmediately"`
	Push                *pushDoc `json:"taskPushNotificationConfig,omitempty"`
}

type messageV10 struct {
	MessageID        string       `json:"messageId"`
	ContextID        string       `json:"contextId,omitempty"`
	TaskID           a2a.TaskID   `json:"taskId,omitempty"`
	Role             string       `json:"role"`
	Parts            []partV10    `json:"parts"`
	Metadata         a2a.Metadata `json:"metadata,omitempty"`
	Extensions       []string     `json:"extensions,omitempty"`
	ReferenceTaskIDs []a2a.TaskID `json:"referenceTaskIds,omitempty"`
}

type partV10 struct {
	Text      *string         `json:"text,omitempty"`
	Raw       *[]byte         `json:"raw,omitempty"`
	URL       *string         `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Metadata  a2a.Metadata    `json:"metadata,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
}

type artifactV10 struct {
	ArtifactID  string       `json:"artifactId"`
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []partV10    `json:"parts"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
	Extensions  []string     `json:"extensions,omitempty"`
}

type statusV10 struct {
	State     string      `json:"state"`
	Message   *messageV10 `json:"message,omitempty"`
	Timestamp string      `json:"timestamp,omitempty"`
}

type taskV10 struct {
	ID        a2a.TaskID    `json:"id"`
	ContextID string        `json:"contextId,omitempty"`
	Status    statusV10     `json:"status"`
	Artifacts []artifactV10 `json:"artifacts,omitempty"`
	History   []messageV10  `json:"history,omitempty"`
	Metadata  a2a.Metadata  `json:"metadata,omitempty"`
}

type statusUpdateV10 struct {
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Status    statusV10    `json:"status"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdateV10 struct {
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Artifact  artifactV10  `json:"artifact"`
	Append    bool         `json:"append,omitempty"`
	LastChunk bool         `json:"lastChunk,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

// eventV10 is a StreamResponse, and with its first two members a SendMessageResponse.
type eventV10 struct {
	Task           *taskV10           `json:"task,omitempty"`
	Message        *messageV10        `json:"message,omitempty"`
	StatusUpdate   *statusUpdateV10   `json:"statusUpdate,omitempty"`
	ArtifactUpdate *artifactUpdateV10 `json:"artifactUpdate,omitempty"`
}

func (s encodeV10) send(r *a2a.SendRequest, e Envelope) any {
	push := newPush(r.Push, true)
	if push != nil {
		push.TaskID = string(r.Push.TaskID)
	}
	return sendV10{
		Tenant:        e.Tenant,
		Message:       s.message(*r.Message),
		Configuration: configV10{r.AcceptedOutputModes, r.HistoryLength, r.ReturnImmediately, push},
		Metadata:      r.Metadata,
	}
}

func (s encodeV10) task(t *a2a.Task) any { return s.wholeTask(t) }

func (s encodeV10) event(e a2a.Event) any {
	var out eventV10
	switch e := e.(type) {
	case *a2a.Task:
		t := s.wholeTask(e)
		out.Task = &t
	case *a2a.Message:
		m := s.message(*e)
		out.Message = &m
	case *a2a.StatusUpdate:
		out.StatusUpdate = &statusUpdateV10{e.TaskID, e.ContextID, s.status(e.Status), e.Metadata}
	case *a2a.ArtifactUpdate:
		out.ArtifactUpdate = &artifactUpdateV10{e.TaskID, e.ContextID, s.artifact(e.Artifact), e.Append, e.LastChunk, e.Metadata}
	}
	return out
}

func (s encodeV10) wholeTask(t *a2a.Task) taskV10 {
	return taskV10{
		ID:        t.ID,
		ContextID: t.ContextID,
		Status:    s.status(t.Status),
		Artifacts: each(t.Artifacts, s.artifact),
		History:   each(t.History, s.message),
		Metadata:  t.Metadata,
	}
}

func (s encodeV10) status(in a2a.Status) statusV10 {
	out := statusV10{State: stateV1(in.State), Timestamp: formatTime(in.Timestamp)}
	if in.Message != nil {
		m := s.message(*in.Message)
		out.Message = &m
	}
	return out
}

func (s encodeV10) message(m a2a.Message) messageV10 {
	return messageV10{
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

func (s encodeV10) artifact(a a2a.Artifact) artifactV10 {
	return artifactV10{a.ID, a.Name, a.Description, filled(each(a.Parts, s.part)), a.Metadata, a.Extensions}
}

func (encodeV10) part(p a2a.Part) partV10 {
	out := partV10{Metadata: p.Metadata, Filename: p.Filename, MediaType: p.MediaType}
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
