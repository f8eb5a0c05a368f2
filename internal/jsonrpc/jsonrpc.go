// Package jsonrpc frames JSON-RPC 2.0, the envelope of the messages of MCP and A2A. It
// knows requests, notifications, responses and errors. It does not know what they say,
// nor what carries them.
//
// It departs from the specification in one place: batches (section 6) are refused.
// MCP removed them in revision 2025-06-18 and A2A never had them.
package jsonrpc

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the only value of the member "jsonrpc" that is accepted or sent.
const Version = "2.0"

// The codes of JSON-RPC 2.0, section 5.1.
const (
	CodeParse          = -32700 // the bytes are not JSON
	CodeInvalidRequest = -32600 // the JSON is not a request
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// ID is the JSON text of a request's id: a string or a number, byte for byte
// as the caller wrote it, so that it can be echoed exactly and compared with
// ==. The zero value is no id at all, which makes a request a notification.
type ID string

// Null is the id of a response to a request whose id could not be read.
const Null ID = "null"

// IntID returns n as an ID.
func IntID(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// StringID returns the JSON string s as an ID.
func StringID(s string) ID { return ID(AppendString(nil, s)) }

// AppendString appends s to b as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the only error reports the replacement
	return b
}

// MarshalJSON returns the text of id, and null for no id.
func (id ID) MarshalJSON() ([]byte, error) {
	if id == "" {
		return []byte(Null), nil
	}
	return []byte(id), nil
}

// UnmarshalJSON keeps b as it is when it is a string, a number or null.
func (id *ID) UnmarshalJSON(b []byte) error {
	if !isID(b) {
		return Errorf(CodeInvalidRequest, "id must be a string or a number")
	}
	*id = ID(b)
	return nil
}

func isID(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	switch c := b[0]; {
	case c == '"', c == '-', '0' <= c && c <= '9':
		return true
	default:
		return string(b) == string(Null)
	}
}

// Request asks for Method. Without an ID it is a notification and gets no response.
type Request struct {
	ID     ID
	Method string
	Params json.RawMessage // an object or an array, nil when absent
}

// IsNotification tells whether r expects no response.
func (r *Request) IsNotification() bool { return r.ID == "" }

// Append appends r to b as one line of JSON. It trusts ID and Params to be JSON.
func (r *Request) Append(b []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0"`...)
	if r.ID != "" {
		b = append(append(b, `,"id":`...), r.ID...)
	}
	b = AppendString(append(b, `,"method":`...), r.Method)
	if len(r.Params) > 0 {
		b = append(append(b, `,"params":`...), r.Params...)
	}
	return append(b, '}')
}

// MarshalJSON returns what Append appends.
func (r *Request) MarshalJSON() ([]byte, error) { return r.Append(nil), nil }

// Response answers the request that had its ID, with either a Result or an Error.
type Response struct {
	ID     ID
	Result json.RawMessage
	Error  *Error
}

// Append appends r to b as one line of JSON. It trusts ID and Result to be
// JSON; a response without a result or an error carries the result null.
func (r *Response) Append(b []byte) []byte {
	id := r.ID
	if id == "" {
		id = Null
	}

	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	switch {
	case r.Error != nil:
		b = r.Error.Append(append(b, `,"error":`...))
	case len(r.Result) > 0:
		b = append(append(b, `,"result":`...), r.Result...)
	default:
		b = append(b, `,"result":null`...)
	}

	return append(b, '}')
}

// MarshalJSON returns what Append appends.
func (r *Response) MarshalJSON() ([]byte, error) { return r.Append(nil), nil }
