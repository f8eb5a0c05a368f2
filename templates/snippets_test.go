package templates_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"rialto/templates"
)

func TestTheStyleSheetHidesTheStepsOfAllAppsButOne(t *testing.T) {
	style, err := os.ReadFile("../static/files/style.css")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range templates.Snippets("https://rialto.example/mcp") {
		if rule := fmt.Sprintf(".tabs:has(#tab-%d:not(:checked)) > #panel-%[1]d", i); !strings.Contains(string(style), rule) {
			t.Errorf("%s: style.css lacks %s", s.Client, rule)
		}
	}
}

func TestOnlyHostedAppsNeedAPublicAddress(t *testing.T) {
	for _, s := range templates.Snippets("http://127.0.0.1:8080/mcp") {
		if hosted := s.Client == "ChatGPT" || s.Client == "Claude"; hosted != (s.Note != "") || strings.Contains(s.Steps, "--url") {
			t.Errorf("%s: got the note %q and the steps %q", s.Client, s.Note, s.Steps)
		}
	}
	for _, s := range templates.Snippets("https://rialto.example/mcp") {
		if s.Note != "" {
			t.Errorf("%s: got the note %q at a public address", s.Client, s.Note)
		}
	}
}
