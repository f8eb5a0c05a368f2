package a2asign

import (
	"bytes"
	"slices"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Payload returns the canonical form of card, the JSON of a card, without its signatures.
// Equal cards have equal payloads.
func Payload(card []byte) ([]byte, error) {
	c, err := parse(card)
	if err != nil {
		return nil, err
	}
	return canonical(c.members)
}

// payloads returns what a signature of the card may be over, without those that are the same:
//
//   - the card as it is, which is what a signer without a schema signs;
//   - what A2A 1.0 section 8.4.1 says: the members that 1.0 has, without those
//     that have their default value, unless they must be there;
//   - what the SDKs in JavaScript and Python sign: the members that 1.0 has,
//     without any that is empty.
func (c *document) payloads() ([][]byte, error) {
	var out [][]byte
	pruned := prune(c.members, (&a2apb.AgentCard{}).ProtoReflect().Descriptor())
	for _, form := range []any{c.members, pruned, clean(pruned)} {
		b, err := canonical(form)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(other []byte) bool { return bytes.Equal(b, other) }) {
			out = append(out, b)
		}
	}

	return out, nil
}

// canonical returns v by RFC 8785.
func canonical(v any) ([]byte, error) {
	if v == nil {
		v = map[string]any{}
	}

	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}

	out := jsontext.Value(b)
	err = out.Canonicalize()
	return out, err
}

// prune returns of v, the JSON of a message, the members that the message has, without default values
// that say nothing. The protocol buffers of A2A say which members there are, and which are there even
// with their default value.
func prune(v any, message protoreflect.MessageDescriptor) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, prune(item, message))
		}
		return out
	case map[string]any:
		if message == nil || message.FullName().Parent() == "google.protobuf" { // any object
			return v
		}
		out := map[string]any{}
		for name, value := range v {
			f := message.Fields().ByJSONName(name)
			if message.IsMapEntry() {
				f = message.Fields().ByName("value") // of all its members
			}
			if f == nil {
				continue
			}
			value = prune(value, f.Message())
			kept := message.IsMapEntry() || f.HasPresence() || isRequired(f) || !isDefault(value)
			if kept && value != nil {
				out[name] = value
			}
		}
		return out
	default:
		return v
	}
}

func isRequired(f protoreflect.FieldDescriptor) bool {
	behavior, _ := proto.GetExtension(
		f.Options(), annotations.E_FieldBehavior,
	).([]annotations.FieldBehavior)
	return slices.Contains(behavior, annotations.FieldBehavior_REQUIRED)
}

// isDefault reports whether v is what a field has that was not set.
func isDefault(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return v == nil
	}
}

// clean returns v without anything empty, or nil if that is all of it.
func clean(v any) any {
	switch v := v.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []any:
		var out []any
		for _, item := range v {
			item = clean(item)
			if item != nil {
				out = append(out, item)
			}
		}
		if out == nil {
			return nil
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			value = clean(value)
			if value != nil {
				out[name] = value
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	}
	return v
}
