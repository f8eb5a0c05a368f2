package mcp

import (
	"errors"
	"math"
	"reflect"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Line breaks in base64, which models write, are taken, and so are the unpaired
// surrogates of JavaScript.
var generous = jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsonv1.ParseBytesWithLooseRFC4648(true))

// whole takes 20.0 for 20, as JSON Schema does: there are clients that have no other
// numbers than floating ones. It takes too long to be tried first.
var whole = jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, n *int) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return strconv.ErrRange
	}
	*n = int(f)
	return nil
}))

// Decode reads the arguments into args, a pointer to a struct whose tags name
// them, in their very spelling. It returns nil, or what to answer: in words, what
// the schema could not say is wrong with them.
func (c *Call) Decode(args any) *Result {
	err := jsonv2.Unmarshal(c.Arguments, args, generous)
	if err == nil {
		return nil
	}
	why := "they are not JSON of the right form"
	if e := (*jsonv2.SemanticError)(nil); errors.As(err, &e) {
		if e.JSONKind == '0' && jsonv2.Unmarshal(c.Arguments, args, generous, whole) == nil {
			return nil
		}
		why = misfit(e)
	}
	return InputError("The arguments of %s are not right:\n- %s", c.Tool, why)
}

// misfit puts into words why a value is not one that Go could hold.
func misfit(e *jsonv2.SemanticError) string {
	path := ""
	for token := range e.JSONPointer.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 32); err == nil {
			path += "[" + token + "]"
			continue
		}
		path = join(path, token)
	}
	switch kind := e.JSONKind; {
	case kind == '0':
		return name(path) + " is a number that is too large, or not written as a whole one"
	case kind == '"' && e.GoType == reflect.TypeFor[[]byte]():
		return name(path) + " must be base64: letters, digits, + and /, ended with = to a multiple of 4, and nothing before it such as data:"
	default:
		return name(path) + " cannot be " + article(kindOf(byte(kind)))
	}
}
