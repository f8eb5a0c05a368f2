package wire

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"rialto/a2a"
)

// Item is an event of a stream and, before 1.0, whether it is the last.
type Item struct {
	Event a2a.Event

	// Final is set for status updates only: some servers set it on artifacts long before the end.
	Final bool
}

// Done reports whether i is the last item of its stream.
func (i Item) Done() bool {
	switch e := i.Event.(type) {
	case *a2a.Message:
		return true
	case *a2a.Task:
		return e.Status.State.Idle()
	case *a2a.StatusUpdate:
		return i.Final || e.Status.State.Idle()
	default:
		return false
	}
}

// Ends reports whether e is the last event of a stream. Before 1.0 that is the one that a task pauses
// with, which has "final". Since then a stream may go on after it (section 7.6.1).
func (d *Dialect) Ends(e a2a.Event) bool {
	if _, alone := e.(*a2a.Message); alone {
		return true
	}
	s := a2a.StateOf(e)
	if s.Interrupted() {
		return !d.Replays
	}
	return s.Terminal()
}

// DecodeEvent reads an event of a stream. A stream of 0.1 has no tasks: a status update
// without "final" only looks like one.
func (d jsonCodec) DecodeEvent(result []byte) (Item, error) {
	item, err := d.DecodeAnswer(result)
	t, ok := item.Event.(*a2a.Task)
	if ok && d.callersName && len(t.Artifacts) == 0 && len(t.History) == 0 {
		item.Event = &a2a.StatusUpdate{
			TaskID:    t.ID,
			ContextID: t.ContextID,
			Status:    t.Status,
			Metadata:  t.Metadata,
		}
	}
	return item, err
}

func (d jsonCodec) DecodeAnswer(result []byte) (Item, error) {
	return d.decodeItem(eventBody, result)
}

// decodeItem reads the result of a call that is answered by an event or a task.
func (d jsonCodec) decodeItem(kind body, result []byte) (Item, error) {
	result, err := d.json(kind, result)
	if err != nil {
		return Item{}, err
	}
	var o object
	if err := unmarshal(result, &o); err != nil {
		return Item{}, err
	}
	item, err := o.item()
	if d.boxed {
		unboxEvent(item.Event)
	}
	return item, err
}

// DecodeTask reads the result of a call that is answered by a task, bare or in
// the envelope that some servers put around it.
func (d jsonCodec) DecodeTask(result []byte) (*a2a.Task, error) {
	item, err := d.decodeItem(taskBody, result)
	if err != nil {
		return nil, err
	}
	t, ok := item.Event.(*a2a.Task)
	if !ok {
		return nil, errors.New("the answer is not a task")
	}
	return t, nil
}

// The errors of incomplete answers.
var (
	errNoEvent    = errors.New("it is not a task, message, status update or artifact update")
	errNoTaskID   = errors.New("a task without an id")
	errNoArtifact = errors.New("an artifact update without an artifact")
)

// object is a task, message, status update or artifact update of any
// generation, or an envelope around one: the union of their members.
type object struct {
	Kind string `json:"kind"`

	// Envelopes, since the protocol buffers of 0.3.
	Task           *object `json:"task"`
	Message        *object `json:"message"`
	StatusUpdate   *object `json:"statusUpdate"`
	ArtifactUpdate *object `json:"artifactUpdate"`

	ID        taskID       `json:"id"`
	TaskID    string       `json:"taskId"`
	ContextID string       `json:"contextId"`
	SessionID string       `json:"sessionId"` // what 0.1 calls a context
	Metadata  metadata     `json:"metadata"`
	Status    *status      `json:"status"`
	Artifacts []artifact   `json:"artifacts"`
	History   []*object    `json:"history"`
	Artifact  *artifact    `json:"artifact"`
	Append    bool         `json:"append"`
	LastChunk bool         `json:"lastChunk"`
	Final     *bool        `json:"final"`
	MessageID string       `json:"messageId"`
	Role      role         `json:"role"`
	Parts     parts        `json:"parts"`
	Content   parts        `json:"content"` // what the protocol buffers of 0.3 call parts
	Refs      []a2a.TaskID `json:"referenceTaskIds"`
	Exts      []string     `json:"extensions"`
}

type status struct {
	State     state     `json:"state"`
	Message   *said     `json:"message"`
	Timestamp timestamp `json:"timestamp"`
}

