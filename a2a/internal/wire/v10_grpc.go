package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"rialto/a2a"
)

// protobufV10 is the Codec of A2A 1.0 over gRPC. It converts messages and tasks to the generated types
// directly: their JSON form in between would halve the rate of calls. All other operations use it.
type protobufV10 struct{ jsonCodec }

var codecV10Proto = jsonCodec{generation: a2a.V10, encoder: encodeV10{schemaV10}, types: typesV10}

// marshalProto returns the bytes of m. What the generated types refuse, such as text that
// is not UTF-8, is encoded by way of its JSON form, which replaces it.
func marshalProto(m proto.Message, err error, byJSON func() ([]byte, error)) ([]byte, error) {
	if err != nil {
		return byJSON()
	}
	b, err := proto.Marshal(m)
	if err != nil {
		return byJSON()
	}
	return b, nil
}

// EncodeSend returns a SendMessageRequest (Codec).
func (d protobufV10) EncodeSend(r *a2a.SendRequest, e Envelope) ([]byte, error) {
	if r.Push != nil { // which is rare
		return d.jsonCodec.EncodeSend(r, e)
	}

	var c protoEncoder
	message := c.message(r.Message)
	m := &pb.SendMessageRequest{
		Tenant:  e.Tenant,
		Message: message,
		Configuration: &pb.SendMessageConfiguration{
			AcceptedOutputModes: r.AcceptedOutputModes,
			HistoryLength:       optional[int32](r.HistoryLength),
			ReturnImmediately:   r.ReturnImmediately,
		},
		Metadata: c.object(r.Metadata),
	}
	return marshalProto(m, c.err, func() ([]byte, error) { return d.jsonCodec.EncodeSend(r, e) })
}

// DecodeSend reads a SendMessageRequest (Codec).
func (d protobufV10) DecodeSend(b []byte) (*a2a.SendRequest, error) {
	var m pb.SendMessageRequest
	if err := decodeProto(b, &m); err != nil {
		return nil, invalidParams("params: %v", err)
	}

	switch {
	case m.Configuration.GetTaskPushNotificationConfig() != nil:
		return d.jsonCodec.DecodeSend(b)
	case m.Message == nil:
		return nil, errNoMessage
	case m.Message.MessageId == "":
		return nil, errNoMessageID
	}

	message, err := messageFromProto(m.Message, false)
	if err != nil {
		return nil, a2a.InvalidParam("message", "is invalid: %v", err)
	}

	r := &a2a.SendRequest{
		Message:             &message,
		AcceptedOutputModes: m.Configuration.GetAcceptedOutputModes(),
		ReturnImmediately:   m.Configuration.GetReturnImmediately(),
		Metadata:            objectFromProto(m.Metadata),
	}
	if c := m.Configuration; c != nil {
		r.HistoryLength = optional[int](c.HistoryLength)
	}
	if err := checkHistory(r.HistoryLength); err != nil {
		return nil, err
	}

	return r, validateMessage(r.Message)
}

// EncodeTask returns a Task (Codec).
func (d protobufV10) EncodeTask(t *a2a.Task) ([]byte, error) {
	var c protoEncoder
	m := c.task(t)
	return marshalProto(m, c.err, func() ([]byte, error) { return d.jsonCodec.EncodeTask(t) })
}

func (d protobufV10) DecodeTask(b []byte) (*a2a.Task, error) {
	var m pb.Task
	if err := decodeProto(b, &m); err != nil {
		return nil, err
	}
	return taskFromProto(&m)
}

// EncodeEvent returns a StreamResponse (Codec). A SendMessageResponse is one with fewer members.
func (d protobufV10) EncodeEvent(e a2a.Event) ([]byte, error) {
	var c protoEncoder
	m := &pb.StreamResponse{}
	switch e := e.(type) {
	case *a2a.Task:
		m.Payload = &pb.StreamResponse_Task{Task: c.task(e)}
	case *a2a.Message:
		m.Payload = &pb.StreamResponse_Message{Message: c.message(e)}
	case *a2a.StatusUpdate:
		m.Payload = &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
			TaskId:    string(e.TaskID),
			ContextId: e.ContextID,
			Status:    c.status(&e.Status),
			Metadata:  c.object(e.Metadata),
		}}
	case *a2a.ArtifactUpdate:
		m.Payload = &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
			TaskId: string(e.TaskID), ContextId: e.ContextID, Artifact: c.artifact(&e.Artifact),
			Append: e.Append, LastChunk: e.LastChunk, Metadata: c.object(e.Metadata),
		}}
	}

	return marshalProto(m, c.err, func() ([]byte, error) { return d.jsonCodec.EncodeEvent(e) })
}

func (d protobufV10) DecodeAnswer(b []byte) (Item, error) { return d.DecodeEvent(b) }

