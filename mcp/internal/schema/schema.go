// Package schema checks the arguments of a tool against the part of JSON Schema
// by which the mistakes of models show, and says in words that a model can act on
// what is wrong. It knows nothing of tools, clients or the protocol.
package schema

import (
	"encoding/json"
	"errors"
	"slices"
)

// Schema is the part of a JSON Schema that values are checked against. Other
// keywords and references are not checked.
type Schema struct {
	description string
	types       []string // empty: any
	properties  map[string]*Schema
	names       []string // the keys of properties, sorted
	required    []string
	closed      bool // additionalProperties is false
	items       *Schema
	enum        []json.RawMessage
	examples    []json.RawMessage
	fallback    json.RawMessage // the keyword "default"

	minLength, maxLength, minItems, maxItems *int
	minimum, maximum                         *float64
}

// maxDepth bounds how deep schemas are read, and so how deep values are checked.
const maxDepth = 16

// Parse reads the schema of an object, which the schema of a tool's arguments must
// be (2026-07-28, schema, "Tool").
func Parse(b json.RawMessage) (*Schema, error) {
	if !json.Valid(b) {
		return nil, errors.New("it is not JSON")
	}
	s := Read(b)
	if s == nil || !slices.Equal(s.types, []string{"object"}) {
		return nil, errors.New(`it has no "type":"object"`)
	}
	return s, nil
}

// Loosen accepts any value for these properties.
func (s *Schema) Loosen(properties []string) {
	for _, name := range properties {
		s.properties[name] = &Schema{}
	}
}

// Read reads any schema. It returns nil for one that allows everything. A keyword
// whose value has the wrong type is ignored, like an unknown keyword.
func Read(b json.RawMessage) *Schema { return read(b, maxDepth) }

func read(b json.RawMessage, depth int) *Schema {
	var words map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(b, &words) != nil {
		return nil
	}

	s := &Schema{fallback: words["default"], types: readTypes(words["type"])}
	for word, v := range map[string]any{
		"description": &s.description, "required": &s.required, "enum": &s.enum, "examples": &s.examples,
		"minLength": &s.minLength, "maxLength": &s.maxLength,
		"minItems": &s.minItems, "maxItems": &s.maxItems,
		"minimum": &s.minimum, "maximum": &s.maximum,
	} {
		_ = json.Unmarshal(words[word], v) // see above
	}

	s.closed = string(words["additionalProperties"]) == "false"
	s.items = read(words["items"], depth-1)
	s.readProperties(words["properties"], depth-1)
	return s
}

func readTypes(b json.RawMessage) (types []string) {
	var one string
	if json.Unmarshal(b, &one) == nil {
		return []string{one}
	}
	_ = json.Unmarshal(b, &types) // absent, or not of its type
	return types
}

func (s *Schema) readProperties(b json.RawMessage, depth int) {
	var properties map[string]json.RawMessage
	if json.Unmarshal(b, &properties) != nil {
		return
	}

	s.properties = make(map[string]*Schema, len(properties))
	for name, p := range properties {
		s.properties[name] = read(p, depth)
		s.names = append(s.names, name)
	}

	slices.Sort(s.names)
}
