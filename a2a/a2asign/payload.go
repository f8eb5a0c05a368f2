package a2asign

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	for _, form := range []any{c.members, prune(c.members, cardShape), clean(prune(c.members, cardShape))} {
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

// shape says which members a message has. A nil shape is any value.
type shape struct {
	members map[string]member
	others  *shape // of a map: what all its values are
}

// member is a field of a message.
type member struct {
	of   *shape
	kept bool // also with its default value: it is REQUIRED or optional
}

// prune returns of v what s has, without default values that say nothing.
func prune(v any, s *shape) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, prune(item, s))
		}
		return out
	case map[string]any:
		if s == nil {
			return v
		}
		out := map[string]any{}
		for name, value := range v {
			m, known := s.members[name]
			if s.others != nil {
				m = member{s.others, true}
				known = true
			}
			value = prune(value, m.of)
			kept := m.kept || !isDefault(value, m.of)
			if known && kept && value != nil {
				out[name] = value
			}
		}
		return out
	default:
		return v
	}
}

// isDefault reports whether v is what a field has that was not set. A message
// that is there was set, even if nothing is in it.
func isDefault(v any, s *shape) bool {
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
		return len(v) == 0 && (s == nil || s.others != nil)
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

// The messages of a card (A2A 1.0 section 4.4), by the names of their JSON.
var (
	// documentationUrl and iconUrl are optional, so they are kept if set.
	cardShape = newShape(
		"name description version documentationUrl iconUrl defaultInputModes defaultOutputModes",
		"",
		map[string]member{
			"supportedInterfaces":  {of: interfaceShape, kept: true},
			"provider":             {of: newShape("url organization", "", nil)},
			"capabilities":         {of: capabilitiesShape, kept: true},
			"securitySchemes":      {of: &shape{others: schemeShape}},
			"securityRequirements": {of: requirementShape},
			"skills":               {of: skillShape, kept: true},
		},
	)
	interfaceShape    = newShape("url protocolBinding protocolVersion", "tenant", nil)
	capabilitiesShape = newShape("streaming pushNotifications extendedAgentCard", "",
		map[string]member{"extensions": {of: newShape("params", "uri description required", nil)}})
	skillShape = newShape("id name description tags", "examples inputModes outputModes",
		map[string]member{"securityRequirements": {of: requirementShape}})
	requirementShape = newShape("", "",
		map[string]member{"schemes": {of: &shape{others: newShape("", "list", nil)}}})
	schemeShape = newShape("", "", map[string]member{
		"apiKeySecurityScheme":        {of: newShape("location name", "description", nil)},
		"httpAuthSecurityScheme":      {of: newShape("scheme", "description bearerFormat", nil)},
		"oauth2SecurityScheme":        {of: newShape("", "description oauth2MetadataUrl", flows)},
		"openIdConnectSecurityScheme": {of: newShape("openIdConnectUrl", "description", nil)},
		"mtlsSecurityScheme":          {of: newShape("", "description", nil)},
	})
	flows = map[string]member{"flows": {of: newShape("", "", map[string]member{
		"authorizationCode": flow("authorizationUrl tokenUrl scopes", "refreshUrl pkceRequired"),
		"clientCredentials": flow("tokenUrl scopes", "refreshUrl"),
		"deviceCode":        flow("deviceAuthorizationUrl tokenUrl scopes", "refreshUrl"),
		"implicit":          flow("", "authorizationUrl refreshUrl scopes"),
		"password":          flow("", "tokenUrl refreshUrl scopes"),
	}), kept: true}}
)

// newShape returns a message with members that are kept, others that are not if they have their
// default value, and messages in it.
func newShape(kept, plain string, messages map[string]member) *shape {
	s := shape{members: map[string]member{}}
	for name := range strings.FieldsSeq(kept) {
		s.members[name] = member{kept: true}
	}
	for name := range strings.FieldsSeq(plain) {
		s.members[name] = member{}
	}
	maps.Copy(s.members, messages)
	return &s
}

// flow is an OAuth flow.
func flow(kept, plain string) member { return member{of: newShape(kept, plain, nil), kept: true} }
