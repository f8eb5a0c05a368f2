package a2asign

import (
	"bytes"
	"slices"

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
	for _, form := range []any{c.members, prune(c.members, &cardShape), clean(prune(c.members, &cardShape))} {
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
				m, known = member{s.others, true}, true
			}
			if value = prune(value, m.of); known && value != nil && (m.kept || !isDefault(value, m.of)) {
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
			if item = clean(item); item != nil {
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
			if value = clean(value); value != nil {
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
	required = member{kept: true}
	plain    = member{}

	cardShape = shape{members: map[string]member{
		"name": required, "description": required, "version": required,
		"documentationUrl": required, "iconUrl": required, // optional, so kept if set
		"supportedInterfaces":  {of: &interfaceShape, kept: true},
		"provider":             {of: &shape{members: map[string]member{"url": required, "organization": required}}},
		"capabilities":         {of: &capabilitiesShape, kept: true},
		"securitySchemes":      {of: &shape{others: &schemeShape}},
		"securityRequirements": {of: &requirementShape},
		"defaultInputModes":    required, "defaultOutputModes": required,
		"skills": {of: &skillShape, kept: true},
	}}
	interfaceShape = shape{members: map[string]member{
		"url": required, "protocolBinding": required, "tenant": plain, "protocolVersion": required,
	}}
	capabilitiesShape = shape{members: map[string]member{
		"streaming": required, "pushNotifications": required, "extendedAgentCard": required,
		"extensions": {of: &shape{members: map[string]member{
			"uri": plain, "description": plain, "required": plain, "params": {kept: true},
		}}},
	}}
	skillShape = shape{members: map[string]member{
		"id": required, "name": required, "description": required, "tags": required,
		"examples": plain, "inputModes": plain, "outputModes": plain,
		"securityRequirements": {of: &requirementShape},
	}}
	requirementShape = shape{members: map[string]member{
		"schemes": {of: &shape{others: &shape{members: map[string]member{"list": plain}}}},
	}}
	schemeShape = shape{members: map[string]member{
		"apiKeySecurityScheme":        {of: &shape{members: map[string]member{"description": plain, "location": required, "name": required}}},
		"httpAuthSecurityScheme":      {of: &shape{members: map[string]member{"description": plain, "scheme": required, "bearerFormat": plain}}},
		"oauth2SecurityScheme":        {of: &shape{members: map[string]member{"description": plain, "flows": {of: &flowsShape, kept: true}, "oauth2MetadataUrl": plain}}},
		"openIdConnectSecurityScheme": {of: &shape{members: map[string]member{"description": plain, "openIdConnectUrl": required}}},
		"mtlsSecurityScheme":          {of: &shape{members: map[string]member{"description": plain}}},
	}}
	flowsShape = shape{members: map[string]member{
		"authorizationCode": flow([]string{"authorizationUrl", "tokenUrl", "scopes"}, "refreshUrl", "pkceRequired"),
		"clientCredentials": flow([]string{"tokenUrl", "scopes"}, "refreshUrl"),
		"deviceCode":        flow([]string{"deviceAuthorizationUrl", "tokenUrl", "scopes"}, "refreshUrl"),
		"implicit":          flow(nil, "authorizationUrl", "refreshUrl", "scopes"),
		"password":          flow(nil, "tokenUrl", "refreshUrl", "scopes"),
	}}
)

// flow is an OAuth flow with the members that it must have, and others.
func flow(must []string, may ...string) member {
	s := shape{members: map[string]member{}}
	for _, name := range must {
		s.members[name] = required
	}
	for _, name := range may {
		s.members[name] = plain
	}
	return member{of: &s, kept: true}
}
