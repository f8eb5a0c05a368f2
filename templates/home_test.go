package templates_test

import (
	"testing"

	"rialto/templates"
)

func TestHomeShowsTheAddressAndHowToConnect(t *testing.T) {
	doc := render(t, samples()["home"], "")
	if got := doc.one(t, "#url").text(); got != "https://rialto.example/mcp" {
		t.Errorf("got address %q", got)
	}
	for _, b := range doc.all("button[data-copy]") {
		if len(doc.all("#"+b.attr("data-copy"))) != 1 {
			t.Errorf("a copy button points at %q, which is not there", b.attr("data-copy"))
		}
		if !b.has("hidden") {
			t.Error("a copy button shows before the script that makes it work")
		}
	}
	if got := len(doc.all("ol.steps li")); got != 2 {
		t.Errorf("got %d steps, want 2", got)
	}
	if got := doc.one(t, "#agents h3").text(); got != "Expert" {
		t.Errorf("got agent %q, want Expert", got)
	}
	render(t, samples()["home, empty"], "").one(t, "#no-agents")
	if got := len(render(t, samples()["home, to nobody"], "").all("#no-agents")); got != 0 {
		t.Error("strangers see agents")
	}
}

func TestHomeLeadsOnlyWhereOneMayGo(t *testing.T) {
	admin := samples()["home"].(templates.Home)
	admin.Admin = true
	for name, c := range map[string]struct {
		page                           templates.Home
		account, console, docs, signIn int
	}{
		"an administrator": {admin, 1, 1, 1, 0},
		"a person":         {samples()["home"].(templates.Home), 1, 0, 1, 0},
		"a stranger":       {samples()["home, to nobody"].(templates.Home), 0, 0, 1, 1},
	} {
		got := map[string]int{}
		for _, a := range render(t, c.page, "").all("a") {
			got[a.attr("href")]++
		}
		if got["/account"] != c.account || got["/admin"] != c.console || got["/docs"] != c.docs || got["/signin"] != c.signIn {
			t.Errorf("%s: got the links %v", name, got)
		}
	}
}
