package mcp

import (
	"encoding/json"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// Error is a protocol error. A Tool returns one only if the call could not be made at
// all; what a model should read is a Result.
type Error = jsonrpc.Error

// MissingCapability returns the error of a call that needs a capability which the client has not
// declared, in the form in which it would declare it: {"elicitation":{}}.
func MissingCapability(required json.RawMessage) *Error { return wire.MissingCapability(required) }

// Refusal returns the error of a request that cannot be served as it is, with a message
// that says what to do instead. The data are for programs.
func Refusal(message string, data json.RawMessage) *Error {
	return &Error{Code: jsonrpc.CodeInvalidParams, Message: message, Data: data}
}
