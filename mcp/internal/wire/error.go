package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/dberr"
	"rialto/internal/jsonrpc"
)

// The error codes that MCP adds to JSON-RPC.
const (
	CodeServer  = -32000 // an error that HTTP has a status for and JSON-RPC no code
	CodeSession = -32001 // the session is unknown: clients look for this code

	CodeHeaderMismatch    = gomcp.HEADER_MISMATCH
	CodeMissingCapability = gomcp.MISSING_REQUIRED_CLIENT_CAPABILITY
	CodeVersion           = gomcp.UNSUPPORTED_PROTOCOL_VERSION
	CodeCancelled         = gomcp.REQUEST_INTERRUPTED
	CodeResourceNotFound  = gomcp.RESOURCE_NOT_FOUND
)

// StatusError is an error and the HTTP status that carries it.
type StatusError struct {
	Status int
	Err    *jsonrpc.Error
}

// Error returns the message and the code.
func (e *StatusError) Error() string { return e.Err.Error() }

// Errorf returns a StatusError without data.
func Errorf(status, code int, format string, args ...any) *StatusError {
	return &StatusError{status, jsonrpc.Errorf(code, format, args...)}
}

// Refuse returns the error of a request that HTTP has a status for and JSON-RPC no code.
func Refuse(status int, format string, args ...any) *StatusError {
	return Errorf(status, CodeServer, format, args...)
}

// InvalidParams returns the error of a request whose params are wrong.
func InvalidParams(format string, args ...any) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, format, args...)
}

// AsStatusError returns err as a StatusError for a client of either era. The text of
// an unexpected error is not shown to the client.
func AsStatusError(err error, modern bool) *StatusError {
	if s, ok := errors.AsType[*StatusError](err); ok {
		return s
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &StatusError{statusOf(e.Code, modern), e}
	}
	if away, is := dberr.As(err); is {
		return Refuse(http.StatusOK, "%s", away.Text())
	}

	return Errorf(http.StatusOK, jsonrpc.CodeInternal, "internal error")
}

// statusOf returns the HTTP status of an error code. Before 2026-07-28 a message
// that arrived was answered with 200; since then some codes come with a status
// (2026-07-28, basic/transports/streamable-http, "Request Metadata").
func statusOf(code int, modern bool) int {
	switch {
	case code == jsonrpc.CodeParse, code == jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	case !modern:
		return http.StatusOK
	case code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case code == CodeHeaderMismatch, code == CodeMissingCapability, code == CodeVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// AppendError appends the response with an error. A message whose id is not known
// is answered without one: MCP allows no null there.
func AppendError(b []byte, id jsonrpc.ID, e *jsonrpc.Error) []byte {
	b = append(b, `{"jsonrpc":"2.0",`...)
	if id != "" && id != jsonrpc.Null {
		b = append(append(append(b, `"id":`...), id...), ',')
	}
	return append(e.Append(append(b, `"error":`...)), '}')
}

// Notification returns a notification with the members of its params.
func Notification(method string, params []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, params)
}

// MissingCapability returns the error of a request that needs a capability which the
// client has not declared, in the form in which it would declare it.
func MissingCapability(required json.RawMessage) *jsonrpc.Error {
	data, _ := json.Marshal(struct { // fails only for a caller's malformed JSON, then without data
		Required json.RawMessage `json:"requiredCapabilities"`
	}{required})
	return &jsonrpc.Error{
		Code:    CodeMissingCapability,
		Message: "the client lacks a capability that this needs",
		Data:    data,
	}
}
