package tools_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/bridge/tools"
	"rialto/bridge/uploads"
	"rialto/mcp"
)

var update = flag.Bool("update", false, "rewrite the table of tools in docs/reference.md")

// TestTheReferenceListsTheTools compares the table of the documentation with the tools.
func TestTheReferenceListsTheTools(t *testing.T) {
	const file = "../../docs/reference.md"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := &tools.Tools{
		Documents: &documents.Service{Sharing: &documents.Sharing{}},
		Runner:    &runner.Runner{Uploads: &uploads.Service{}},
	}
	var table strings.Builder
	table.WriteString("| tool | arguments | what it does |\n|---|---|---|\n")
	for _, tool := range all.List() {
		about, _, _ := strings.Cut(tool.Description, ". ")
		fmt.Fprintf(&table, "| `%s` | %s | %s. |\n", tool.Name, arguments(t, tool), strings.TrimSuffix(about, "."))
	}
	section := regexp.MustCompile(`(?s)(<!-- tools: .*? -->\n).*(<!-- end of tools -->)`)
	want := section.ReplaceAllString(string(doc), "${1}"+table.String()+"${2}")
	switch {
	case want == string(doc):
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s lists other tools: run go test ./bridge/tools -update", file)
	}
}

// arguments returns the names of the arguments of a tool, the required ones first.
func arguments(t *testing.T, tool mcp.Tool) string {
	t.Helper()
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	for _, name := range schema.Required {
		delete(schema.Properties, name)
	}
	names := slices.Concat(schema.Required, slices.Sorted(maps.Keys(schema.Properties)))
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
