package tools

import (
	"bytes"
	"encoding/json"
	"strings"

	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// The bounds of a schema that comes from a card: it is shown to models.
const (
	maxForm      = 16 << 10 // bytes
	maxFormDepth = 10
	maxFormText  = 1000 // characters
)

// formSchema returns the input schema of a skill, cleaned and bounded, without foreign
// keywords and outside references; nil if it is not usable.
func formSchema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || len(raw) > maxForm {
		return nil
	}

	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}

	v, ok := fitForm(v, maxFormDepth)
	if schema, is := v.(map[string]any); !ok || !is || schema["type"] != "object" {
		return nil
	}

	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}

	return b
}

const maxExamples = 3 // in a description

// exampleArguments returns examples of the arguments of the tool of a skill, as JSON. The examples of
// a card are messages, and arguments where the agent wrote them so. Where the tool needs one text, the
// messages are that text; elsewhere they would contradict the schema, which then makes an example.
func exampleArguments(s skillOf, tool *mcp.Tool) (all []string) {
	said := sanitize.Labels(s.skill.Examples)
	for _, example := range said {
		if tool.Accepts(json.RawMessage(example)) && len(all) < maxExamples {
			all = append(all, example)
		}
	}
	if len(all) > 0 {
		return all
	}

	made := tool.Example()
	var needs struct{ Required []string }
	_ = json.Unmarshal(tool.InputSchema, &needs) // it is a schema
	if len(needs.Required) == 1 && bytes.HasSuffix(made, []byte(`:"..."}`)) {
		for _, example := range said[:min(len(said), maxExamples)] {
			b, err := json.Marshal(map[string]string{needs.Required[0]: example})
			if err == nil && tool.Accepts(b) {
				all = append(all, string(b))
			}
		}
	}
	if len(all) == 0 && len(made) > len("{}") {
		all = []string{string(made)}
	}
	return all
}

func fitForm(v any, depth int) (any, bool) {
	if depth == 0 {
		return nil, false
	}

	switch v := v.(type) {
	case string:
		return sanitize.Short(v, maxFormText), true
	case []any:
		for i := range v {
			fit, ok := fitForm(v[i], depth-1)
			if !ok {
				return nil, false
			}
			v[i] = fit
		}
	case map[string]any:
		return fitMembers(v, depth)
	}

	return v, true
}

func fitMembers(members map[string]any, depth int) (any, bool) {
	all := make(map[string]any, len(members))
	for name, value := range members {
		if ref, ok := value.(string); name == "$ref" && (!ok || !strings.HasPrefix(ref, "#")) {
			return nil, false
		}
		if strings.HasPrefix(name, "x-") || name == "$id" || name == "$schema" {
			continue
		}
		if sanitize.Text(name) != name || len(name) > sanitize.MaxName {
			return nil, false
		}
		fit, ok := fitForm(value, depth-1)
		if !ok {
			return nil, false
		}
		all[name] = fit
	}

	return all, true
}
