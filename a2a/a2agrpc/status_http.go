package a2agrpc

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/anypb"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// statuses maps gRPC codes to HTTP. The table is ordered: the first row of a status is the
// code of an unexplained status. A failed precondition is a conflict, as in A2A 1.0.0.
var statuses = []struct {
	code   codes.Code
	status int
}{
	{codes.InvalidArgument, http.StatusBadRequest},
	{codes.OutOfRange, http.StatusBadRequest},
	{codes.AlreadyExists, http.StatusBadRequest},
	{codes.Unauthenticated, http.StatusUnauthorized},
	{codes.PermissionDenied, http.StatusForbidden},
	{codes.NotFound, http.StatusNotFound},
	{codes.FailedPrecondition, http.StatusConflict},
	{codes.ResourceExhausted, http.StatusTooManyRequests},
	{codes.ResourceExhausted, http.StatusRequestEntityTooLarge},
	{codes.Unimplemented, http.StatusNotImplemented},
	{codes.Unavailable, http.StatusServiceUnavailable},
	{codes.DeadlineExceeded, http.StatusGatewayTimeout},
}

func httpStatus(c codes.Code) int {
	for _, row := range statuses {
		if row.code == c {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// rpcStatus is a google.rpc.Status as the body of an error over HTTP+JSON.
type rpcStatus struct {
	Error struct {
		Code    int               `json:"code"` // of HTTP
		Status  string            `json:"status"`
		Message string            `json:"message"`
		Details []json.RawMessage `json:"details,omitempty"`
	} `json:"error"`
}

const (
	methodNotFound = "METHOD_NOT_FOUND"
	domain         = "a2a-protocol.org"
)

// encodeStatus returns the HTTP status and body for the status of a server.
func encodeStatus(st *status.Status) (int, []byte) {
	var out rpcStatus
	out.Error.Code = httpStatus(st.Code())
	out.Error.Status = code.Code(st.Code()).String()
	out.Error.Message = st.Message()
	for _, d := range st.Proto().GetDetails() {
		if b, err := protojson.Marshal(d); err == nil { // else it is of a type that we do not know
			out.Error.Details = append(out.Error.Details, b)
		}
	}

	if unknownMethod(st) {
		out.Error.Code = http.StatusNotFound
		out.Error.Details = append(out.Error.Details, detail(methodNotFound))
	}

	b, _ := json.Marshal(out) // strings, numbers and JSON
	return out.Error.Code, b
}

// unknownMethod tells a server without the method or service from an agent that does not
// support the operation: both have the same code. The texts are those of gRPC in Go, C,
// Java and JavaScript.
func unknownMethod(st *status.Status) bool {
	if st.Code() != codes.Unimplemented || len(st.Proto().GetDetails()) > 0 {
		return false
	}

	texts := []string{
		"unknown service",
		"unknown method",
		"Method not found",
		"does not implement the method",
	}
	said := func(text string) bool { return strings.Contains(st.Message(), text) }
	return slices.ContainsFunc(texts, said)
}

func detail(reason string) json.RawMessage {
	d, err := anypb.New(&errdetails.ErrorInfo{Reason: reason, Domain: domain})
	if err != nil {
		panic(err) // only for messages that cannot be encoded
	}
	b, err := protojson.Marshal(d)
	if err != nil {
		panic(err)
	}
	return b
}

// decodeStatus returns the gRPC status of an error response: by the name of its code, or by
// the HTTP status if a guard before the agent refused. For an unsupported operation 0.3
// and 1.0 have different codes (0.3 lists none; this is a2a-go's choice).
func decodeStatus(d *wire.Dialect, httpCode int, body []byte) *status.Status {
	var in rpcStatus
	var guard struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	c := codeOf(httpCode)
	message := http.StatusText(httpCode)
	if json.Unmarshal(body, &in) == nil && in.Error.Message != "" {
		message = in.Error.Message
		if n, ok := code.Code_value[in.Error.Status]; ok && n != 0 {
			c = codes.Code(n)
		}
	} else if json.Unmarshal(body, &guard) == nil && guard.Error != "" {
		message = cmp.Or(guard.Description, guard.Error)
	}

	var why struct {
		Reason string `json:"reason"`
		Domain string `json:"domain"`
	}
	if len(in.Error.Details) == 0 || json.Unmarshal(in.Error.Details[0], &why) != nil ||
		why.Reason == "" {
		return status.New(c, message)
	}
	if d.Generation == a2a.V03 &&
		(why.Reason == "UNSUPPORTED_OPERATION" || why.Reason == "PUSH_NOTIFICATION_NOT_SUPPORTED") {
		c = codes.Unimplemented
	}

	st, err := status.New(c, message).WithDetails(&errdetails.ErrorInfo{Reason: why.Reason, Domain: why.Domain})
	if err != nil {
		return status.New(c, message)
	}

	return st
}

func codeOf(httpCode int) codes.Code {
	for _, row := range statuses {
		if row.status == httpCode {
			return row.code
		}
	}
	if httpCode/100 == 4 {
		return codes.InvalidArgument
	}
	return codes.Internal
}
