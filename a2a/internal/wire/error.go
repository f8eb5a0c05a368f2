package wire

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/internal/jsonrpc"
)

// errorNumber is a row of a dialect's table of errors. The table is ordered: the first row of a
// code is how we write it, the first row of a number is how we read it.
type errorNumber struct {
	number int
	code   a2a.Code
}

// basicNumbers are in all versions.
var basicNumbers = []errorNumber{
	{jsonrpc.CodeParse, a2a.ParseFailed},
	{jsonrpc.CodeInvalidRequest, a2a.InvalidRequest},
	{jsonrpc.CodeMethodNotFound, a2a.MethodNotFound},
	{jsonrpc.CodeInvalidParams, a2a.InvalidParams},
	{jsonrpc.CodeInternal, a2a.Internal},
	{-32001, a2a.TaskNotFound},
	{-32002, a2a.TaskNotCancelable},
	{-32003, a2a.PushNotSupported},
	{-32004, a2a.UnsupportedOperation},
	{-32005, a2a.ContentTypeNotSupported},
}

// numbers is the table of A2A 0.2 and later (0.3 section 8, 1.0 section 5.4).
// No number changed its meaning since 0.2, and servers of 1.0 use -32009
// towards callers of 0.3, so the later rows are read in all of them.
var numbers = slices.Concat(basicNumbers, []errorNumber{
	{-32006, a2a.InvalidAgentResponse},
	{-32007, a2a.ExtendedCardMissing},
	{-32008, a2a.ExtensionRequired},
	{-32009, a2a.VersionNotSupported},
	// No specification numbers these two; a2a-go does.
	{-31401, a2a.Unauthenticated},
	{-31403, a2a.Forbidden},
	// Nor do these have one: their reasons tell them apart. Of limits 1.0 says that an
	// appropriate error SHOULD be returned, and names none.
	{jsonrpc.CodeInternal, a2a.Unavailable},
	{jsonrpc.CodeInternal, a2a.RateLimited},
})

// reasons says how a dialect puts a google.rpc.ErrorInfo into its errors. Before
// 1.0, data is an object: 0.1 says so, and a2a-go 0.3 can read no other.
type reasons int

const (
	noReason     reasons = iota
	reasonArray          // into each: data is an array of typed objects, and other data is left out
	reasonObject         // as the data, where the number does not say it
)

const (
	errorInfoType   = "type.googleapis.com/google.rpc.ErrorInfo"
	errorInfoDomain = "a2a-protocol.org"
	badRequestType  = "type.googleapis.com/google.rpc.BadRequest"
)

// errorInfo is the google.rpc.ErrorInfo of A2A 1.0 section 9.5.
type errorInfo struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

// EncodeError encodes e in d.
func (d *Dialect) EncodeError(e *a2a.Error) *jsonrpc.Error {
	row := d.row(e.Code)
	out := &jsonrpc.Error{Code: row.number, Message: e.Error()}
	details := detailsWithReason(e.Data)
	own, _ := json.Marshal(
		errorInfo{errorInfoType, string(row.code), errorInfoDomain},
	) // strings always have a JSON form
	switch {
	case d.reasons == reasonArray && details != nil:
		out.Data = list(details)
	case d.reasons == reasonArray && e.Field != "":
		out.Data = list([]json.RawMessage{own, badRequest(e)})
	case d.reasons == reasonArray:
		out.Data = list([]json.RawMessage{own})
	case details != nil:
		out.Data = details[0]
	case d.reasons == reasonObject && d.meaning(out.Code) != row.code:
		out.Data = own
	case len(e.Data) > 0 && !isObject(e.Data):
		out.Data, _ = json.Marshal(map[string]json.RawMessage{"details": e.Data}) // which a peer's JSON had
	default:
		out.Data = e.Data
	}

	return out
}

// badRequest returns the google.rpc.BadRequest of an error about a parameter.
func badRequest(e *a2a.Error) json.RawMessage {
	violation := map[string]string{"field": e.Field, "description": e.Error()}
	b, _ := json.Marshal(map[string]any{ // strings always have a JSON form
		"@type":           badRequestType,
		"fieldViolations": []any{violation},
	})
	return b
}

// list returns the details as one value.
func list(details []json.RawMessage) json.RawMessage {
	b, _ := json.Marshal(details) // which a peer's JSON had, or ours
	return b
}

// detailsWithReason returns the details of data, an array or one alone, that with the reason
// first; nil if there is none.
func detailsWithReason(data json.RawMessage) []json.RawMessage {
	var details []json.RawMessage
	if isObject(data) {
		details = []json.RawMessage{data}
	} else if json.Unmarshal(data, &details) != nil {
		return nil
	}

	for i, one := range details {
		if reason(one) != "" {
			return append([]json.RawMessage{one}, slices.Delete(details, i, i+1)...)
		}
	}

	return nil
}

func (d *Dialect) row(code a2a.Code) errorNumber {
	for _, c := range []a2a.Code{code, code.Broader()} {
		for _, row := range d.errors {
			if row.code == c {
				return row
			}
		}
	}
	return errorNumber{jsonrpc.CodeInternal, code}
}

func (d *Dialect) meaning(number int) a2a.Code {
	for _, row := range d.errors {
		if row.number == number {
			return row.code
		}
	}
	return a2a.Internal
}

// DecodeError decodes an error of a peer that speaks d. A reason takes precedence over the
// number, whose meaning differs between generations.
func (d *Dialect) DecodeError(in *jsonrpc.Error) *a2a.Error {
	if !fits(in.Data) {
		in.Data = nil
	}
	if inner := wrapped(in.Data); inner != nil {
		in = inner
	}

	e := &a2a.Error{
		Code:    d.meaning(in.Code),
		Message: in.Message,
		Data:    in.Data,
		Remote:  true,
		Number:  in.Code,
	}
	why := a2a.Code(reason(in.Data))
	for _, row := range d.errors {
		if row.code == why {
			e.Code = why
		}
	}

	return e
}

// wrapped returns the error inside data, if data is a whole response: the
// first sample server wrapped every error in another one.
func wrapped(data json.RawMessage) *jsonrpc.Error {
	var r struct {
		Error *jsonrpc.Error `json:"error"`
	}
	if json.Unmarshal(data, &r) != nil || r.Error == nil || r.Error.Code == 0 {
		return nil
	}
	return r.Error
}

// reason returns the reason of the first ErrorInfo in data, which is an array
// in 1.0 and anything before.
func reason(data json.RawMessage) string {
	var infos []errorInfo
	if json.Unmarshal(data, &infos) != nil {
		var one errorInfo
		if json.Unmarshal(data, &one) != nil {
			return ""
		}
		infos = []errorInfo{one}
	}

	for _, info := range infos {
		if info.Type == errorInfoType && info.Reason != "" {
			return info.Reason
		}
	}

	return ""
}

// MethodUnknown reports whether err says that the peer does not know the method that d has for the
// call. Then nothing ran, and the call may be made in another dialect.
func (d *Dialect) MethodUnknown(err error) bool {
	if err == nil {
		return false
	}

	var e *a2a.Error
	if !errors.As(err, &e) || !e.Remote {
		return false
	}

	switch e.Code {
	case a2a.MethodNotFound, a2a.VersionNotSupported:
		return true
	case a2a.InvalidParams:
		// What a2a-js before 0.3.8 says to the protocol buffers of 0.3.
		return d == &v03rest && strings.Contains(e.Message, "message.parts")
	case a2a.InvalidRequest:
		// What servers in Python before 1.0 say to a method they do not know.
		return major(d.Generation) == "0"
	default:
		return false
	}
}