// said is the message of a status, which some agents send as its text alone.
type said object

func (s *said) UnmarshalJSON(b []byte) error {
	text := lenientString(b)
	if text == "" {
		return json.Unmarshal(b, (*object)(s))
	}
	s.Role = role(a2a.RoleAgent)
	return json.Unmarshal(fmt.Appendf(nil, `[{"text":%s}]`, b), &s.Parts)
}

type artifact struct {
	ID          string   `json:"artifactId"`
	Index       *int     `json:"index"` // what 0.1 has instead of an id
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Parts       parts    `json:"parts"`
	Metadata    metadata `json:"metadata"`
	Extensions  []string `json:"extensions"`
	Append      bool     `json:"append"`    // 0.1 has these two
	LastChunk   bool     `json:"lastChunk"` // in the artifact
}

// The kinds of 0.2 and 0.3, which name the four objects here whatever the generation.
const (
	kindTask     = "task"
	kindMessage  = "message"
	kindStatus   = "status-update"
	kindArtifact = "artifact-update"
)

// kind returns the kind of o, by its member or by which members it has.
func (o *object) kind() string {
	switch o.Kind {
	case kindTask, kindMessage, kindStatus, kindArtifact:
		return o.Kind
	}
	switch {
	case o.Artifact != nil:
		return kindArtifact
	case o.Status != nil && (o.TaskID != "" || o.Final != nil):
		return kindStatus
	case o.Status != nil:
		return kindTask
	case o.Parts != nil || o.Content != nil:
		return kindMessage
	default:
		return ""
	}
}

func (o *object) item() (Item, error) {
	switch {
	case o.Task != nil:
		return wrap(o.Task.task())
	case o.Message != nil:
		return wrap(o.Message.answer())
	case o.StatusUpdate != nil:
		return o.StatusUpdate.statusUpdate()
	case o.ArtifactUpdate != nil:
		return wrap(o.ArtifactUpdate.artifactUpdate())
	}
	switch o.kind() {
	case kindTask:
		return wrap(o.task())
	case kindMessage:
		return wrap(o.answer())
	case kindStatus:
		return o.statusUpdate()
	case kindArtifact:
		return wrap(o.artifactUpdate())
	default:
		return Item{}, errNoEvent
	}
}

func wrap[E a2a.Event](e E, err error) (Item, error) {
	if err != nil {
		return Item{}, err
	}
	return Item{Event: e}, nil
}

func (o *object) task() (*a2a.Task, error) {
	if o.ID.text == "" {
		return nil, errNoTaskID
	}
	status, err := o.Status.toDomain()
	if err != nil {
		return nil, err
	}
	artifacts, err := decodeEach("artifacts", o.Artifacts, func(i int, a artifact) (a2a.Artifact, error) {
		return a.toDomain(i)
	})
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(o.Artifacts, func(a artifact) bool { return a.ID == "" }) {
		makeUnique(artifacts, func(i int) bool { return o.Artifacts[i].ID == "" })
	}
	history, err := decodeEach("history", o.History, func(_ int, m *object) (a2a.Message, error) {
		if m == nil {
			return a2a.Message{}, nil
		}
		answer, err := m.answer()
		if err != nil {
			return a2a.Message{}, err
		}
		return *answer, nil
	})
	// A null in the list is no message; the others have an id.
	history = slices.DeleteFunc(history, func(m a2a.Message) bool { return m.ID == "" })
	if err != nil {
		return nil, err
	}
	return &a2a.Task{
		ID:        a2a.TaskID(o.ID.text),
		ContextID: cmp.Or(o.ContextID, o.SessionID),
		Status:    status,
		Artifacts: artifacts,
		History:   history,
		Metadata:  a2a.Metadata(o.Metadata),
	}, nil
}

// decodeEach decodes the elements of a list. An error names the element.
func decodeEach[T, U any](list string, in []T, decode func(i int, v T) (U, error)) ([]U, error) {
	if len(in) == 0 {
		return nil, nil
	}
	out := make([]U, len(in))
	for i, v := range in {
		u, err := decode(i, v)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", list, i, err)
		}
		out[i] = u
	}
	return out, nil
}

