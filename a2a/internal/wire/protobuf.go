package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	v03pb "github.com/a2aproject/a2a-go/a2apb"
	v10pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"rialto/a2a"
)

// protobuf is the Codec of protocol buffers: lf.a2a.v1 or, for 0.3, a2a.v1. It
// encodes and decodes their JSON form with the codec of HTTP+JSON. The generated
// types convert between the two.
type protobuf struct {
	json  jsonCodec
	types messageTypes
}

// messageTypes are the generated types of one generation.
type messageTypes struct {
	send, event, task, query, list, page, pushSet, push, pushes, card proto.Message

	pushID func(Op) proto.Message
}

var types10 = messageTypes{
	send:    &v10pb.SendMessageRequest{},
	event:   &v10pb.StreamResponse{},
	task:    &v10pb.Task{},
	query:   &v10pb.GetTaskRequest{},
	list:    &v10pb.ListTasksRequest{},
	page:    &v10pb.ListTasksResponse{},
	pushSet: &v10pb.TaskPushNotificationConfig{},
	push:    &v10pb.TaskPushNotificationConfig{},
	pushes:  &v10pb.ListTaskPushNotificationConfigsResponse{},
	card:    &v10pb.GetExtendedAgentCardRequest{},
	pushID: func(op Op) proto.Message {
		if op == PushList {
			return &v10pb.ListTaskPushNotificationConfigsRequest{}
		}
		return &v10pb.GetTaskPushNotificationConfigRequest{}
	},
}

var types03 = messageTypes{
	send:    &v03pb.SendMessageRequest{},
	event:   &v03pb.StreamResponse{},
	task:    &v03pb.Task{},
	query:   &v03pb.GetTaskRequest{},
	list:    &v03pb.ListTasksRequest{},
	page:    &v03pb.ListTasksResponse{},
	pushSet: &v03pb.CreateTaskPushNotificationConfigRequest{},
	push:    &v03pb.TaskPushNotificationConfig{},
	pushes:  &v03pb.ListTaskPushNotificationConfigResponse{},
	card:    &v03pb.GetAgentCardRequest{},
	pushID: func(op Op) proto.Message {
		if op == PushList {
			return &v03pb.ListTaskPushNotificationConfigRequest{}
		}
		return &v03pb.GetTaskPushNotificationConfigRequest{}
	},
}

var errNotProtobuf = errors.New("not a valid message of protocol buffers")

// fromJSON returns what the JSON form b says as a message of the type of m.
func fromJSON(m proto.Message, b []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	m = m.ProtoReflect().New().Interface()
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxDepth}).Unmarshal(b, m); err != nil {
		return nil, err
	}
	return proto.Marshal(m)
}

// toJSON returns the JSON form of a message of the type of m, without the spaces that
// protojson adds at random.
func toJSON(m proto.Message, b []byte) ([]byte, error) {
	m = m.ProtoReflect().New().Interface()
	if err := decodeProto(b, m); err != nil {
		return nil, err
	}
	out, err := protojson.Marshal(m)
	if err != nil { // a number that JSON does not have, or a time
		return nil, errNotProtobuf
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, out)
	return compact.Bytes(), err
}

// decodeProto reads b into m, which is empty.
func decodeProto(b []byte, m proto.Message) error {
	if !protoFits(b, m.ProtoReflect().Descriptor()) {
		return ErrTooMany
	}
	if (proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxDepth}).Unmarshal(b, m) != nil {
		return errNotProtobuf
	}
	return nil
}

// inside says where in a list something is wrong.
func inside(list string, i int, err error) error { return fmt.Errorf("%s[%d]: %w", list, i, err) }

// params returns the JSON form of the parameters of a call.
func params(m proto.Message, b []byte) ([]byte, error) {
	out, err := toJSON(m, b)
	if err != nil {
		return nil, badParams(err)
	}
	return out, nil
}

// EncodeSend returns a SendMessageRequest (Codec).
func (d protobuf) EncodeSend(r *a2a.SendRequest, e Envelope) ([]byte, error) {
	b, err := d.json.EncodeSend(r, e)
	return fromJSON(d.types.send, b, err)
}

// DecodeSend reads a SendMessageRequest (Codec).
func (d protobuf) DecodeSend(b []byte) (*a2a.SendRequest, error) {
	b, err := params(d.types.send, b)
	if err != nil {
		return nil, err
	}
	return d.json.DecodeSend(b)
}

// EncodeQuery returns a GetTaskRequest, which begins as a CancelTaskRequest and a
// SubscribeToTaskRequest do (Codec).
func (d protobuf) EncodeQuery(q a2a.TaskQuery, tenant string) ([]byte, error) {
	b, err := d.json.EncodeQuery(q, tenant)
	return fromJSON(d.types.query, b, err)
}

// DecodeQuery reads what EncodeQuery writes (Codec).
func (d protobuf) DecodeQuery(b []byte) (a2a.TaskQuery, error) {
	b, err := params(d.types.query, b)
	if err != nil {
		return a2a.TaskQuery{}, err
	}
	return d.json.DecodeQuery(b)
}

