package schema

import (
	"encoding/json"
	"slices"
	"strconv"
)

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
	case "object":
		return s.exampleObject(depth - 1)
	case "array":
		return slices.Concat([]byte("["), s.items.example(depth-1), []byte("]"))
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

func (s *Schema) exampleObject(depth int) json.RawMessage {
	b := []byte{'{'}
	for _, want := range s.required {
		b = appendMember(b, want, s.properties[want].example(depth))
	}
	return append(b, '}')
}
