// Package form reads the forms that agents ask people to fill in, from the JSON
// Schemas in their messages, and reads what a person filled in. It takes what
// MCP clients can show (2025-06-18 and later, client/elicitation, "Requested
// Schema"): one object whose properties are strings, numbers, booleans and
// choices. How a form looks is in package templates; how it is asked for, in
// package bridge.
package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Kind is what a field takes.
type Kind string

// The kinds of fields, in the words of JSON Schema.
const (
	Text    Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Boolean Kind = "boolean"
)

// The formats of text that are checked; any other is left to the agent.
const (
	Email    = "email"
	URI      = "uri"
	Date     = "date"
	DateTime = "date-time"
)

// What a form may have at most. A schema that has more is none.
const (
	mostFields  = 50
	mostChoices = 200
	mostName    = 100    // bytes of a field's name
	mostTitle   = 200    // characters of a title; longer ones are cut
	mostWords   = 1000   // the same of a description
	MostText    = 10_000 // characters that a person may fill into a field
	mostSchema  = 64 << 10
	mostDefault = 1000 // characters of a value that is filled in already
)

// Form is an object for a person to fill in.
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
	Format             string   // of Text: one of the constants, or ""
	Choices            []Choice // of Text: nothing else is taken, unless there are none
	Default            string   // as a person would type it; of Boolean "true" or ""

	Least, Most       *float64 // of Number and Integer
	Shortest, Longest *int     // of Text, in characters
}

// Choice is a value that a field takes, and what to call it.
type Choice struct{ Value, Title string }

// Label is what to call the field.
func (f Field) Label() string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

// schema is an object's schema, as far as a form can be made of it.
type schema struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`
}

// property is the schema of a member.
type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []choice        `json:"oneOf"`
	Default     json.RawMessage `json:"default"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	MinLength   *int            `json:"minLength"`
	MaxLength   *int            `json:"maxLength"`
}

type choice struct {
	Const *string `json:"const"`
	Title string  `json:"title"`
}

// wrappers are the members under which agents are known to put a schema beside
// other things: those of MCP's elicitation, and of the samples of A2A.
var wrappers = []string{"requestedSchema", "schema", "form"}

// Read returns the form that a JSON value of an agent's describes: the value is
// a schema, or has one in a member that says so. ok is unset if it describes
// none that can be shown. words makes a text of an agent fit to be shown.
func Read(value []byte, words func(text string, most int) string) (f *Form, ok bool) {
	if len(value) > mostSchema {
		return nil, false
	}
	if f, ok := read(value, words); ok {
		return f, true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return nil, false
	}
	for _, name := range wrappers {
		if f, ok := read(members[name], words); ok {
			return f, true
		}
	}
	return nil, false
}

func read(value []byte, words func(string, int) string) (*Form, bool) {
	var s schema
	if json.Unmarshal(value, &s) != nil || s.Type != "object" {
		return nil, false
	}
	members, ok := inOrder(s.Properties)
	if !ok || len(members) == 0 || len(members) > mostFields {
		return nil, false
	}
	f := &Form{Title: words(s.Title, mostTitle), Description: words(s.Description, mostWords)}
	for _, m := range members {
		field, ok := m.field(words)
		if !ok {
			return nil, false
		}
		field.Required = slices.Contains(s.Required, field.Name)
		f.Fields = append(f.Fields, field)
	}
	known := func(name string) bool {
		return slices.ContainsFunc(f.Fields, func(field Field) bool { return field.Name == name })
	}
	for _, name := range s.Required {
		if !known(name) {
			return nil, false // nobody could fill it in
		}
	}
	return f, true
}

// member is a property under its name.
type member struct {
	name  string
	value json.RawMessage
}

// inOrder returns the members of an object as they were written; no name twice.
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
		if m.name = name; slices.ContainsFunc(members, func(other member) bool { return other.name == name }) {
			return nil, false
		}
		members = append(members, m)
	}
	return members, true
}

// field returns the field of a property, if a person can fill in such a one.
func (m member) field(words func(string, int) string) (Field, bool) {
	var p property
	if json.Unmarshal(m.value, &p) != nil || m.name == "" || len(m.name) > mostName || words(m.name, mostName) != m.name {
		return Field{}, false
	}
	f := Field{
		Name: m.name, Title: words(p.Title, mostTitle), Description: words(p.Description, mostWords), Kind: Kind(p.Type),
		Least: p.Minimum, Most: p.Maximum, Shortest: p.MinLength, Longest: p.MaxLength,
	}
	if !slices.Contains([]Kind{Text, Number, Integer, Boolean}, f.Kind) {
		return Field{}, false
	}
	if f.Kind == Text {
		if slices.Contains([]string{Email, URI, Date, DateTime}, p.Format) {
			f.Format = p.Format
		}
		if !f.choose(p, words) {
			return Field{}, false
		}
	}
	f.Default = f.filledIn(p.Default, words)
	return f, true
}

