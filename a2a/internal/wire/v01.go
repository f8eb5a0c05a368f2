package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/internal/jsonrpc"
)

// v01 is A2A 0.1, from before there were messages without a task: callers name
// the tasks, artifacts are told apart by their number, and events carry no kind.
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
	errors:  numbers01,
	reasons: reasonObject,
	Codec:   jsonCodec{generation: a2a.V01, callersName: true, speller: spell01{}, decodeSend: decodeSend01},
}

// numbers01 has the numbers that mean something else since 0.2.
var numbers01 = []errorNumber{
	{jsonrpc.CodeParse, a2a.ParseFailed},
	{jsonrpc.CodeInvalidRequest, a2a.InvalidRequest},
	{jsonrpc.CodeMethodNotFound, a2a.MethodNotFound},
	{jsonrpc.CodeInvalidParams, a2a.InvalidParams},
	{jsonrpc.CodeInternal, a2a.Internal},
	{-32001, a2a.TaskNotFound},
	{-32002, a2a.TaskNotCancelable},
	{-32003, a2a.PushNotSupported},
	{-32004, a2a.UnsupportedOperation},
	{-32005, a2a.ContentTypeNotSupported},
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
}

// The types of parts before 0.2 are its kinds.
type part01 struct {
	Type     string          `json:"type"`
	Text     *string         `json:"text,omitempty"`
	File     *file03         `json:"file,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Metadata a2a.Metadata    `json:"metadata,omitempty"`
}

type send01 struct {
	ID                  a2a.TaskID   `json:"id"`
	SessionID           string       `json:"sessionId,omitempty"`
	Message             message01    `json:"message"`
	AcceptedOutputModes []string     `json:"acceptedOutputModes,omitempty"`
	PushNotification    *push03      `json:"pushNotification,omitempty"`
	HistoryLength       *int         `json:"historyLength,omitempty"`
	Metadata            a2a.Metadata `json:"metadata,omitempty"`
}

type message01 struct {
	Role     string       `json:"role"`
	Parts    []part01     `json:"parts"`
	Metadata a2a.Metadata `json:"metadata,omitempty"`
}

type artifact01 struct {
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []part01     `json:"parts"`
	Index       int          `json:"index"`
	Append      bool         `json:"append,omitempty"`
	LastChunk   bool         `json:"lastChunk,omitempty"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
}

type status01 struct {
	State     a2a.State  `json:"state"`
	Message   *message01 `json:"message,omitempty"`
	Timestamp string     `json:"timestamp,omitempty"`
}

type task01 struct {
	ID        a2a.TaskID   `json:"id"`
	SessionID string       `json:"sessionId,omitempty"`
	Status    status01     `json:"status"`
	Artifacts []artifact01 `json:"artifacts,omitempty"`
	History   []message01  `json:"history,omitempty"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type statusUpdate01 struct {
	ID       a2a.TaskID   `json:"id"`
	Status   status01     `json:"status"`
	Final    bool         `json:"final"`
	Metadata a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdate01 struct {
	ID       a2a.TaskID   `json:"id"`
	Artifact artifact01   `json:"artifact"`
	Metadata a2a.Metadata `json:"metadata,omitempty"`
}

type spell01 struct{}

func (s spell01) send(r *a2a.SendRequest, e Envelope) any {
	id := r.Message.TaskID
	if id == "" {
		id = e.NewTask
	}
	return send01{
		ID:                  id,
		SessionID:           r.Message.ContextID,
		Message:             s.message(*r.Message),
		AcceptedOutputModes: r.AcceptedOutputModes,
		PushNotification:    inlinePush03(r),
		HistoryLength:       r.HistoryLength,
		Metadata:            r.Metadata,
	}
}

// event spells a message that belongs to no task as a task that is completed
// with it: this generation has no other answer.
func (s spell01) event(e a2a.Event) any {
	switch e := e.(type) {
	case *a2a.Task:
		return s.task(e)
	case *a2a.Message:
		return s.task(&a2a.Task{ID: e.TaskID, ContextID: e.ContextID, Status: a2a.Status{State: a2a.Completed, Message: e}})
	case *a2a.StatusUpdate:
		return statusUpdate01{e.TaskID, s.status(e.Status), e.Status.State.Settled(), e.Metadata}
	case *a2a.ArtifactUpdate:
		a := s.artifact(e.Artifact, 0)
		a.Append, a.LastChunk = e.Append, e.LastChunk
		return artifactUpdate01{e.TaskID, a, e.Metadata}
	default:
		return nil
	}
}

func (s spell01) task(t *a2a.Task) any {
	out := task01{
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

// status has no word for two of the states: a task that was rejected has
// failed, and one that wants authorization wants input.
func (s spell01) status(in a2a.Status) status01 {
	out := status01{State: in.State, Timestamp: formatTime(in.Timestamp)}
	switch in.State {
	case a2a.Rejected:
		out.State = a2a.Failed
	case a2a.AuthRequired:
		out.State = a2a.InputRequired
	}
	if in.Message != nil {
		m := s.message(*in.Message)
		out.Message = &m
	}
	return out
}

func (s spell01) message(m a2a.Message) message01 {
	return message01{roleV0(m.Role), filled(each(m.Parts, s.part)), m.Metadata}
}

func (spell01) part(p a2a.Part) part01 {
	out := spell03{}.part(p)
	return part01{out.Kind, out.Text, out.File, out.Data, out.Metadata}
}

// artifact numbers a by its id, if NumberedArtifact made that, or else by its
// place.
func (s spell01) artifact(a a2a.Artifact, place int) artifact01 {
	return artifact01{
		Name:        a.Name,
		Description: a.Description,
		Parts:       filled(each(a.Parts, s.part)),
		Index:       artifactNumber(a.ID, place),
		Metadata:    a.Metadata,
	}
}

const numberedArtifact = "artifact-"

// NumberedArtifact returns the id of an artifact that has only a number, as all
// have in 0.1.
func NumberedArtifact(n int) string { return numberedArtifact + strconv.Itoa(n) }

func artifactNumber(id string, otherwise int) int {
	digits, ok := strings.CutPrefix(id, numberedArtifact)
	if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 {
		return n
	}
	return otherwise
}

// decodeSend01 reads a request that names its task. Whether it starts or
// continues it is for the server to know. No history was asked for unless it
// says so.
func decodeSend01(params json.RawMessage) (*a2a.SendRequest, error) {
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
		return nil, a2a.Errorf(a2a.InvalidParams, "params.id is missing: it names the task")
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
	m.TaskID, m.ContextID = a2a.TaskID(in.ID), in.SessionID
	return &a2a.SendRequest{
		Message:             m,
		AcceptedOutputModes: in.AcceptedOutputModes,
		HistoryLength:       orNone(in.HistoryLength),
		Push:                push,
		Metadata:            a2a.Metadata(in.Metadata),
	}, nil
}

func orNone(n *int) *int {
	if n == nil {
		n = new(int)
	}
	return n
}
