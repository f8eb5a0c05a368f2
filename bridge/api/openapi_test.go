package api

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/usage"

	"go.yaml.in/yaml/v3"
)

// TestEveryFieldIsDocumented compares the members that the API reads and writes with
// their schemas in the OpenAPI document.
func TestEveryFieldIsDocumented(t *testing.T) {
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	files, err := filepath.Glob("../../*/*/openapi.yaml")
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v, want one OpenAPI document", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err == nil {
		err = yaml.Unmarshal(text, &document)
	}
	if err != nil {
		t.Fatal(err)
	}
	for schema, body := range map[string]any{
		"AgentSetup": agentBody{}, "ListedAgent": directory.Status{}, "NewMessage": newMessage{},
		"Agent": Agent{}, "Skill": directory.SkillInfo{}, "Share": documents.Share{}, "NewShare": documents.Shared{},
		"Status": Status{}, "Task": Task{}, "TaskPast": Revisions{}, "Artifact": Artifact{}, "ReplacedArtifact": Version{}, "Turn": Turn{}, "Answer": Answer{},
		"AdminClient": operator.Client{}, "AdminGrant": operator.Grant{}, "Account": operator.Account{}, "AdminTask": operator.Task{},
		"OwnedTask": OwnedTask{}, "SigningKey": operator.Key{}, "AuditEvent": audit.Event{}, "UsageCall": usage.Record{}, "UsageSum": usage.Sum{},
	} {
		var documented []string
		for name := range document.Components.Schemas[schema].Properties {
			documented = append(documented, name)
		}
		slices.Sort(documented)
		if got := members(reflect.TypeOf(body)); !slices.Equal(got, documented) {
			t.Errorf("%s: the code has %v, and %s documents %v", schema, got, files[0], documented)
		}
	}
}

// members returns the names that encoding/json has for the fields of a struct.
func members(of reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "-" && f.IsExported() && (!f.Anonymous || name != "") {
			names = append(names, cmp.Or(name, f.Name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
