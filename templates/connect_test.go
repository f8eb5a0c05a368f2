package templates_test

import (
	"testing"

	"rialto/templates"
)

func TestWhoIsOfAnotherAccountIsLedToTheirOwnFirst(t *testing.T) {
	doc := render(t, samples()["connect, of another account"], "")
	if got := doc.all(".primary"); len(got) != 1 || got[0].attr("id") != "switch" {
		t.Errorf("got %d primary buttons, want the one that switches the account alone", len(got))
	}
}

func TestTheWaysToConnectAnAgentAreToldApart(t *testing.T) {
	page := samples()["connect"].(templates.Connect)
	page.Error, page.Connected = "", false
	doc := render(t, page, "")
	if got := doc.one(t, "h1").text(); got != "Connect Maps" {
		t.Errorf("got heading %q, want the agent's title", got)
	}
	if got := doc.one(t, ".quiet code").text(); got != "maps" {
		t.Errorf("got name %q", got)
	}
	if got := len(doc.all("p.or")); got != 1 {
		t.Errorf("got %d lines that separate the first way from the others, want one", got)
	}
	seen := map[string]bool{}
	for _, b := range doc.all("form button") {
		if seen[b.text()] {
			t.Errorf("two buttons say %q", b.text())
		}
		seen[b.text()] = true
	}
	for _, fold := range doc.all("details") {
		if fold.has("open") || len(fold.all("summary")) != 1 || len(fold.all("input[type=password]")) != 1 {
			t.Error("want each other way that has fields folded")
		}
	}
	if got := len(doc.all("details form")); got != 3 {
		t.Errorf("got %d ways folded, want 3", got)
	}
	if got := doc.one(t, "a#leave").attr("href"); got != "/answer/t1" {
		t.Errorf("got the way out to %q, want the task", got)
	}
	page.TaskPath = ""
	if got := render(t, page, "").one(t, "a#leave").attr("href"); got != "/account/agents" {
		t.Errorf("got the way out to %q, want the agents of the account", got)
	}
	for _, fold := range render(t, samples()["connect"], "").all("details") {
		if !fold.has("open") {
			t.Error("got a way folded after an error: it may be in there")
		}
	}
}
