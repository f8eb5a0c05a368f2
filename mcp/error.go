package mcp

import (
	"encoding/json"
	"errors"
	"net/http"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// Error is a protocol error. A Tool returns one only if the call could not be
// made at all; what a model should read is a Result.
type Error = jsonrpc.Error

const (
	codeParse          = jsonrpc.CodeParse
	codeInvalidRequest = jsonrpc.CodeInvalidRequest
	codeMethodNotFound = jsonrpc.CodeMethodNotFound
	codeInvalidParams  = jsonrpc.CodeInvalidParams
	codeInternal       = jsonrpc.CodeInternal

	codeServer  = -32000 // what HTTP has a status for and JSON-RPC no code
	codeSession = -32001 // the code that clients know for a session that is gone

	codeHeaderMismatch    = gomcp.HEADER_MISMATCH
	codeMissingCapability = gomcp.MISSING_REQUIRED_CLIENT_CAPABILITY
	codeVersion           = gomcp.UNSUPPORTED_PROTOCOL_VERSION
	codeCancelled         = gomcp.REQUEST_INTERRUPTED
)

// MissingCapability returns the error of a call that needs a client that can
// do more, with what it would have to declare: {"elicitation":{}}.
func MissingCapability(required json.RawMessage) *Error {
	data, _ := json.Marshal(struct { // fails only for a caller's malformed JSON, then without data
		Required json.RawMessage `json:"requiredCapabilities"`
	}{required})
	return &Error{Code: codeMissingCapability, Message: "the client lacks a capability that this needs", Data: data}
}

// Refusal returns the error of a request that cannot be met as it is made, in
// words that say what to do instead. The data are for programs.
func Refusal(words string, data json.RawMessage) *Error {
	return &Error{Code: codeInvalidParams, Message: words, Data: data}
}

// fault is an error and the HTTP status that carries it.
type fault struct {
	status int
	err    *Error
}

func (f *fault) Error() string { return f.err.Error() }

func faultf(status, code int, format string, args ...any) *fault {
	return &fault{status, jsonrpc.Errorf(code, format, args...)}
}

// statusOf returns the HTTP status for an error that has been found in a
// message. Before 2026-07-28 a message that arrived was answered with 200,
// whatever it said; since then a status comes with some codes (2026-07-28,
// basic/transports/streamable-http, "Request Metadata").
func statusOf(code int, revision string) int {
	switch {
	case code == codeParse, code == codeInvalidRequest:
		return http.StatusBadRequest
	case !modern(revision):
		return http.StatusOK
	case code == codeMethodNotFound:
		return http.StatusNotFound
	case code == codeHeaderMismatch, code == codeMissingCapability, code == codeVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// faultOf returns err as a fault. An error that is none of ours is not told.
func faultOf(err error, revision string) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return &fault{statusOf(e.Code, revision), e}
	}
	return faultf(http.StatusOK, codeInternal, "internal error")
}

// writeError writes f where no answer has begun yet. A message whose id is not
// known is answered without one: MCP allows no null there.
func (s *Server) writeError(w http.ResponseWriter, id jsonrpc.ID, f *fault) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(f.status)
	_, _ = w.Write(appendError(nil, id, f.err)) // the client is gone, and knows
}

func appendError(b []byte, id jsonrpc.ID, e *Error) []byte {
	b = append(b, `{"jsonrpc":"2.0",`...)
	if id != "" && id != jsonrpc.Null {
		b = append(append(append(b, `"id":`...), id...), ',')
	}
	return append(e.Append(append(b, `"error":`...)), '}')
}
