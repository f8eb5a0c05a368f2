// Package form converts a JSON Schema in the message of an agent to a form, and what a user has
// filled in to JSON. It supports what MCP clients can show (2025-06-18 and later,
// client/elicitation, "Requested Schema"), strings, numbers, booleans and choices, and what
// programs generate from their types: references, nullable alternatives, nested objects and lists.
// It does not know how a form looks, or how it is sent to the user.
package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"rialto/bridge/sanitize"
)

// Kind is what a field takes.
type Kind string

// The kinds of fields, named as in JSON Schema.
const (
	Text    Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Boolean Kind = "boolean"
)

// The formats of text that are checked. The agent checks others.
const (
	Email    = "email"
	URI      = "uri"
	Date     = "date"
	DateTime = "date-time"
)

// The bounds of a form. A schema that exceeds them is not a form.
const (
	maxFields  = 50
	maxChoices = 200
	maxName    = 100    // bytes of a field's name
	maxTitle   = 200    // characters of a title; longer titles are truncated
	maxWords   = 1000   // characters of a description, likewise
	maxDeep    = 3      // levels of nested objects
	maxItems   = 100    // of a list
	MaxText    = 10_000 // characters of a value
	maxSchema  = 64 << 10
	maxDefault = 1000 // characters of a default
)

// Form is an object for a user to fill in.
type Form struct {
	Title, Description string
	Fields             []Field // in the order of the schema
}

// Field is one of its members.
type Field struct {
	Name               string
	Title, Description string
	Kind               Kind
	Required           bool
	Format             string   // for Text: one of the constants, or ""
	Choices            []Choice // the valid values, unless there are none
	Default            string   // as it is typed into the form; "true" or "" for Boolean

	Path               []string // of the member in the object
	Many               bool     // a list of values, one on each line
	MinItems, MaxItems *int     // of the list

	Minimum, Maximum     *float64 // for Number and Integer
	MinLength, MaxLength *int     // for Text, in characters
}

// Choice is a value of a field with its title.
type Choice struct{ Value, Title string }

// Label returns the title of the field, or its name.
func (f Field) Label() string { return cmp.Or(f.Title, f.Name) }

// member returns the title of the field within its object.
func (f Field) member() string { return cmp.Or(f.Title, f.Path[len(f.Path)-1]) }

// wrappers are the members in which agents put a schema: of MCP's elicitation, and of
// the A2A samples.
var wrappers = []string{"requestedSchema", "schema", "form"}

// Read returns the form of a JSON value: the value is a schema, or has one in one of the
// wrappers. ok is false if there is no form that can be shown.
func Read(value []byte) (f *Form, ok bool) {
	if len(value) > maxSchema {
		return nil, false
	}
	if f, ok := read(value); ok {
		return f, true
	}

	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return nil, false
	}

	for _, name := range wrappers {
		if f, ok := read(members[name]); ok {
			return f, true
		}
	}

	return nil, false
}

// reader reads one schema.
type reader struct {
	root json.RawMessage
	form *Form

	within map[string]map[string]json.RawMessage // members of root, by the reference to the object that they are in
}

func read(value []byte) (*Form, bool) {
	r := &reader{root: value, form: &Form{}}
	p, ok := r.property(value)
	if !ok || p.singleType() != "object" || !r.object(p, nil, "", true) {
		return nil, false
	}
	r.form.Title, r.form.Description = sanitize.Short(p.Title, maxTitle), sanitize.Short(p.Description, maxWords)
	return r.form, true
}

// object adds the members of an object to the form. Members of nested objects are named
// by their path.
func (r *reader) object(p property, path []string, above string, required bool) bool {
	members, ok := inOrder(p.Properties)
	if !ok || len(members) == 0 || len(path) > maxDeep {
		return false
	}

	for _, m := range members {
		to := append(slices.Clone(path), m.name)
		must := required && slices.Contains(p.Required, m.name)
		inner, ok := r.property(m.value)
		if !ok {
			return false
		}
		if inner.singleType() == "object" {
			if !r.object(
				inner,
				to,
				above+sanitize.Short(cmp.Or(inner.Title, m.name), maxTitle)+": ",
				must,
			) {
				return false
			}
			continue
		}
		f, ok := r.field(inner, to)
		if !ok || len(r.form.Fields) == maxFields || r.form.has(f.Name) {
			return false
		}
		if above != "" {
			f.Title = sanitize.Short(above+f.member(), maxTitle)
		}
		f.Required = must
		r.form.Fields = append(r.form.Fields, f)
	}

	return !slices.ContainsFunc(p.Required, func(name string) bool { // it could not be filled in
		return !slices.ContainsFunc(members, func(m member) bool { return m.name == name })
	})
}

