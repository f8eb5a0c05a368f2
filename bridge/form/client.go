package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// schema is a JSON Schema for MCP clients.
type schema struct {
	Type        Kind            `json:"type"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Properties  json.RawMessage `json:"properties,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Format      string          `json:"format,omitempty"`
	Minimum     *float64        `json:"minimum,omitempty"`
	Maximum     *float64        `json:"maximum,omitempty"`
	MinLength   *int            `json:"minLength,omitempty"`
	MaxLength   *int            `json:"maxLength,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	EnumNames   []string        `json:"enumNames,omitempty"`
	Default     any             `json:"default,omitempty"`
	Items       *schema         `json:"items,omitempty"`
	MinItems    *int            `json:"minItems,omitempty"`
	MaxItems    *int            `json:"maxItems,omitempty"`
}

// Schema returns the form as a schema for MCP clients, with nothing else of the agent's schema.
func (f *Form) Schema() json.RawMessage { return f.encode(Field.schema) }

// ListSchema is Schema with lists as lists, for the task card.
func (f *Form) ListSchema() json.RawMessage { return f.encode(Field.listSchema) }

func (f *Form) encode(schemaOf func(Field) schema) json.RawMessage {
	var properties object
	s := schema{Type: "object", Title: f.Title, Description: f.Description}
	for _, field := range f.Fields {
		properties.add(field.Name, schemaOf(field))
		if field.Required {
			s.Required = append(s.Required, field.Name)
		}
	}

	s.Properties = properties.encode()
	return encode(s)
}

func (f Field) schema() schema {
	if f.needsText() {
		return f.asText()
	}

	s := schema{
		Type:        f.Kind,
		Title:       f.Title,
		Description: f.Description,
		Format:      f.Format,
		Minimum:     f.Minimum,
		Maximum:     f.Maximum,
		MinLength:   f.MinLength,
		MaxLength:   f.MaxLength,
	}
	s.Enum, s.EnumNames = f.choices()
	if v, problem := f.value(f.Default); f.Default != "" && problem == nil {
		s.Default = v
	}

	return s
}

func (f Field) listSchema() schema {
	if !f.Many {
		return f.schema()
	}

	items := Field{
		Kind:    f.Kind,
		Choices: f.Choices,
		Format:  f.Format,
		Minimum: f.Minimum,
		Maximum: f.Maximum,
	}
	one := items.schema()
	return schema{
		Type:        "array",
		Title:       f.Title,
		Description: f.Description,
		Items:       &one,
		MinItems:    f.MinItems,
		MaxItems:    f.MaxItems,
		Default:     strings.FieldsFunc(f.Default, func(r rune) bool { return r == '\n' }),
	}
}

// choices returns the values of the choices, and their titles if they differ.
func (f Field) choices() (values, titles []string) {
	for _, c := range f.Choices {
		values = append(values, c.Value)
		titles = append(titles, c.Title)
	}
	if slices.Equal(values, titles) {
		titles = nil
	}
	return values, titles
}

// needsText reports whether MCP clients have no schema for the field.
func (f Field) needsText() bool { return f.Many || f.Kind != Text && len(f.Choices) > 0 }

// asText is the schema of a field as text for which MCP clients have no schema: choices of
// numbers, and lists, which some clients know since 2025-11-25. Object parses the text.
func (f Field) asText() schema {
	s := schema{Type: Text, Title: f.Title, Description: f.Description}
	lines := f.Default
	if f.Many {
		s.Description = strings.TrimSpace(s.Description + " Separate several with commas.")
		var titles []string
		for _, c := range f.Choices {
			titles = append(titles, c.Title)
		}
		if len(titles) > 0 {
			s.Description += " Any of: " + strings.Join(titles, ", ") + "."
		}
		lines = strings.ReplaceAll(lines, "\n", ", ")
	} else {
		s.Enum, s.EnumNames = f.choices()
	}
	if lines != "" {
		s.Default = lines
	}

	return s
}

// Object converts an object with the names of the fields to an object of the agent's
// schema. ok is false if a value does not fit its field.
func (f *Form) Object(content json.RawMessage) (object json.RawMessage, ok bool) {
	var values map[string]json.RawMessage
	if json.Unmarshal(content, &values) != nil {
		return nil, false
	}
	if !slices.ContainsFunc(
		f.Fields, func(field Field) bool { return field.needsText() || len(field.Path) > 1 },
	) {
		return content, true
	}

	whole := map[string]any{}
	for _, field := range f.Fields {
		v, there := values[field.Name]
		if !there || string(v) == "null" {
			continue
		}
		var typed any = v
		if field.needsText() {
			value, problem := field.value(field.lines(v))
			if problem != nil {
				return nil, false
			}
			typed = value
		}
		if typed != nil {
			field.set(whole, typed)
		}
	}

	object, err := json.Marshal(whole)
	return object, err == nil
}

// lines returns a value as it is typed into the form, a list as lines. A list in one line
// is separated by commas, and may have the titles of choices.
func (f Field) lines(v json.RawMessage) string {
	var text string
	if !f.Many || json.Unmarshal(v, &text) != nil {
		return inputText(v)
	}

	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' })
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		for _, c := range f.Choices {
			if strings.EqualFold(c.Title, parts[i]) {
				parts[i] = c.Value
			}
		}
	}

	return strings.Join(parts, "\n")
}

// set sets the value of the field in an object.
func (f Field) set(whole map[string]any, value any) {
	last := len(f.Path) - 1
	for _, name := range f.Path[:max(last, 0)] {
		inner, _ := whole[name].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			whole[name] = inner
		}
		whole = inner
	}

	whole[f.Path[last]] = value
}

// inputText returns a value as it is typed into a form, a list as lines.
func inputText(v json.RawMessage) string {
	var text string
	var list []json.RawMessage
	switch {
	case json.Unmarshal(v, &text) == nil:
		return text
	case json.Unmarshal(v, &list) == nil:
		lines := make([]string, len(list))
		for i, one := range list {
			lines[i] = inputText(one)
		}
		return strings.Join(lines, "\n")
	}

	return string(v)
}

// object is a JSON object whose members keep their order.
type object struct{ members bytes.Buffer }

func (o *object) add(name string, value any) {
	if o.members.Len() > 0 {
		o.members.WriteByte(',')
	}
	o.members.Write(encode(name))
	o.members.WriteByte(':')
	o.members.Write(encode(value))
}

func (o *object) encode() json.RawMessage {
	return slices.Concat([]byte{'{'}, o.members.Bytes(), []byte{'}'})
}

func encode(value any) json.RawMessage {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and finite numbers have a form
	}
	return b
}

// Words returns the values as text, a line for each field, for agents that read only text.
func (f *Form) Words(content json.RawMessage) string {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(content, &values) // what is no object has no members
	var lines []string
	for _, field := range f.Fields {
		v, ok := values[field.Name]
		if !ok || string(v) == "null" {
			continue
		}
		text := inputText(v)
		if field.Many {
			text = strings.ReplaceAll(field.lines(v), "\n", ", ")
		}
		lines = append(lines, field.Label()+": "+text)
	}

	return strings.Join(lines, "\n")
}