func (d protobufV10) DecodeEvent(b []byte) (Item, error) {
	var m pb.StreamResponse
	if err := decodeProto(b, &m); err != nil {
		return Item{}, err
	}
	switch p := m.Payload.(type) {
	case *pb.StreamResponse_Task:
		return wrap(taskFromProto(p.Task))
	case *pb.StreamResponse_Message:
		m, err := answerFromProto(p.Message)
		return wrap(&m, err)
	case *pb.StreamResponse_StatusUpdate:
		u := p.StatusUpdate
		s, err := statusFromProto(u.Status)
		return wrap(&a2a.StatusUpdate{
			TaskID:    a2a.TaskID(u.TaskId),
			ContextID: u.ContextId,
			Status:    s,
			Metadata:  objectFromProto(u.Metadata),
		}, err)
	case *pb.StreamResponse_ArtifactUpdate:
		return wrap(artifactUpdateFromProto(p.ArtifactUpdate))
	default:
		return Item{}, errNoEvent
	}
}

// protoEncoder converts to the generated types. It keeps the first error.
type protoEncoder struct{ err error }

func (c *protoEncoder) task(t *a2a.Task) *pb.Task {
	m := &pb.Task{
		Id:        string(t.ID),
		ContextId: t.ContextID,
		Status:    c.status(&t.Status),
		Metadata:  c.object(t.Metadata),
	}
	for i := range t.Artifacts {
		m.Artifacts = append(m.Artifacts, c.artifact(&t.Artifacts[i]))
	}

	for i := range t.History {
		m.History = append(m.History, c.message(&t.History[i]))
	}

	return m
}

func (c *protoEncoder) status(s *a2a.Status) *pb.TaskStatus {
	m := &pb.TaskStatus{State: pb.TaskState(pb.TaskState_value[stateV1(s.State)])}
	if s.Message != nil {
		m.Message = c.message(s.Message)
	}
	if !s.Timestamp.IsZero() {
		m.Timestamp = timestamppb.New(s.Timestamp.Truncate(time.Millisecond))
	}
	return m
}

func (c *protoEncoder) message(in *a2a.Message) *pb.Message {
	m := &pb.Message{
		MessageId:  in.ID,
		ContextId:  in.ContextID,
		TaskId:     string(in.TaskID),
		Role:       pb.Role_ROLE_USER,
		Parts:      c.parts(in.Parts),
		Metadata:   c.object(in.Metadata),
		Extensions: in.Extensions,
	}
	if in.Role == a2a.RoleAgent {
		m.Role = pb.Role_ROLE_AGENT
	}

	m.ReferenceTaskIds = each(in.ReferenceTaskIDs, func(id a2a.TaskID) string { return string(id) })
	return m
}

func (c *protoEncoder) artifact(a *a2a.Artifact) *pb.Artifact {
	return &pb.Artifact{
		ArtifactId: a.ID, Name: a.Name, Description: a.Description,
		Parts: c.parts(a.Parts), Metadata: c.object(a.Metadata), Extensions: a.Extensions,
	}
}

func (c *protoEncoder) parts(parts []a2a.Part) []*pb.Part {
	all := make([]*pb.Part, len(parts))
	for i := range parts {
		p := &parts[i]
		m := &pb.Part{Metadata: c.object(p.Metadata), Filename: p.Filename, MediaType: p.MediaType}
		switch content := p.Content.(type) {
		case a2a.Text:
			m.Content = &pb.Part_Text{Text: string(content)}
		case a2a.Raw:
			m.Content = &pb.Part_Raw{Raw: content}
		case a2a.URL:
			m.Content = &pb.Part_Url{Url: string(content)}
		case a2a.Data:
			m.Content = &pb.Part_Data{Data: c.data(content)}
		}
		all[i] = m
	}

	return all
}

func (c *protoEncoder) data(d a2a.Data) *structpb.Value {
	var v any
	if len(d) > 0 {
		c.check(json.Unmarshal(d, &v))
	}
	m, err := structpb.NewValue(v)
	c.check(err)
	return m
}

func (c *protoEncoder) object(m a2a.Metadata) *structpb.Struct {
	if len(m) == 0 {
		return nil
	}
	s, err := structpb.NewStruct(m)
	c.check(err)
	return s
}

func (c *protoEncoder) check(err error) { c.err = errors.Join(c.err, err) }