// makeUnique gives an artifact without an id its position as id if an earlier artifact
// has the same name: some servers of 0.1 number all of them 0.
func makeUnique(all []a2a.Artifact, unnamed func(i int) bool) {
	taken := make(map[string]bool, len(all))
	for i := range all {
		id := &all[i].ID
		if taken[*id] && unnamed(i) {
			*id = NumberedArtifact(i)
		}
		taken[*id] = true
	}
}

// answer reads o as a message of an agent. In 0.1 messages have no ids, which every later
// generation requires.
func (o *object) answer() (*a2a.Message, error) {
	m, err := o.message(true)
	if err == nil && m.ID == "" {
		m.ID = contentID(m)
	}
	return m, err
}

// contentID returns an id for a message without one. It is a hash of the content, so it
// is the same when the message is read again.
func contentID(m *a2a.Message) string {
	b, _ := json.Marshal(m) // what was read from JSON has a JSON form
	sum := sha256.Sum256(b)
	return "message-" + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// message reads o as a message. It keeps parts that we cannot read as data, or refuses them.
func (o *object) message(keepUnknown bool) (*a2a.Message, error) {
	ps := o.Parts
	if ps == nil {
		ps = o.Content
	}
	parts, err := ps.toDomain(keepUnknown)
	if err != nil {
		return nil, err
	}
	return &a2a.Message{
		ID:               o.MessageID,
		ContextID:        o.ContextID,
		TaskID:           a2a.TaskID(o.TaskID),
		Role:             a2a.Role(o.Role),
		Parts:            parts,
		Metadata:         a2a.Metadata(o.Metadata),
		ReferenceTaskIDs: o.Refs,
		Extensions:       o.Exts,
	}, nil
}

func (o *object) statusUpdate() (Item, error) {
	s, err := o.Status.toDomain()
	if err != nil {
		return Item{}, err
	}
	u := &a2a.StatusUpdate{
		TaskID:    o.taskID(),
		ContextID: o.ContextID,
		Status:    s,
		Metadata:  a2a.Metadata(o.Metadata),
	}
	return Item{Event: u, Final: o.Final != nil && *o.Final}, nil
}

func (o *object) artifactUpdate() (*a2a.ArtifactUpdate, error) {
	if o.Artifact == nil {
		return nil, errNoArtifact
	}
	a, err := o.Artifact.toDomain(0)
	if err != nil {
		return nil, err
	}
	return &a2a.ArtifactUpdate{
		TaskID:    o.taskID(),
		ContextID: o.ContextID,
		Artifact:  a,
		Append:    o.Append || o.Artifact.Append,
		LastChunk: o.LastChunk || o.Artifact.LastChunk,
		Metadata:  a2a.Metadata(o.Metadata),
	}, nil
}

// taskID returns the task that an update is about, which 0.1 calls id. Some samples of
// its specification put the number of the request there, which names no task.
func (o *object) taskID() a2a.TaskID {
	if o.TaskID == "" && !o.ID.number {
		return a2a.TaskID(o.ID.text)
	}
	return a2a.TaskID(o.TaskID)
}

func (s *status) toDomain() (a2a.Status, error) {
	if s == nil {
		return a2a.Status{State: a2a.Unknown}, nil
	}
	out := a2a.Status{State: a2a.State(s.State), Timestamp: time.Time(s.Timestamp)}
	if out.State == "" {
		out.State = a2a.Unknown
	}
	if s.Message == nil {
		return out, nil
	}
	m, err := (*object)(s.Message).answer()
	if err != nil {
		return out, fmt.Errorf("status.message: %w", err)
	}
	out.Message = m
	return out, nil
}

// toDomain returns the artifact that a is. One without an id gets its number or
// name as such, so that its chunks find each other; i is its place in the list.
func (a *artifact) toDomain(i int) (a2a.Artifact, error) {
	parts, err := a.Parts.toDomain(true)
	if err != nil {
		return a2a.Artifact{}, err
	}
	id := cmp.Or(a.ID, a.Name)
	if a.ID == "" && a.Index != nil {
		id = NumberedArtifact(*a.Index)
	}
	if id == "" {
		id = NumberedArtifact(i)
	}
	return a2a.Artifact{
		ID:          id,
		Name:        a.Name,
		Description: a.Description,
		Parts:       parts,
		Metadata:    a2a.Metadata(a.Metadata),
		Extensions:  a.Extensions,
	}, nil
}
