package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"rialto/internal/jsonrpc"
)

// Example returns arguments that the schema takes; {} only if it has none, and nil if a keyword that
// it does not know how to fulfill stands in the way.
func (s *Schema) Example() json.RawMessage {
	v := s.example(maxDepth)
	if !s.Allows(v) {
		return nil
	}
	return v
}

// example returns a value that the schema allows: its first example, its default or
// its first enumerated value, else a value of its type.
func (s *Schema) example(depth int) json.RawMessage {
	switch {
	case s == nil || depth == 0:
		return json.RawMessage(`"..."`)
	case len(s.examples) > 0:
		return s.examples[0]
	case s.fallback != nil:
		return s.fallback
	case len(s.enum) > 0:
		return s.enum[0]
	case len(s.types) == 0:
		return json.RawMessage(`"..."`)
	}

	switch s.types[0] {
	case "string":
		return s.exampleString()
	case "object":
		return s.exampleObject(depth - 1)
	case "array":
		return s.exampleArray(depth - 1)
	case "integer", "number":
		return s.exampleNumber()
	case "boolean":
		return json.RawMessage("true")
	case "null":
		return json.RawMessage("null")
	}

	return json.RawMessage(`"..."`)
}

func (s *Schema) exampleNumber() json.RawMessage {
	if s.minimum != nil {
		return strconv.AppendFloat(nil, *s.minimum, 'f', -1, 64)
	}
	return json.RawMessage("1")
}

// exampleString returns three dots, or as many as the bounds ask for.
func (s *Schema) exampleString() json.RawMessage {
	n := 3
	if s.maxLength != nil {
		n = min(n, max(*s.maxLength, 0))
	}
	if s.minLength != nil {
		n = max(n, min(*s.minLength, maxText))
	}
	return json.RawMessage(`"` + strings.Repeat(".", n) + `"`)
}

// exampleArray returns one element, or as many as the bounds ask for.
func (s *Schema) exampleArray(depth int) json.RawMessage {
	n := 1
	if s.minItems != nil {
		n = min(max(n, *s.minItems), maxItems)
	}
	return jsonrpc.Array(slices.Repeat([]json.RawMessage{s.items.example(depth)}, n))
}

// exampleObject returns the required members. Without any, it shows one of the others: a text, which
// mostly states the request, before one that only narrows it.
func (s *Schema) exampleObject(depth int) json.RawMessage {
	members := s.required
	if len(members) == 0 && len(s.names) > 0 {
		isText := func(name string) bool {
			p := s.properties[name]
			return p != nil && slices.Contains(p.types, "string")
		}
		members = s.names[max(slices.IndexFunc(s.names, isText), 0):][:1]
	}

	b := []byte{'{'}
	for _, name := range members {
		b = appendMember(b, name, s.properties[name].example(depth))
	}
	return append(b, '}')
}
