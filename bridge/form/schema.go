package form

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// property is the schema of a member.
type property struct {
	Ref         string            `json:"$ref"`
	Type        oneOrMore         `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Enum        []json.RawMessage `json:"enum"`
	EnumNames   []string          `json:"enumNames"`
	Const       json.RawMessage   `json:"const"`
	OneOf       []json.RawMessage `json:"oneOf"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	AllOf       []json.RawMessage `json:"allOf"`
	Default     json.RawMessage   `json:"default"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MinLength   *int              `json:"minLength"`
	MaxLength   *int              `json:"maxLength"`
	Items       json.RawMessage   `json:"items"`
	MinItems    *int              `json:"minItems"`
	MaxItems    *int              `json:"maxItems"`
	Properties  json.RawMessage   `json:"properties"`
	Required    []string          `json:"required"`
}

// oneOrMore is a type, or a list of alternative types.
type oneOrMore []string

// UnmarshalJSON reads either.
func (t *oneOrMore) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// maxSteps bounds the references from one schema to another.
const maxSteps = 8

// property reads a schema and follows its references and single alternatives. Programs generate
// such schemas from their types: optional fields are nullable, and named types are referenced.
func (r *reader) property(value json.RawMessage) (p property, ok bool) {
	if json.Unmarshal(value, &p) != nil {
		return p, false
	}

	for range maxSteps {
		next, leads := r.next(p)
		if !leads {
			return p, p.resolveType()
		}
		var to property
		if next == nil || json.Unmarshal(next, &to) != nil {
			return p, false
		}
		to.Title = cmp.Or(p.Title, to.Title)
		to.Description = cmp.Or(p.Description, to.Description)
		if p.Default != nil {
			to.Default = p.Default
		}
		p = to
	}

	return p, false
}

// next returns the schema that p refers to, if it is only a reference.
func (r *reader) next(p property) (schema json.RawMessage, leads bool) {
	switch {
	case p.Ref != "":
		return r.at(p.Ref), true
	case len(p.AllOf) == 1:
		return p.AllOf[0], true
	}

	for _, all := range [][]json.RawMessage{p.AnyOf, p.OneOf} {
		rest := slices.DeleteFunc(slices.Clone(all), isNull)
		var only property
		if len(rest) == 1 && json.Unmarshal(rest[0], &only) == nil && only.Const == nil {
			return rest[0], true
		}
	}

	return nil, false
}

// at returns the schema of a reference within the document, or nil.
func (r *reader) at(ref string) json.RawMessage {
	if !strings.HasPrefix(ref, "#/") || strings.Count(ref, "/") > maxSteps {
		return nil
	}

	last := strings.LastIndexByte(ref, '/')
	above := ref[:last]
	name := ref[last+1:]
	members, known := r.within[above] // mostly one place for all
	if !known {
		value := r.root
		if above != "#" {
			value = r.at(above)
		}
		_ = json.Unmarshal(value, &members) // what is no object has no members
		if r.within == nil {
			r.within = map[string]map[string]json.RawMessage{}
		}
		r.within[above] = members
	}

	return members[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
}

func isNull(schema json.RawMessage) bool {
	var p property
	return json.Unmarshal(schema, &p) == nil && len(p.Type) == 1 && p.Type[0] == "null"
}

// resolveType leaves one type in p. Without a type, it takes the type of the values.
func (p *property) resolveType() bool {
	p.Type = slices.DeleteFunc(p.Type, func(t string) bool { return t == "null" })
	p.Enum = slices.DeleteFunc(p.Enum, func(v json.RawMessage) bool { return string(v) == "null" })
	if string(p.Default) == "null" {
		p.Default = nil
	}
	if p.Const != nil && p.Enum == nil && p.singleType() != string(Boolean) {
		p.Enum = []json.RawMessage{p.Const}
	}
	if len(p.Type) == 0 && len(p.Enum) > 0 {
		p.Type = oneOrMore{typeOf(p.Enum[0])}
	}
	if len(p.Type) == 0 && len(p.titledChoices()) > 0 {
		p.Type = oneOrMore{typeOf(p.titledChoices()[0].Const)}
	}

	return len(p.Type) == 1
}

func (p *property) singleType() string {
	if len(p.Type) != 1 {
		return ""
	}
	return p.Type[0]
}

func typeOf(value json.RawMessage) string {
	var v any
	_ = json.Unmarshal(value, &v) // what is no JSON is of no type
	switch v.(type) {
	case string:
		return string(Text)
	case float64:
		return string(Number)
	case bool:
		return string(Boolean)
	}

	return ""
}

// titledChoices returns the choices of p with titles.
func (p *property) titledChoices() (all []choice) {
	for _, one := range slices.Concat(p.OneOf, p.AnyOf) {
		var c choice
		if isNull(one) {
			continue
		}
		if json.Unmarshal(one, &c) != nil || c.Const == nil {
			return nil
		}
		all = append(all, c)
	}
	return all
}

type choice struct {
	Const json.RawMessage `json:"const"`
	Title string          `json:"title"`
}

// typed returns a choice as text, if it is of kind.
func typed(kind Kind, value json.RawMessage) (string, bool) {
	var s string
	switch {
	case kind == Text:
		return s, json.Unmarshal(value, &s) == nil
	case kind == Number || kind == Integer:
		return string(value), typeOf(value) == string(Number)
	}
	return "", false
}
