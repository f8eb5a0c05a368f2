package tools

import (
	"encoding/json"
	"testing"
)

// TestASchemaWithoutPropertiesGetsNone: an agent's card with null in their place once ended the program.
func TestASchemaWithoutPropertiesGetsNone(t *testing.T) {
	for schema, takes := range map[string]bool{
		`{"type":"object","properties":null}`:                       false,
		`{"type":"object"}`:                                         false,
		`{"type":"object","properties":{"files":{}}}`:               false,
		`{"type":"object","properties":{}}`:                         true,
		`{"type":"object","properties":{"city":{"type":"string"}}}`: true,
	} {
		got, ok := withFiles(json.RawMessage(schema))
		if ok != takes || (string(got) != schema) != takes {
			t.Errorf("%s: got %v and %s", schema, ok, got)
		}
	}
}
