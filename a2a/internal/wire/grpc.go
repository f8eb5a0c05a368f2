package wire

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"rialto/a2a"
)

// v10grpc is A2A 1.0 over gRPC: the protocol buffers lf.a2a.v1.
var v10grpc = Dialect{
	Generation: a2a.V10,
	Versioned:  true,
	Replays:    true,
	methods:    v10.methods,
	errors:     numbers,
	reasons:    reasonArray,
	service:    "lf.a2a.v1.A2AService",
	Codec:      protobufV10{codecV10Proto},
	rareCodec:  rareCodec{codecV10Proto},
}

// v03grpc is A2A 0.3 over gRPC: the protocol buffers a2a.v1 as they were last. A
// call names its task as a resource.
var v03grpc = Dialect{
	Generation: a2a.V03,
	methods: []method{
		{Send, "SendMessage"},
		{Stream, "SendStreamingMessage"},
		{Task, "GetTask"},
		{Cancel, "CancelTask"},
		{Subscribe, "TaskSubscription"},
		{PushSet, "CreateTaskPushNotificationConfig"},
		{PushGet, "GetTaskPushNotificationConfig"},
		{PushList, "ListTaskPushNotificationConfig"},
		{PushDelete, "DeleteTaskPushNotificationConfig"},
		{ExtendedCard, "GetAgentCard"},
	},
	errors:    numbers,
	service:   "a2a.v1.A2AService",
	Codec:     codecV03Proto,
	rareCodec: rareCodec{codecV03Proto},
}

// GRPCDialects returns the dialects of the binding gRPC, the newest first.
func GRPCDialects() []*Dialect { return []*Dialect{&v10grpc, &v03grpc} }

// GRPCPath returns the full name of op in d, as it stands in the path of a call.
func (d *Dialect) GRPCPath(op Op) string { return "/" + d.service + "/" + d.Method(op) }

// GRPCRoute finds the call whose full name ends path. A prefix, such as
// an agent's path, is ignored.
func GRPCRoute(path string) (*Dialect, Op, bool) {
	at := max(0, strings.LastIndexByte(path, '/'))
	for _, d := range GRPCDialects() {
		if place, found := strings.CutSuffix(path[:at], d.service); found &&
			strings.HasSuffix(place, "/") {
			op, ok := d.Op(path[at+1:])
			return d, op, ok
		}
	}
	return nil, 0, false
}

// GRPCTenant returns the tenant that the message of a call names. Calls of 0.3 name none.
func GRPCTenant(path string, message []byte) string {
	d, op, ok := GRPCRoute(path)
	if !ok || d != &v10grpc {
		return ""
	}
	at := protowire.Number(1)
	if op == PushList {
		at = 4
	}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, message[n:])
		if size < 0 {
			break
		}
		if number == at && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[n:])
			return string(value)
		}
		message = message[n+size:]
	}
	return ""
}