func taskFromProto(m *pb.Task) (*a2a.Task, error) {
	if m.Id == "" {
		return nil, errNoTaskID
	}

	status, err := statusFromProto(m.Status)
	if err != nil {
		return nil, err
	}

	artifacts, err := decodeEach("artifacts", m.Artifacts, artifactFromProto)
	if err != nil {
		return nil, err
	}

	makeUnique(artifacts, func(i int) bool { return m.Artifacts[i].ArtifactId == "" })
	history, err := decodeEach("history", m.History, func(_ int, h *pb.Message) (a2a.Message, error) {
		return answerFromProto(h)
	})
	if err != nil {
		return nil, err
	}

	return &a2a.Task{
		ID:        a2a.TaskID(m.Id),
		ContextID: m.ContextId,
		Status:    status,
		Artifacts: artifacts,
		History:   history,
		Metadata:  objectFromProto(m.Metadata),
	}, nil
}

func statusFromProto(m *pb.TaskStatus) (a2a.Status, error) {
	s := a2a.Status{State: stateOf(m.GetState().String())}
	if ts := m.GetTimestamp(); ts != nil && ts.IsValid() {
		s.Timestamp = ts.AsTime()
	}
	if m.GetMessage() == nil {
		return s, nil
	}

	answer, err := answerFromProto(m.Message)
	s.Message = &answer
	return s, err
}

// answerFromProto reads a message of an agent. One without an id gets one.
func answerFromProto(m *pb.Message) (a2a.Message, error) {
	answer, err := messageFromProto(m, true)
	if err == nil && answer.ID == "" {
		answer.ID = contentID(&answer)
	}
	return answer, err
}

func messageFromProto(m *pb.Message, keepUnknown bool) (a2a.Message, error) {
	parts, err := partsFromProto(m.Parts, keepUnknown)
	out := a2a.Message{
		ID:        m.MessageId,
		ContextID: m.ContextId,
		TaskID:    a2a.TaskID(m.TaskId),
		Parts:     parts,
		Metadata:  objectFromProto(m.Metadata),
		ReferenceTaskIDs: each(
			m.ReferenceTaskIds, func(id string) a2a.TaskID { return a2a.TaskID(id) },
		),
		Extensions: m.Extensions,
	}
	switch m.Role {
	case pb.Role_ROLE_USER:
		out.Role = a2a.RoleUser
	case pb.Role_ROLE_AGENT:
		out.Role = a2a.RoleAgent
	}

	return out, err
}

func artifactUpdateFromProto(m *pb.TaskArtifactUpdateEvent) (*a2a.ArtifactUpdate, error) {
	if m.Artifact == nil {
		return nil, errNoArtifact
	}

	a, err := artifactFromProto(0, m.Artifact)
	return &a2a.ArtifactUpdate{
		TaskID:    a2a.TaskID(m.TaskId),
		ContextID: m.ContextId,
		Artifact:  a,
		Append:    m.Append,
		LastChunk: m.LastChunk,
		Metadata:  objectFromProto(m.Metadata),
	}, err
}

func artifactFromProto(i int, m *pb.Artifact) (a2a.Artifact, error) {
	parts, err := partsFromProto(m.Parts, true)
	return a2a.Artifact{
		ID:          cmp.Or(m.ArtifactId, m.Name, NumberedArtifact(i)),
		Name:        m.Name,
		Description: m.Description,
		Parts:       parts,
		Metadata:    objectFromProto(m.Metadata),
		Extensions:  m.Extensions,
	}, err
}

func partsFromProto(in []*pb.Part, keepUnknown bool) ([]a2a.Part, error) {
	return decodeEach("parts", in, func(_ int, m *pb.Part) (a2a.Part, error) {
		return partFromProto(m, keepUnknown)
	})
}

func partFromProto(m *pb.Part, keepUnknown bool) (a2a.Part, error) {
	out := a2a.Part{
		Filename:  m.Filename,
		MediaType: m.MediaType,
		Metadata:  objectFromProto(m.Metadata),
	}
	switch content := m.Content.(type) {
	case *pb.Part_Text:
		out.Content = a2a.Text(content.Text)
	case *pb.Part_Raw:
		out.Content = a2a.Raw(filled(content.Raw))
	case *pb.Part_Url:
		out.Content = a2a.URL(content.Url)
	case *pb.Part_Data:
		data, err := dataFromProto(content.Data)
		if err != nil {
			return out, err
		}
		out.Content = data
		unwrapValue(&out)
	default:
		if !keepUnknown {
			return out, errNoContent
		}
		whole, err := json.Marshal(
			partDoc{Metadata: out.Metadata, Filename: m.Filename, MediaType: m.MediaType},
		)
		return unknownPart(whole), err
	}

	return out, nil
}

// dataFromProto returns the JSON form of v, whose objects are sorted by name.
func dataFromProto(v *structpb.Value) (a2a.Data, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v.AsInterface())
	return a2a.Data(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

func objectFromProto(s *structpb.Struct) a2a.Metadata {
	if s == nil {
		return nil
	}
	return s.AsMap()
}

// optional converts a number that may be missing.
func optional[To, From int | int32](n *From) *To {
	if n == nil {
		return nil
	}
	return new(To(*n))
}