// EncodeTask returns a Task (Codec).
func (d protobuf) EncodeTask(t *a2a.Task) ([]byte, error) {
	b, err := d.json.EncodeTask(t)
	return fromJSON(d.types.task, b, err)
}

// DecodeTask reads a Task (Codec).
func (d protobuf) DecodeTask(b []byte) (*a2a.Task, error) {
	b, err := toJSON(d.types.task, b)
	if err != nil {
		return nil, err
	}
	return d.json.DecodeTask(b)
}

// EncodeEvent returns a StreamResponse (Codec). A SendMessageResponse is one with
// fewer members.
func (d protobuf) EncodeEvent(e a2a.Event) ([]byte, error) {
	b, err := d.json.EncodeEvent(e)
	return fromJSON(d.types.event, b, err)
}

// DecodeAnswer reads a SendMessageResponse (Codec).
func (d protobuf) DecodeAnswer(b []byte) (Item, error) { return d.DecodeEvent(b) }

// DecodeEvent reads a StreamResponse (Codec).
func (d protobuf) DecodeEvent(b []byte) (Item, error) {
	b, err := toJSON(d.types.event, b)
	if err != nil {
		return Item{}, err
	}
	return d.json.DecodeEvent(b)
}

// EncodeList returns a ListTasksRequest (Codec), which only 1.0 has.
func (d protobuf) EncodeList(f a2a.TaskFilter, tenant string) ([]byte, error) {
	b, err := d.json.EncodeList(f, tenant)
	return fromJSON(d.types.list, b, err)
}

// DecodeList reads a ListTasksRequest (Codec).
func (d protobuf) DecodeList(b []byte) (a2a.TaskFilter, error) {
	b, err := params(d.types.list, b)
	if err != nil {
		return a2a.TaskFilter{}, err
	}
	return d.json.DecodeList(b)
}

// EncodePage returns a ListTasksResponse (Codec).
func (d protobuf) EncodePage(p *a2a.TaskPage) ([]byte, error) {
	b, err := d.json.EncodePage(p)
	return fromJSON(d.types.page, b, err)
}

// DecodePage reads a ListTasksResponse (Codec).
func (d protobuf) DecodePage(b []byte) (*a2a.TaskPage, error) {
	b, err := toJSON(d.types.page, b)
	if err != nil {
		return nil, err
	}
	return d.json.DecodePage(b)
}

// EncodePushSet returns a TaskPushNotificationConfig or, in 0.3, a
// CreateTaskPushNotificationConfigRequest (Codec).
func (d protobuf) EncodePushSet(c *a2a.PushConfig, tenant string) ([]byte, error) {
	b, err := d.json.EncodePushSet(c, tenant)
	return fromJSON(d.types.pushSet, b, err)
}

// DecodePushSet reads what EncodePushSet writes (Codec).
func (d protobuf) DecodePushSet(b []byte, path PushID) (*a2a.PushConfig, error) {
	b, err := params(d.types.pushSet, b)
	if err != nil {
		return nil, err
	}
	return d.json.DecodePushSet(b, path)
}

// EncodePush returns a TaskPushNotificationConfig (Codec).
func (d protobuf) EncodePush(c *a2a.PushConfig) ([]byte, error) {
	b, err := d.json.EncodePush(c)
	return fromJSON(d.types.push, b, err)
}

// DecodePush reads a TaskPushNotificationConfig (Codec).
func (d protobuf) DecodePush(b []byte, asked PushID) (*a2a.PushConfig, error) {
	b, err := toJSON(d.types.push, b)
	if err != nil {
		return nil, err
	}
	return d.json.DecodePush(b, asked)
}

// EncodePushID returns id as the request that op has for it (Codec).
func (d protobuf) EncodePushID(op Op, id PushID, tenant string) ([]byte, error) {
	b, err := d.json.EncodePushID(op, id, tenant)
	return fromJSON(d.types.pushID(op), b, err)
}

// DecodePushID reads what EncodePushID writes (Codec).
func (d protobuf) DecodePushID(op Op, b []byte, path PushID) (PushID, error) {
	b, err := params(d.types.pushID(op), b)
	if err != nil {
		return PushID{}, err
	}
	return d.json.DecodePushID(op, b, path)
}

// EncodePushes returns the configs of a task (Codec).
func (d protobuf) EncodePushes(cs []*a2a.PushConfig) ([]byte, error) {
	b, err := d.json.EncodePushes(cs)
	return fromJSON(d.types.pushes, b, err)
}

// DecodePushes reads what EncodePushes writes (Codec).
func (d protobuf) DecodePushes(b []byte, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	b, err := toJSON(d.types.pushes, b)
	if err != nil {
		return nil, err
	}
	return d.json.DecodePushes(b, task)
}

// EncodeCardQuery returns a GetExtendedAgentCardRequest (Codec).
func (d protobuf) EncodeCardQuery(tenant string) ([]byte, error) {
	b, err := d.json.EncodeCardQuery(tenant)
	return fromJSON(d.types.card, b, err)
}
