package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"rialto/internal/jsonrpc"
)

// Accept checks the arguments of a tool. It returns them, and "" or in words that a model can act on
// what is wrong with them. Models write numbers and booleans as strings; where the schema takes
// these and no string, they are returned as what they say.
func (s *Schema) Accept(
	tool string, args json.RawMessage,
) (accepted json.RawMessage, problem string) {
	if s.Allows(args) {
		return args, ""
	}
	args = s.scalars(args)
	return args, s.problem(tool, args)
}

// scalars returns v with the numbers and booleans that are written as strings.
func (s *Schema) scalars(v json.RawMessage) json.RawMessage {
	v = bytes.TrimSpace(v)
	switch {
	case s == nil:
		return v
	case v[0] == '{':
		return s.scalarMembers(v)
	case v[0] == '[':
		return s.scalarElements(v)
	case v[0] != '"' || len(s.types) == 0 || slices.Contains(s.types, "string"):
		return v
	}
	text, _ := jsonrpc.Text(v)
	said := json.RawMessage(strings.TrimSpace(text))
	if word := strings.ToLower(string(said)); word == "true" || word == "false" {
		said = json.RawMessage(word) // Python writes True
	}

	scalar := json.Valid(said) && said[0] != '{' && said[0] != '[' && said[0] != '"' &&
		said[0] != 'n'
	if scalar && slices.ContainsFunc(s.types, func(t string) bool { return isOf(said, t) }) {
		return said
	}

	return v
}

// scalarMembers returns the object v with the scalars of each known member.
func (s *Schema) scalarMembers(v json.RawMessage) json.RawMessage {
	b := []byte{'{'}
	for name, value := range jsonrpc.Members(v) {
		b = appendMember(b, string(name), s.properties[string(name)].scalars(value))
	}
	return append(b, '}')
}

// scalarElements returns the array v with the scalars of each element.
func (s *Schema) scalarElements(v json.RawMessage) json.RawMessage {
	var items []json.RawMessage
	_ = json.Unmarshal(v, &items) // it is a valid array
	for i, item := range items {
		items[i] = s.items.scalars(item)
	}
	return jsonrpc.Array(items)
}

func appendMember(b []byte, name string, value json.RawMessage) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return append(append(jsonrpc.AppendString(b, name), ':'), value...)
}

// The bounds of an example.
const (
	maxRepeated = 4000 // bytes of arguments that it repeats
	maxText     = 200  // bytes of a text
	maxItems    = 10   // of an array
)

// corrected returns valid arguments that have as much of args as possible. Long texts are cut.
func (s *Schema) corrected(args json.RawMessage) json.RawMessage {
	if len(args) < 1<<20 {
		v := s.correct(args)
		empty := string(v) == "{}"
		if !empty && len(v) <= maxRepeated && s.Allows(v) {
			return v
		}
	}
	return s.example(maxDepth)
}

func (s *Schema) correct(v json.RawMessage) json.RawMessage {
	v = bytes.TrimSpace(v)
	takes := func(t string) bool {
		return s == nil || len(s.types) == 0 && len(s.enum) == 0 || slices.Contains(s.types, t)
	}
	switch {
	case v[0] == '{' && takes("object") && s != nil:
		return s.correctObject(v)
	case v[0] == '[' && takes("array") && s != nil:
		return s.correctArray(v)
	case s != nil && !s.Allows(v):
		return s.nearest(v)
	case v[0] == '"' && len(v) > maxText:
		return cut(v)
	case len(v) > maxText:
		return s.example(maxDepth)
	}

	return v
}

func (s *Schema) correctObject(v json.RawMessage) json.RawMessage {
	b := []byte{'{'}
	seen := map[string]bool{}
	for name, value := range jsonrpc.Members(v) {
		known := s.properties[string(name)]
		name := string(name)
		_, named := s.properties[name]
		switch optional := !slices.Contains(s.required, name); {
		case !named && s.closed:
		case string(value) == "null" && optional:
		default:
			b, seen[name] = appendMember(b, name, known.correct(value)), true
		}
	}

	for _, want := range s.required {
		if !seen[want] {
			b = appendMember(b, want, s.properties[want].example(maxDepth))
		}
	}

	return append(b, '}')
}

func (s *Schema) correctArray(v json.RawMessage) json.RawMessage {
	var items []json.RawMessage
	_ = json.Unmarshal(v, &items) // it is a valid array
	if s.maxItems != nil && *s.maxItems >= 0 {
		items = items[:min(len(items), *s.maxItems)]
	}

	for i := range items {
		items[i] = s.items.correct(items[i])
	}

	if s.minItems != nil {
		for least := min(*s.minItems, maxItems); len(items) < least; {
			items = append(items, s.items.example(maxDepth))
		}
	}

	return jsonrpc.Array(items)
}

// nearest returns a valid value for v, which is none: the bound that a number exceeds, or an example.
func (s *Schema) nearest(v json.RawMessage) json.RawMessage {
	n, err := strconv.ParseFloat(string(v), 64)
	switch {
	case err != nil || len(s.enum) > 0:
	case s.maximum != nil && n > *s.maximum:
		return strconv.AppendFloat(nil, *s.maximum, 'f', -1, 64)
	case s.minimum != nil && n < *s.minimum:
		return s.exampleNumber()
	}
	return s.example(maxDepth)
}

// cut returns a long string shortened.
func cut(v json.RawMessage) json.RawMessage {
	text, _ := jsonrpc.Text(v)
	end := min(len(text), maxText)
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return jsonrpc.AppendString(nil, text[:end]+"...")
}
