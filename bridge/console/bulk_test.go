package console

import (
	"net/http"
	"strings"
	"testing"

	"rialto/a2a"
)

func TestTickedAppsAreDisconnectedAfterOneQuestion(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat")
	for _, id := range []string{"g1", "g2", "g3"} {
		r.grant(id, "alice", "c1")
	}
	r.grant("g-bob", "bob", "c1")
	b := r.as("alice")
	p := b.get("/account")
	if boxes := p.all("td.pick input[form=bulk]"); len(boxes) != 3 || attr(p.all("form#bulk")[0], "action") != "/account/end" {
		t.Fatalf("got %d boxes: %s", len(boxes), p.Body)
	}

	asked := b.post("/account/end", "id", "g1", "id", "g2", "id", "g-bob")
	if got := len(asked.all("#confirm input[name=id]")); got != 3 || !strings.Contains(asked.Text(), "3 connections end immediately") {
		t.Errorf("got a question with %d entries: %s", got, asked.Text())
	}
	if !r.live("g1") {
		t.Error("an app was disconnected before the question was answered")
	}
	p = b.post("/account/end", "id", "g1", "id", "g2", "id", "g-bob", "confirm", "yes")
	if p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if said := b.get(p.Header.Get("Location")); !strings.Contains(said.Text(), "2 of 3 apps disconnected.") {
		t.Errorf("got %s", said.Text())
	}
	for id, want := range map[string]bool{"g1": false, "g2": false, "g3": true, "g-bob": true} {
		if got := r.live(id); got != want {
			t.Errorf("%s is live: got %v, want %v", id, got, want)
		}
	}

	b = r.as("root")
	if got := len(b.get("/admin/grants").all("td.pick input")); got != 2 {
		t.Errorf("got %d boxes of an operator, want one for each live connection", got)
	}
	b.post("/admin/grants/end", "id", "g3", "id", "g-bob", "confirm", "yes")
	if r.live("g3") || r.live("g-bob") {
		t.Error("an operator's apps live on")
	}
}

func TestOnlyTasksThatGoOnAreTicked(t *testing.T) {
	r := newRig(t)
	r.task("t-asks", "alice", a2a.InputRequired, "Which quarter?")
	r.task("t-held", "alice", a2a.AuthRequired, "Sign in.")
	r.task("t-done", "alice", a2a.Completed, "Done.")
	r.task("t-bob", "bob", a2a.InputRequired, "Which quarter?")
	b := r.as("alice")
	p := b.get("/account/tasks")
	if got := len(p.all("td.pick input")); got != 2 || !strings.Contains(p.Text(), "3 in all") {
		t.Errorf("got %d boxes: %s", got, p.Text())
	}
	if got := words(p.all(".side .waits")[0]); got != "2 Waiting for you" || !strings.HasPrefix(words(p.all("title")[0]), "(2) Tasks") {
		t.Errorf("got %q beside the list, want what waits", got)
	}
	if got := len(b.get("/account/tasks?state=completed").all(".pick")); got != 0 {
		t.Errorf("got %d boxes in a list of tasks that have ended", got)
	}
	if got := words(r.as("root").get("/admin/tasks").all("#tasks .total")[0]); got != "4 in all" {
		t.Errorf("got %q", got)
	}
}
