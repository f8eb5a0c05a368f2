package mcp

import (
	"encoding/json"
	"errors"
	"slices"
)

// schema is the part of a JSON Schema that arguments are checked against. It
// holds the keywords by which a model's slips show; the rest, and references,
// are for the tool to mind.
type schema struct {
	description string
	types       []string // empty: any
	properties  map[string]*schema
	names       []string // of properties, sorted
	required    []string
	closed      bool // no properties besides those named
	items       *schema
	enum        []json.RawMessage
	examples    []json.RawMessage
	fallback    json.RawMessage // the keyword "default"

	minLength, maxLength, minItems, maxItems *int
	minimum, maximum                         *float64
}

// maxSchemaDepth bounds how deep schemas are read, and so how deep arguments
// are checked.
const maxSchemaDepth = 16

// parseSchema reads the schema of a tool's arguments, which has to be one of
// an object (2026-07-28, schema, "Tool").
func parseSchema(b json.RawMessage) (*schema, error) {
	if !json.Valid(b) {
		return nil, errors.New("it is not JSON")
	}
	s := readSchema(b, maxSchemaDepth)
	if s == nil || !slices.Equal(s.types, []string{"object"}) {
		return nil, errors.New(`it has no "type":"object"`)
	}
	return s, nil
}

// readSchema returns nil for what allows everything. A keyword that is not of
// its type is left out, as one that is not known.
func readSchema(b json.RawMessage, depth int) *schema {
	var words map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(b, &words) != nil {
		return nil
	}
	s := &schema{fallback: words["default"], types: readTypes(words["type"])}
	for word, v := range map[string]any{
		"description": &s.description, "required": &s.required, "enum": &s.enum, "examples": &s.examples,
		"minLength": &s.minLength, "maxLength": &s.maxLength,
		"minItems": &s.minItems, "maxItems": &s.maxItems,
		"minimum": &s.minimum, "maximum": &s.maximum,
	} {
		_ = json.Unmarshal(words[word], v) // see above
	}
	s.closed = string(words["additionalProperties"]) == "false"
	s.items = readSchema(words["items"], depth-1)
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

func (s *schema) readProperties(b json.RawMessage, depth int) {
	var properties map[string]json.RawMessage
	if json.Unmarshal(b, &properties) != nil {
		return
	}
	s.properties = make(map[string]*schema, len(properties))
	for name, p := range properties {
		s.properties[name] = readSchema(p, depth)
		s.names = append(s.names, name)
	}
	slices.Sort(s.names)
}
