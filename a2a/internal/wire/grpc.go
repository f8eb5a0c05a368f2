package wire

import (
	"strings"

	"rialto/a2a"
)

// v03grpc is A2A 0.3 over gRPC, in the JSON form of its messages: the protocol
// buffers a2a.v1 as they were last. A call names its task as a resource.
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
	errors:     numbers,
	speller:    spell03rest{parts: true},
	decodeSend: decodeSend03rest,
	boxed:      true,
	service:    "a2a.v1.A2AService",
}

// taskResource begins the name of a task in v03grpc.
const taskResource = "tasks/"

// GRPCDialects returns the dialects of the binding gRPC, the newest first.
func GRPCDialects() []*Dialect { return []*Dialect{&v10, &v03grpc} }

// GRPCPath returns the full name of op in d, as it stands in the path of a call.
func (d *Dialect) GRPCPath(op Op) string { return "/" + d.service + "/" + d.Method(op) }

// GRPCRoute finds the call whose full name ends path. What stands before, an
// agent's place, does not matter.
func GRPCRoute(path string) (*Dialect, Op, bool) {
	for _, d := range GRPCDialects() {
		if at := strings.LastIndex(path, "/"+d.service+"/"); at >= 0 {
			op, ok := d.Op(path[at+len(d.service)+2:])
			return d, op, ok
		}
	}
	return nil, 0, false
}