func (f *Form) has(name string) bool {
	return slices.ContainsFunc(f.Fields, func(field Field) bool { return field.Name == name })
}

// member is a property under its name.
type member struct {
	name  string
	value json.RawMessage
}

// inOrder returns the members of an object in their order. ok is false if a name repeats.
func inOrder(object []byte) (members []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}

	for d.More() {
		t, err := d.Token()
		name, isName := t.(string)
		var m member
		if err != nil || !isName || d.Decode(&m.value) != nil {
			return nil, false
		}
		m.name = name
		if slices.ContainsFunc(members, func(other member) bool { return other.name == name }) {
			return nil, false
		}
		members = append(members, m)
	}

	return members, true
}

// field returns the field of a property. ok is false for a property that a user cannot fill in.
func (r *reader) field(p property, path []string) (Field, bool) {
	name := strings.Join(path, ".")
	if path[len(path)-1] == "" || len(name) > maxName || sanitize.Label(name) != name {
		return Field{}, false
	}

	f := Field{
		Name:        name,
		Path:        path,
		Title:       sanitize.Short(p.Title, maxTitle),
		Description: sanitize.Short(p.Description, maxWords),
	}
	given := p.Default
	if p.singleType() == "array" {
		f.Many = true
		f.MinItems = p.MinItems
		f.MaxItems = p.MaxItems
		items, ok := r.property(p.Items)
		if !ok || items.singleType() == string(Boolean) {
			return Field{}, false
		}
		p = items
	}

	f.Kind = Kind(p.singleType())
	f.Minimum = p.Minimum
	f.Maximum = p.Maximum
	f.MinLength = p.MinLength
	f.MaxLength = p.MaxLength
	if !slices.Contains([]Kind{Text, Number, Integer, Boolean}, f.Kind) ||
		boundsCross(f.Minimum, f.Maximum) ||
		boundsCross(f.MinLength, f.MaxLength) ||
		boundsCross(f.MinItems, f.MaxItems) {
		return Field{}, false
	}
	if f.Kind == Text && slices.Contains([]string{Email, URI, Date, DateTime}, p.Format) {
		f.Format = p.Format
	}
	if f.Kind != Boolean && !f.choose(p) {
		return Field{}, false
	}

	f.Default = f.filledIn(given)
	return f, true
}

// boundsCross reports whether a lower bound is above the upper bound.
func boundsCross[N int | float64](least, most *N) bool {
	return least != nil && most != nil && *least > *most
}

// choose sets the choices of the field, and reports whether they can be shown.
func (f *Field) choose(p property) bool {
	for i, value := range p.Enum {
		c := choice{Const: value}
		if i < len(p.EnumNames) {
			c.Title = p.EnumNames[i]
		}
		if !f.offer(c) {
			return false
		}
	}

	for _, c := range p.titledChoices() {
		if !f.offer(c) {
			return false
		}
	}

	return len(p.OneOf)+len(p.AnyOf) == 0 || len(p.titledChoices()) > 0
}

func (f *Field) offer(c choice) bool {
	value, ok := typed(f.Kind, c.Const)
	if !ok || value == "" || sanitize.Short(value, maxTitle) != value ||
		len(f.Choices) == maxChoices {
		return false // what would be sent is not what was shown
	}
	f.Choices = append(
		f.Choices, Choice{Value: value, Title: sanitize.Short(cmp.Or(c.Title, value), maxTitle)},
	)
	return true
}

// filledIn returns a default as it is typed into the form, "" if it is not valid.
func (f *Field) filledIn(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}

	lines := []string{inputText(value)}
	if f.Many {
		lines = strings.Split(lines[0], "\n")
	}

	for i, line := range lines {
		lines[i] = sanitize.Short(line, maxDefault)
	}

	text := strings.Join(lines, "\n")
	_, problem := f.value(text)
	unchecked := f.Kind == Boolean && text != "true"
	if unchecked || problem != nil {
		return ""
	}

	return text
}