// choose fills in the choices of a property, and reports whether they can be
// shown.
func (f *Field) choose(p property, words func(string, int) string) bool {
	if len(p.Enum) > mostChoices || len(p.OneOf) > mostChoices {
		return false
	}
	for i, value := range p.Enum {
		c := Choice{Value: value, Title: value}
		if i < len(p.EnumNames) && p.EnumNames[i] != "" {
			c.Title = p.EnumNames[i]
		}
		f.Choices = append(f.Choices, c)
	}
	for _, one := range p.OneOf {
		if one.Const == nil {
			return false
		}
		title := one.Title
		if title == "" {
			title = *one.Const
		}
		f.Choices = append(f.Choices, Choice{Value: *one.Const, Title: title})
	}
	for i, c := range f.Choices {
		if c.Value == "" || words(c.Value, mostTitle) != c.Value {
			return false // what would be sent is not what was shown
		}
		f.Choices[i].Title = words(c.Title, mostTitle)
	}
	return true
}

// filledIn returns a default as a person would type it, "" if it is none.
func (f *Field) filledIn(value json.RawMessage, words func(string, int) string) string {
	var text string
	switch {
	case len(value) == 0 || string(value) == "null":
		return ""
	case f.Kind == Text:
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
	default:
		text = string(value)
	}
	text = words(text, mostDefault)
	if _, problem := f.value(text); problem.Sentence != "" || f.Kind == Boolean && text != "true" {
		return ""
	}
	return text
}

// Schema returns the form as a schema for MCP clients. It holds nothing of the
// agent's but what a Form has.
func (f *Form) Schema() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object"`)
	put(&b, "title", f.Title, f.Title != "")
	put(&b, "description", f.Description, f.Description != "")
	b.WriteString(`,"properties":{`)
	required := []string{}
	for i, field := range f.Fields {
		if i > 0 {
			b.WriteByte(',')
		}
		write(&b, field.Name)
		b.WriteByte(':')
		field.schema(&b)
		if field.Required {
			required = append(required, field.Name)
		}
	}
	b.WriteByte('}')
	put(&b, "required", required, len(required) > 0)
	b.WriteByte('}')
	return b.Bytes()
}

func (f Field) schema(b *bytes.Buffer) {
	b.WriteString(`{"type":"` + string(f.Kind) + `"`)
	put(b, "title", f.Title, f.Title != "")
	put(b, "description", f.Description, f.Description != "")
	put(b, "format", f.Format, f.Format != "")
	put(b, "minimum", f.Least, f.Least != nil)
	put(b, "maximum", f.Most, f.Most != nil)
	put(b, "minLength", f.Shortest, f.Shortest != nil)
	put(b, "maxLength", f.Longest, f.Longest != nil)
	if len(f.Choices) > 0 {
		values, titles := make([]string, len(f.Choices)), make([]string, len(f.Choices))
		for i, c := range f.Choices {
			values[i], titles[i] = c.Value, c.Title
		}
		put(b, "enum", values, true)
		put(b, "enumNames", titles, !slices.Equal(values, titles))
	}
	if v, problem := f.value(f.Default); f.Default != "" && problem.Sentence == "" {
		put(b, "default", v, true)
	}
	b.WriteByte('}')
}

// put writes one more member, if it is there.
func put(b *bytes.Buffer, name string, value any, there bool) {
	if !there {
		return
	}
	b.WriteString(`,"` + name + `":`)
	write(b, value)
}

func write(b *bytes.Buffer, value any) {
	v, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and finite numbers have a form
	}
	b.Write(v)
}

// Words returns what was filled in as text, a line for each member, for agents
// that read words only.
func (f *Form) Words(content json.RawMessage) string {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(content, &values) // what is no object has no members
	var lines []string
	for _, field := range f.Fields {
		v, ok := values[field.Name]
		if !ok || string(v) == "null" {
			continue
		}
		text := string(v)
		var s string
		if json.Unmarshal(v, &s) == nil {
			text = s
		}
		lines = append(lines, field.Label()+": "+text)
	}
	return strings.Join(lines, "\n")
}
