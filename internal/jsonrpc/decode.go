package jsonrpc

import (
	"bytes"
	stdjson "encoding/json"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep arrays and objects may nest in a message. Nothing that
// people or models write comes near it; parsers that recurse do not survive
// what programs can write.
const MaxDepth = 128

// frame is any message before it is known what it is. Method is a pointer so
// that a missing one can be told from an empty one.
type frame struct {
	JSONRPC string             `json:"jsonrpc"`
	ID      ID                 `json:"id"`
	Method  *string            `json:"method"`
	Params  stdjson.RawMessage `json:"params"`
	Result  stdjson.RawMessage `json:"result"`
	Error   *Error             `json:"error"`
}

// Names are compared exactly, and a name that occurs twice is refused: a
// firewall in front of us that reads the first and we that read the last
// would disagree about what was asked. Unpaired surrogates are let through,
// for JavaScript writes them.
var (
	strict    = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(false))
	forgiving = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
)

// Decode reads one message, which is a request, a notification or a response:
// exactly one of its results is not nil. An error is always an *Error that can
// be sent back; the request is then not nil if its ID could be read.
func Decode(b []byte) (*Request, *Response, error) {
	f, err := decode(b, strict)
	if err != nil {
		return nil, nil, err
	}
	if f.Method == nil && (f.Result != nil || f.Error != nil) {
		return nil, &Response{ID: f.ID, Result: f.Result, Error: f.Error}, nil
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

// DecodeResponse reads a response. It is more forgiving than DecodeRequest:
// whoever answers was asked by us, and what it says is worth having even if it
// forgot "jsonrpc" or says a thing twice.
func DecodeResponse(b []byte) (*Response, error) {
	f, err := decode(b, forgiving)
	if err != nil {
		return nil, err
	}
	if f.Result == nil && f.Error == nil {
		return nil, Errorf(CodeInvalidRequest, "the response has neither a result nor an error")
	}
	return &Response{ID: f.ID, Result: f.Result, Error: f.Error}, nil
}

func decode(b []byte, o json.Options) (*frame, error) {
	if b = bytes.TrimLeft(b, " \t\r\n"); len(b) > 0 && b[0] == '[' {
		return nil, Errorf(CodeInvalidRequest, "batches are not supported, send one message at a time")
	}
	if tooDeep(b) {
		return nil, Errorf(CodeInvalidRequest, "the message nests deeper than %d levels", MaxDepth)
	}
	var f frame
	if err := json.Unmarshal(b, &f, o); err != nil {
		return nil, decodeError(err)
	}
	return &f, nil
}

// decodeError tells bytes that are not JSON from JSON that is not a message.
func decodeError(err error) *Error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return Errorf(CodeInvalidRequest, "the JSON is not a JSON-RPC message")
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return Errorf(CodeInvalidRequest, "a name occurs twice in one object")
	}
	return Errorf(CodeParse, "the message is not JSON")
}

func (f *frame) request() (*Request, error) {
	r := &Request{ID: f.ID, Params: f.Params}
	if f.Method != nil {
		r.Method = *f.Method
	}
	if string(r.Params) == string(Null) {
		r.Params = nil
	}
	switch {
	case f.JSONRPC != Version:
		return r, Errorf(CodeInvalidRequest, `the member "jsonrpc" must be "2.0"`)
	case r.Method == "":
		return r, Errorf(CodeInvalidRequest, `the member "method" must be a string that is not empty`)
	case r.ID == Null:
		return r, Errorf(CodeInvalidRequest, "the id of a request must not be null")
	case len(r.Params) > 0 && r.Params[0] != '{' && r.Params[0] != '[':
		return r, Errorf(CodeInvalidRequest, `the member "params" must be an object or an array`)
	}
	return r, nil
}

// tooDeep counts brackets outside strings. It does not mind whether they
// match: what is not JSON is found later.
func tooDeep(b []byte) bool {
	if bytes.Count(b, []byte("{"))+bytes.Count(b, []byte("[")) <= MaxDepth {
		return false // as in most messages, and quickly found
	}
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}
