package wire

import (
	"bytes"
	"encoding/json"
	"errors"

	v03pb "github.com/a2aproject/a2a-go/a2apb"
	v10pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// messageTypes are the generated types of one generation for the bodies of its calls.
type messageTypes map[body]proto.Message

var typesV10 = messageTypes{
	sendBody:      &v10pb.SendMessageRequest{},
	eventBody:     &v10pb.StreamResponse{}, // a SendMessageResponse is one with fewer members
	taskBody:      &v10pb.Task{},
	queryBody:     &v10pb.GetTaskRequest{}, // begins as CancelTaskRequest and SubscribeToTaskRequest
	listBody:      &v10pb.ListTasksRequest{},
	pageBody:      &v10pb.ListTasksResponse{},
	pushSetBody:   &v10pb.TaskPushNotificationConfig{},
	pushBody:      &v10pb.TaskPushNotificationConfig{},
	pushesBody:    &v10pb.ListTaskPushNotificationConfigsResponse{},
	pushQueryBody: &v10pb.GetTaskPushNotificationConfigRequest{},
	pushListBody:  &v10pb.ListTaskPushNotificationConfigsRequest{},
	cardQueryBody: &v10pb.GetExtendedAgentCardRequest{},
}

var typesV03 = messageTypes{
	sendBody:      &v03pb.SendMessageRequest{},
	eventBody:     &v03pb.StreamResponse{},
	taskBody:      &v03pb.Task{},
	queryBody:     &v03pb.GetTaskRequest{},
	listBody:      &v03pb.ListTasksRequest{},
	pageBody:      &v03pb.ListTasksResponse{},
	pushSetBody:   &v03pb.CreateTaskPushNotificationConfigRequest{},
	pushBody:      &v03pb.TaskPushNotificationConfig{},
	pushesBody:    &v03pb.ListTaskPushNotificationConfigResponse{},
	pushQueryBody: &v03pb.GetTaskPushNotificationConfigRequest{},
	pushListBody:  &v03pb.ListTaskPushNotificationConfigRequest{},
	cardQueryBody: &v03pb.GetAgentCardRequest{},
}

var errNotProtobuf = errors.New("not a valid message of protocol buffers")

// fromJSON returns the message of the type of m whose JSON form is b.
func fromJSON(m proto.Message, b []byte) ([]byte, error) {
	m = m.ProtoReflect().New().Interface()
	options := protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxDepth}
	if err := options.Unmarshal(b, m); err != nil {
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

func decodeProto(b []byte, m proto.Message) error {
	if !protoFits(b, m.ProtoReflect().Descriptor()) {
		return ErrTooMany
	}
	options := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxDepth}
	if options.Unmarshal(b, m) != nil {
		return errNotProtobuf
	}
	return nil
}
