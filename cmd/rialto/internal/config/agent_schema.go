package config

import (
	"reflect"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
)

// AgentMembers returns the members of an agent in the API by their names: the JSON Schema of each,
// with what the table says of it.
func AgentMembers() map[string]any {
	return members(reflect.TypeFor[Agent](), "agents[]")
}

// ConnectorMembers returns the members of a connector in the API in the same way.
func ConnectorMembers() map[string]any {
	return members(reflect.TypeFor[directory.Connector](), "connectors[]")
}

func members(of reflect.Type, key string) map[string]any {
	all := map[string]any{}
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "-" {
			all[name] = schemaOf(f.Type, key+"."+name)
		}
	}
	return all
}

// schemaOf returns the JSON Schema of the setting with a key.
func schemaOf(t reflect.Type, key string) map[string]any {
	schema := map[string]any{"type": "string"}
	if s, ok := find(key); ok {
		schema["description"] = s.about()
	}

	switch {
	case t == reflect.TypeFor[a2a.Generation]():
		schema["enum"] = directory.Generations
	case t == reflect.TypeFor[a2a.Binding]():
		schema["enum"] = directory.Bindings
	case t.Kind() == reflect.Bool:
		schema["type"] = "boolean"
	case t.Kind() == reflect.Slice:
		schema["type"] = "array"
		schema["items"] = schemaOf(t.Elem(), key+"[]")
	case t.Kind() == reflect.Struct:
		schema["type"] = "object"
		schema["properties"] = members(t, key)
	}

	return schema
}
