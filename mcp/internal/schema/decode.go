package schema

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// lenient accepts line breaks in base64, which models write, and the unpaired
// surrogates of JavaScript.
var lenient = jsonv2.JoinOptions(
	jsontext.AllowInvalidUTF8(true), jsonv1.ParseBytesWithLooseRFC4648(true),
)

// integral accepts 20.0 for 20, as JSON Schema does: some clients have floating-point
// numbers only. It is slow, so Decode tries without it first.
var integral = jsonv2.WithUnmarshalers(
	jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, n *int) error {
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
	}),
)

// Decode reads the arguments of a tool into a pointer to a struct whose tags name
// them. Names are compared exactly. It returns "", or in words what is wrong.
func Decode(tool string, args json.RawMessage, into any) string {
	err := jsonv2.Unmarshal(args, into, lenient)
	if err == nil {
		return ""
	}

	why := "they are not JSON of the right form"
	if e, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		if e.JSONKind == '0' && jsonv2.Unmarshal(args, into, lenient, integral) == nil {
			return ""
		}
		why = explain(e)
	}

	return "Invalid arguments for " + tool + ":\n- " + why
}

// explain says why a value does not fit into its Go type.
func explain(e *jsonv2.SemanticError) string {
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
		return name(path) +
			" must be base64: letters, digits, + and /, ended with = to a multiple of 4, and nothing before it such as data:"
	default:
		return name(path) + " cannot be " + article(kindOf(byte(kind)))
	}
}
