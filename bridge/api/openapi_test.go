package api

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/usage"
)

// openAPI is the part of the OpenAPI document that is compared with the code.
type openAPI struct {
	file  string
	Paths map[string]struct {
		Get struct {
			Parameters []parameter
			Responses  map[string]struct {
				Content map[string]struct {
					Schema struct {
						Properties map[string]struct{ Items ref }
					}
				}
			}
		}
	}
	Components struct {
		Schemas    map[string]struct{ Properties map[string]any }
		Parameters map[string]parameter
	}
}

type ref struct {
	Ref string `yaml:"$ref"`
}

// name returns the last part of a reference.
func (r ref) name() string { return r.Ref[strings.LastIndex(r.Ref, "/")+1:] }

type parameter struct {
	ref    `yaml:",inline"`
	Name   string
	Schema struct{ Enum []string }
}

func readOpenAPI(t *testing.T) *openAPI {
	t.Helper()
	files, err := filepath.Glob("../../cmd/rialto/internal/server/openapi.yaml")
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v, want one OpenAPI document", files, err)
	}
	document := &openAPI{file: files[0]}
	text, err := os.ReadFile(files[0])
	if err == nil {
		err = yaml.Unmarshal(text, document)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{"ListedAgent", "AgentSetup"} { // as the server does
		for _, setting := range members(reflect.TypeFor[directory.AgentConfig]()) {
			document.Components.Schemas[schema].Properties[setting] = nil
		}
	}
	return document
}

// TestTheListsOfOperatorsAreDocumented compares the tables of bridge/operator with the paths of their
// lists: the filters with the parameters, and the columns of commands with the members of entries.
func TestTheListsOfOperatorsAreDocumented(t *testing.T) {
	document := readOpenAPI(t)
	for path, resource := range map[string]string{
		"/api/v1/admin/grants": "grants", "/api/v1/admin/clients": "clients", "/api/v1/admin/accounts": "accounts",
		"/api/v1/admin/agents": "agents", "/api/v1/admin/tasks": "tasks", "/api/v1/admin/audit": "events",
		"/api/v1/admin/keys": "keys", "/api/v1/usage": "calls",
	} {
		query, list := operator.NewQuery(resource), document.Paths[path].Get
		documented := map[string][]string{}
		for _, p := range list.Parameters {
			if p.Ref != "" {
				p = document.Components.Parameters[p.name()]
			}
			documented[p.Name] = p.Schema.Enum
		}
		for _, paging := range []string{"page_size", "page_token", "by", "every", "bill", "format"} {
			delete(documented, paging)
		}
		read := map[string]bool{}
		for _, f := range operator.Filters(query) {
			values, known := documented[f.Param]
			read[f.Param] = true
			if f.Param != "" && !known {
				t.Errorf("%s: the parameter %s is not documented", path, f.Param)
			}
			if known && !f.Open && !sameWords(f.Values(), values) {
				t.Errorf("%s: %s takes %v, and %v is documented", path, f.Param, f.Values(), values)
			}
		}
		for name := range documented {
			if !read[name] {
				t.Errorf("%s: the parameter %s is documented, and not read", path, name)
			}
		}
		body := list.Responses["200"].Content["application/json"].Schema
		entry := document.Components.Schemas[body.Properties[resource].Items.name()]
		for _, column := range query.Table().Command {
			if _, ok := entry.Properties[column.Name]; !ok {
				t.Errorf("%s: the column %s is no member of an entry", path, column.Name)
			}
		}
	}
}

func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// TestEveryFieldIsDocumented compares the members that the API reads and writes with
// their schemas in the OpenAPI document.
func TestEveryFieldIsDocumented(t *testing.T) {
	document := readOpenAPI(t)
	for schema, body := range map[string]any{
		"AgentSetup": agentBody{}, "ListedAgent": directory.AgentStatus{}, "NewMessage": newMessage{},
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
			t.Errorf("%s: the code has %v, and %s documents %v", schema, got, document.file, documented)
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
