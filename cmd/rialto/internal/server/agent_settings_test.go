package server

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"rialto/cmd/rialto/internal/config"
)

// TestEverySettingOfAnAgentIsInTheAPIAndTheConsole compares the table of settings
// with the OpenAPI document and with the form of the console.
func TestEverySettingOfAnAgentIsInTheAPIAndTheConsole(t *testing.T) {
	r := newAPIRig(t)
	r.operatorToken()
	schema := r.document().at(r.document().whole["components"].(map[string]any)["schemas"].(map[string]any)["AgentSetup"])
	members := schema["properties"].(map[string]any)
	_, page := r.visitor("alice").open(r.cfg.Load().URL + "/admin/agents/new")
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var inputs, forms []string
	for n := range doc.Descendants() {
		if slices.Contains([]string{"input", "select", "textarea"}, n.Data) && htmlAttr(n, "type") != "hidden" && htmlAttr(n, "name") != "" {
			inputs = append(inputs, htmlAttr(n, "name"))
		}
	}
	for _, s := range config.AgentSettings() {
		key := strings.TrimPrefix(s.Key, "agents[].")
		member, part, _ := strings.Cut(strings.Replace(key, "[]", "", 1), ".")
		about, ok := members[member].(map[string]any)
		if below, has := about["properties"].(map[string]any); has && s.Flag != "" {
			_, ok = below[part]
		}
		if !ok {
			t.Errorf("the OpenAPI document does not have %s", key)
		}
		input := cmp.Or(s.Form, member)
		if input != "-" && !slices.Contains(inputs, input) {
			t.Errorf("the form of the console has no input %q for %s: it has %q", input, key, inputs)
		}
		forms = append(forms, input)
	}
	for _, input := range inputs {
		if !slices.Contains(append(forms, "secret"), input) {
			t.Errorf("the form of the console has an input %q that the table of settings does not name", input)
		}
	}
}
