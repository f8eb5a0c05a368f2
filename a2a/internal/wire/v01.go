package wire

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/internal/jsonrpc"
)

// v01 is A2A 0.1, which has no messages without a task: callers choose the ids of
// tasks, artifacts have numbers instead of ids, and events have no kind.
var v01 = Dialect{
	Generation:  a2a.V01,
	CallersName: true,
	methods: []method{
		{Send, "tasks/send"},
		{Stream, "tasks/sendSubscribe"},
		{Task, "tasks/get"},
		{Cancel, "tasks/cancel"},
		{Subscribe, "tasks/resubscribe"},
		{PushSet, "tasks/pushNotification/set"},
		{PushGet, "tasks/pushNotification/get"},
	},
	errors:    numbersV01,
	reasons:   reasonObject,
	Codec:     codecV01,
	rareCodec: rareCodec{codecV01},
}

var codecV01 = jsonCodec{generation: a2a.V01, callersName: true, encoder: encodeV01{}}

// numbersV01 has the numbers that mean something else since 0.2.
var numbersV01 = slices.Concat(basicNumbers, []errorNumber{
	{-32006, a2a.StreamingNotSupported},
	{-32007, a2a.Unauthenticated},
	{-32008, a2a.Forbidden},
	{-32009, a2a.InvalidTaskState},
	{-32010, a2a.RateLimited},
	{-32011, a2a.Unavailable},
	{-32004, a2a.ExtendedCardMissing},
	{-32004, a2a.ExtensionRequired},
	{-32004, a2a.VersionNotSupported},
	{jsonrpc.CodeInternal, a2a.InvalidAgentResponse},
})

type sendV01 struct {
	ID                  a2a.TaskID   `json:"id"`
	SessionID           string       `json:"sessionId,omitempty"`
	Message             messageV01   `json:"message"`
	AcceptedOutputModes []string     `json:"acceptedOutputModes,omitempty"`
	PushNotification    *pushDoc     `json:"pushNotification,omitempty"`
	HistoryLength       *int         `json:"historyLength,omitempty"`
	Metadata            a2a.Metadata `json:"metadata,omitempty"`
}

type messageV01 struct {
	Role     string       `json:"role"`
	Parts    []partDoc    `json:"parts"`
	Metadata a2a.Metadata `json:"metadata,omitempty"`
}

