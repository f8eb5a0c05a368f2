package jsonrpc

import (
	"bytes"
	stdjson "encoding/json"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep arrays and objects may nest in a message. People and models stay
// far below it; a recursive parser would not survive what programs can send.
const MaxDepth = 128

// frame is a message of any kind.
type frame struct {
	versioned bool
	id        ID
	method    string
	hasMethod bool
	params    stdjson.RawMessage
	result    stdjson.RawMessage
	err       *Error
}

// Names are compared exactly, and duplicate names are refused: a firewall that reads the
// first and a server that reads the last would disagree about the request. Unpaired
// surrogates are accepted, because JavaScript writes them.
var (
	strict  = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(false))
	lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
)

// Decode reads one message, which is a request, a notification or a response:
// exactly one of its results is not nil. An error is always an *Error that can
// be sent back; the request is then not nil if its ID could be read. Params and
// Result are parts of b, which is not to be written to any more.
func Decode(b []byte) (*Request, *Response, error) {
	f, err := decode(b, strict)
	if err != nil {
		return nil, nil, err
	}
	if !f.hasMethod && (f.result != nil || f.err != nil) {
		return nil, &Response{ID: f.id, Result: f.result, Error: f.err}, nil
	}
	r, err := f.request()
	return r, nil, err
}

// DecodeRequest reads a request or a notification. Like Decode it returns what
// it could read of the request next to an error.
func DecodeRequest(b []byte) (*Request, error) {
	r, resp, err := Decode(b)
	if resp != nil {
		return &Request{ID: resp.ID}, Errorf(CodeInvalidRequest, "a response is not a request")
	}
	return r, err
}

// DecodeResponse reads a response. It is more lenient than DecodeRequest: the peer answers our
// request, and its response is useful even without "jsonrpc" or with a duplicate name.
func DecodeResponse(b []byte) (*Response, error) {
	f, err := decode(b, lenient)
	if err != nil {
		return nil, err
	}
	if f.result == nil && f.err == nil {
		return nil, Errorf(CodeInvalidRequest, "the response has neither a result nor an error")
	}
	return &Response{ID: f.id, Result: f.result, Error: f.err}, nil
}

func decode(b []byte, o json.Options) (f frame, err error) {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) > 0 && b[0] == '[' {
		return f, Errorf(
			CodeInvalidRequest, "batches are not supported, send one message at a time",
		)
	}
	if tooDeep(b) {
		return f, Errorf(CodeInvalidRequest, "the message nests deeper than %d levels", MaxDepth)
	}
	if !jsontext.Value(b).IsValid(o) {
		return f, reason(b, o)
	}
	if b[0] != '{' || !f.read(b, o) {
		return f, Errorf(CodeInvalidRequest, "the JSON is not a JSON-RPC message")
	}

	return f, nil
}

// reason returns why b is invalid: it is not JSON, or has a duplicate name.
func reason(b []byte, o json.Options) *Error {
	d := jsontext.NewDecoder(bytes.NewReader(b), o)
	if _, err := d.ReadValue(); errors.Is(err, jsontext.ErrDuplicateName) {
		return Errorf(CodeInvalidRequest, "a name occurs twice in one object")
	}
	return Errorf(CodeParse, "the message is not JSON")
}

// read reads the members of a valid object, without reflection, because every message
// passes here. It returns false if one has the wrong type. Null counts as absent, except
// as an id, params and a result.
func (f *frame) read(b []byte, o json.Options) bool {
	for name, v := range Members(b) {
		ok := true
		switch string(name) {
		case "jsonrpc":
			f.versioned = string(unquoted(v)) == Version
			ok = v[0] == '"'
		case "id":
			ok = f.id.UnmarshalJSON(v) == nil
		case "method":
			f.method, f.hasMethod = Text(v)
			ok = f.hasMethod
		case "params":
			f.params = v
		case "result":
			f.result = v
		case "error":
			f.err, ok = readError(v, o)
		}
		if !ok && string(v) != string(Null) {
			return false
		}
	}
	return true
}

func readError(v stdjson.RawMessage, o json.Options) (e *Error, ok bool) {
	ok = json.Unmarshal(v, &e, o) == nil
	return e, ok
}

func (f *frame) request() (*Request, error) {
	r := &Request{ID: f.id, Method: f.method, Params: f.params}
	if string(r.Params) == string(Null) {
		r.Params = nil
	}

	switch {
	case !f.versioned:
		return r, Errorf(CodeInvalidRequest, `the member "jsonrpc" must be "2.0"`)
	case r.Method == "":
		return r, Errorf(
			CodeInvalidRequest, `the member "method" must be a string that is not empty`,
		)
	case r.ID == Null:
		return r, Errorf(CodeInvalidRequest, "the id of a request must not be null")
	case len(r.Params) > 0 && r.Params[0] != '{' && r.Params[0] != '[':
		return r, Errorf(CodeInvalidRequest, `the member "params" must be an object or an array`)
	}

	return r, nil
}

// tooDeep counts brackets outside strings. It does not check that they match: invalid
// JSON is found later.
func tooDeep(b []byte) bool {
	if bytes.Count(b, []byte("{"))+bytes.Count(b, []byte("[")) <= MaxDepth {
		return false // the common case, and fast
	}

	depth := 0
	quoted := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
			if depth > MaxDepth {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}

	return false
}
