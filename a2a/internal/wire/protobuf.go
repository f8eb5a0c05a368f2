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

// protobuf is the Codec of protocol buffers: lf.a2a.v1 or, for 0.3, a2a.v1. It encodes and decodes
// their JSON form with the codec of HTTP+JSON. The generated types convert between the two.
type protobuf struct {
	json  jsonCodec
	types messageTypes
}

// messageTypes are the generated types of one generation.
type messageTypes struct {
	send, event, task, query, list, page, pushSet, push, pushes, card proto.Message

	pushID func(Op) proto.Message
}

var typesV10 = messageTypes{
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

var typesV03 = messageTypes{
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

// fromJSON returns a function that turns a JSON form, or the error of the encoder, into a
// message of the type of m.
func fromJSON(m proto.Message) func([]byte, error) ([]byte, error) {
	return func(b []byte, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		m := m.ProtoReflect().New().Interface()
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxDepth}).Unmarshal(b, m); err != nil {
			return nil, err
		}
		return proto.Marshal(m)
	}
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

// params decodes the parameters of a call, a message of the type of m.
func params[T any](m proto.Message, b []byte, decode func([]byte) (T, error)) (T, error) {
	in, err := toJSON(m, b)
	if err != nil {
		var none T
		return none, badParams(err)
	}
	return decode(in)
}

// result decodes the result of a call, a message of the type of m.
func result[T any](m proto.Message, b []byte, decode func([]byte) (T, error)) (T, error) {
	in, err := toJSON(m, b)
	if err != nil {
		var none T
		return none, err
	}
	return decode(in)
}

// EncodeSend and DecodeSend convert a SendMessageRequest (Codec).
func (d protobuf) EncodeSend(r *a2a.SendRequest, e Envelope) ([]byte, error) {
	return fromJSON(d.types.send)(d.json.EncodeSend(r, e))
}

func (d protobuf) DecodeSend(b []byte) (*a2a.SendRequest, error) {
	return params(d.types.send, b, d.json.DecodeSend)
}

// EncodeQuery returns a GetTaskRequest, which begins as a CancelTaskRequest and a
// SubscribeToTaskRequest do (Codec).
func (d protobuf) EncodeQuery(q a2a.TaskQuery, tenant string) ([]byte, error) {
	return fromJSON(d.types.query)(d.json.EncodeQuery(q, tenant))
}

func (d protobuf) DecodeQuery(b []byte) (a2a.TaskQuery, error) {
	return params(d.types.query, b, d.json.DecodeQuery)
}

// EncodeTask and DecodeTask convert a Task (Codec).
func (d protobuf) EncodeTask(t *a2a.Task) ([]byte, error) {
	return fromJSON(d.types.task)(d.json.EncodeTask(t))
}

func (d protobuf) DecodeTask(b []byte) (*a2a.Task, error) {
	return result(d.types.task, b, d.json.DecodeTask)
}

// EncodeEvent and DecodeEvent convert a StreamResponse (Codec). A SendMessageResponse is
// one with fewer members.
func (d protobuf) EncodeEvent(e a2a.Event) ([]byte, error) {
	return fromJSON(d.types.event)(d.json.EncodeEvent(e))
}

func (d protobuf) DecodeAnswer(b []byte) (Item, error) { return d.DecodeEvent(b) }

func (d protobuf) DecodeEvent(b []byte) (Item, error) {
	return result(d.types.event, b, d.json.DecodeEvent)
}

// EncodeList and DecodeList convert a ListTasksRequest, which only 1.0 has (Codec).
func (d protobuf) EncodeList(f a2a.TaskFilter, tenant string) ([]byte, error) {
	return fromJSON(d.types.list)(d.json.EncodeList(f, tenant))
}

func (d protobuf) DecodeList(b []byte) (a2a.TaskFilter, error) {
	return params(d.types.list, b, d.json.DecodeList)
}

// EncodePage and DecodePage convert a ListTasksResponse (Codec).
func (d protobuf) EncodePage(p *a2a.TaskPage) ([]byte, error) {
	return fromJSON(d.types.page)(d.json.EncodePage(p))
}

func (d protobuf) DecodePage(b []byte) (*a2a.TaskPage, error) {
	return result(d.types.page, b, d.json.DecodePage)
}

// EncodePushSet and DecodePushSet convert a TaskPushNotificationConfig or, in 0.3, a
// CreateTaskPushNotificationConfigRequest (Codec).
func (d protobuf) EncodePushSet(c *a2a.PushConfig, tenant string) ([]byte, error) {
	return fromJSON(d.types.pushSet)(d.json.EncodePushSet(c, tenant))
}

func (d protobuf) DecodePushSet(b []byte, path PushID) (*a2a.PushConfig, error) {
	return params(d.types.pushSet, b, func(b []byte) (*a2a.PushConfig, error) { return d.json.DecodePushSet(b, path) })
}

// EncodePush and DecodePush convert a TaskPushNotificationConfig (Codec).
func (d protobuf) EncodePush(c *a2a.PushConfig) ([]byte, error) {
	return fromJSON(d.types.push)(d.json.EncodePush(c))
}

func (d protobuf) DecodePush(b []byte, asked PushID) (*a2a.PushConfig, error) {
	return result(d.types.push, b, func(b []byte) (*a2a.PushConfig, error) { return d.json.DecodePush(b, asked) })
}

// EncodePushID and DecodePushID convert the request of op that names a config (Codec).
func (d protobuf) EncodePushID(op Op, id PushID, tenant string) ([]byte, error) {
	return fromJSON(d.types.pushID(op))(d.json.EncodePushID(op, id, tenant))
}

func (d protobuf) DecodePushID(op Op, b []byte, path PushID) (PushID, error) {
	return params(d.types.pushID(op), b, func(b []byte) (PushID, error) { return d.json.DecodePushID(op, b, path) })
}

// EncodePushes and DecodePushes convert the list of a task's configs (Codec).
func (d protobuf) EncodePushes(cs []*a2a.PushConfig) ([]byte, error) {
	return fromJSON(d.types.pushes)(d.json.EncodePushes(cs))
}

func (d protobuf) DecodePushes(b []byte, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	return result(d.types.pushes, b, func(b []byte) ([]*a2a.PushConfig, error) { return d.json.DecodePushes(b, task) })
}

// EncodeCardQuery returns a GetExtendedAgentCardRequest (Codec).
func (d protobuf) EncodeCardQuery(tenant string) ([]byte, error) {
	return fromJSON(d.types.card)(d.json.EncodeCardQuery(tenant))
}
