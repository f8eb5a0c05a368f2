package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Schema returns the form as a schema for MCP clients, with nothing else of the agent's schema.
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
	if f.needsText() {
		f.asText(b)
		return
	}
	b.WriteString(`{"type":"` + string(f.Kind) + `"`)
	put(b, "title", f.Title, f.Title != "")
	put(b, "description", f.Description, f.Description != "")
	put(b, "format", f.Format, f.Format != "")
	put(b, "minimum", f.Minimum, f.Minimum != nil)
	put(b, "maximum", f.Maximum, f.Maximum != nil)
	put(b, "minLength", f.MinLength, f.MinLength != nil)
	put(b, "maxLength", f.MaxLength, f.MaxLength != nil)
	f.choices(b)
	if v, problem := f.value(f.Default); f.Default != "" && problem.Sentence == "" {
		put(b, "default", v, true)
	}
	b.WriteByte('}')
}

func (f Field) choices(b *bytes.Buffer) {
	if len(f.Choices) == 0 {
		return
	}
	values, titles := make([]string, len(f.Choices)), make([]string, len(f.Choices))
	for i, c := range f.Choices {
		values[i], titles[i] = c.Value, c.Title
	}
	put(b, "enum", values, true)
	put(b, "enumNames", titles, !slices.Equal(values, titles))
}

// needsText reports whether MCP clients have no schema for the field.
func (f Field) needsText() bool { return f.Many || f.Kind != Text && len(f.Choices) > 0 }

// asText writes a field as text for which MCP clients have no schema: choices of
// numbers, and lists, which some clients know since 2025-11-25. Object parses the text.
func (f Field) asText(b *bytes.Buffer) {
	b.WriteString(`{"type":"string"`)
	put(b, "title", f.Title, f.Title != "")
	about := f.Description
	if f.Many {
		about = strings.TrimSpace(about + " Separate several with commas.")
		if values := make([]string, len(f.Choices)); len(values) > 0 {
			for i, c := range f.Choices {
				values[i] = c.Title
			}
			about += " Any of: " + strings.Join(values, ", ") + "."
		}
	}
	put(b, "description", about, about != "")
	given := f.Default
	if f.Many {
		given = strings.ReplaceAll(given, "\n", ", ")
	} else {
		f.choices(b)
	}
	put(b, "default", given, given != "")
	b.WriteByte('}')
}

// Object converts an object with the names of the fields to an object of the agent's
// schema. ok is false if a value does not fit its field.
func (f *Form) Object(content json.RawMessage) (object json.RawMessage, ok bool) {
	var values map[string]json.RawMessage
	if json.Unmarshal(content, &values) != nil {
		return nil, false
	}
	if !slices.ContainsFunc(f.Fields, func(field Field) bool { return field.needsText() || len(field.Path) > 1 }) {
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
			if problem.Sentence != "" {
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

// put writes a member, if there is set.
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