type artifactV01 struct {
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []partDoc    `json:"parts"`
	Index       int          `json:"index"`
	Append      bool         `json:"append,omitempty"`
	LastChunk   bool         `json:"lastChunk,omitempty"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
}

type statusV01 struct {
	State     a2a.State   `json:"state"`
	Message   *messageV01 `json:"message,omitempty"`
	Timestamp string      `json:"timestamp,omitempty"`
}

type taskV01 struct {
	ID        a2a.TaskID    `json:"id"`
	SessionID string        `json:"sessionId,omitempty"`
	Status    statusV01     `json:"status"`
	Artifacts []artifactV01 `json:"artifacts,omitempty"`
	History   []messageV01  `json:"history,omitempty"`
	Metadata  a2a.Metadata  `json:"metadata,omitempty"`
}

type statusUpdateV01 struct {
	ID       a2a.TaskID   `json:"id"`
	Status   statusV01    `json:"status"`
	Final    bool         `json:"final"`
	Metadata a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdateV01 struct {
	ID       a2a.TaskID   `json:"id"`
	Artifact artifactV01  `json:"artifact"`
	Metadata a2a.Metadata `json:"metadata,omitempty"`
}

type encodeV01 struct{}

func (s encodeV01) send(r *a2a.SendRequest, e Envelope) any {
	id := r.Message.TaskID
	if id == "" {
		id = e.NewTask
	}

	return sendV01{
		ID:                  id,
		SessionID:           r.Message.ContextID,
		Message:             s.message(*r.Message),
		AcceptedOutputModes: r.AcceptedOutputModes,
		PushNotification:    newPush(r.Push, false),
		HistoryLength:       r.HistoryLength,
		Metadata:            r.Metadata,
	}
}

// event encodes a message without a task as a completed task: this generation has no other answer.
func (s encodeV01) event(e a2a.Event) any {
	switch e := e.(type) {
	case *a2a.Task:
		return s.task(e)
	case *a2a.Message:
		return s.task(&a2a.Task{
			ID:        e.TaskID,
			ContextID: e.ContextID,
			Status:    a2a.Status{State: a2a.Completed, Message: e},
		})
	case *a2a.StatusUpdate:
		return statusUpdateV01{e.TaskID, s.status(e.Status), e.Status.State.Idle(), e.Metadata}
	case *a2a.ArtifactUpdate:
		a := s.artifact(e.Artifact, 0)
		a.Append = e.Append
		a.LastChunk = e.LastChunk
		return artifactUpdateV01{e.TaskID, a, e.Metadata}
	default:
		return nil
	}
}

func (s encodeV01) task(t *a2a.Task) any {
	out := taskV01{
		ID:        t.ID,
		SessionID: t.ContextID,
		Status:    s.status(t.Status),
		History:   each(t.History, s.message),
		Metadata:  t.Metadata,
	}
	for i, a := range t.Artifacts {
		out.Artifacts = append(out.Artifacts, s.artifact(a, i))
	}

	return out
}

// status lacks two of the states: a rejected task has failed, and one that requires
// authorization requires input.
func (s encodeV01) status(in a2a.Status) statusV01 {
	out := statusV01{State: in.State, Timestamp: formatTime(in.Timestamp)}
	switch in.State {
	case a2a.Rejected:
		out.State = a2a.Failed
	case a2a.AuthRequired:
		out.State = a2a.InputRequired
	}

	if in.Message != nil {
		out.Message = new(s.message(*in.Message))
	}

	return out
}

func (s encodeV01) message(m a2a.Message) messageV01 {
	return messageV01{roleV0(m.Role), filled(each(m.Parts, s.part)), m.Metadata}
}

// part has a type where later generations have a kind.
func (encodeV01) part(p a2a.Part) partDoc {
	out := schemaV03.part(p)
	out.Kind, out.Type = "", out.Kind
	return out
}

// artifact numbers a by its id, if NumberedArtifact made that, or else by its place.
func (s encodeV01) artifact(a a2a.Artifact, place int) artifactV01 {
	return artifactV01{
		Name:        a.Name,
		Description: a.Description,
		Parts:       filled(each(a.Parts, s.part)),
		Index:       artifactNumber(a.ID, place),
		Metadata:    a.Metadata,
	}
}

const numberedArtifact = "artifact-"

// NumberedArtifact returns the id of an artifact that has only a number, as all have in 0.1.
func NumberedArtifact(n int) string { return numberedArtifact + strconv.Itoa(n) }

func artifactNumber(id string, otherwise int) int {
	digits, ok := strings.CutPrefix(id, numberedArtifact)
	if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 {
		return n
	}
	return otherwise
}

// decodeSendV01 reads a request that names its task. Whether it starts or continues it is for the
// server to know. No history was asked for unless it says so.
func decodeSendV01(params []byte) (*a2a.SendRequest, error) {
	var in struct {
		ID                  string          `json:"id"`
		SessionID           string          `json:"sessionId"`
		Message             *object         `json:"message"`
		AcceptedOutputModes []string        `json:"acceptedOutputModes"`
		HistoryLength       *int            `json:"historyLength"`
		PushNotification    json.RawMessage `json:"pushNotification"`
		Metadata            metadata        `json:"metadata"`
	}
	if err := decodeParams(params, &in); err != nil {
		return nil, err
	}
	if in.ID == "" {
		return nil, errNoTask
	}

	push, err := decodeInlinePush(in.PushNotification)
	if err != nil {
		return nil, err
	}
	if err := checkHistory(in.HistoryLength); err != nil {
		return nil, err
	}

	m, err := in.Message.request()
	if err != nil {
		return nil, err
	}

	m.TaskID = a2a.TaskID(in.ID)
	m.ContextID = in.SessionID
	return &a2a.SendRequest{
		Message:             m,
		AcceptedOutputModes: in.AcceptedOutputModes,
		HistoryLength:       orZero(in.HistoryLength),
		Push:                push,
		Metadata:            a2a.Metadata(in.Metadata),
	}, nil
}

func orZero(n *int) *int {
	if n == nil {
		n = new(int)
	}
	return n
}
