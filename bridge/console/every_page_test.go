package console

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/usage"
)

// everyPage are the pages of a rig with something on each.
func everyPage(r *rig) []string {
	r.client("c1", "CHAT")
	r.grant("g1", "root", "c1", "mcp:tools:sales", "offline_access", "x:unknown")
	r.grant("g2", "alice", "c1")
	for i, s := range operator.States {
		r.task("t"+string(rune('0'+i)), "root", s, "SAID")
	}
	r.must(r.OAuth.Accounts.SetDisabled(r.t.Context(), "bob", true))
	_, err := r.db.OAuth.Identities.Identify(r.t.Context(), account("corp:jo", "https://id.example"), true)
	r.must(err)
	r.must(r.Admin.Agents.Registry.Add(r.t.Context(), directory.AgentConfig{Name: "waiting", URL: "https://waiting.example", Review: true, Credentials: directory.Credentials{Type: "bearer", Secret: "s"}}, nil))
	r.card("waiting", `{"name":"ONE"}`, true)
	r.card("waiting", `{"name":"TWO","version":"2"}`, true)
	r.must(r.db.Records.AddCalls(r.t.Context(), []usage.Record{{ID: "u", At: time.Now().Add(-time.Hour), UserID: r.ids["root"], Tool: "SEND", Agent: "EXPERT", Millis: 1200, Outcome: usage.Failed, Task: "t1"}}))
	for _, k := range audit.Kinds {
		recorder{r.db}.Record(r.t.Context(), audit.Event{Kind: k, Actor: "ROOT", Address: "ADDRESS", Target: "TARGET", Detail: "DETAIL", Outcome: audit.Failed})
	}
	r.share("s1", "root")
	return []string{
		"/account", "/account?done=revoked", "/account/tasks", "/account/tasks?agent=none", "/account/password", "/account/links",
		"/admin", "/admin/agents", "/admin/agents?only=attention", "/admin/agents/one?name=expert", "/admin/agents/one?name=waiting", "/admin/agents/new", "/admin/agents/change?name=waiting",
		"/admin/usage", "/admin/usage?days=1&by=tool", "/admin/usage/calls", "/admin/audit", "/admin/audit?kind=account",
		"/admin/clients", "/admin/clients/one?id=c1", "/admin/clients/new", "/admin/grants", "/admin/grants?client=c1",
		"/admin/accounts", "/admin/accounts/one?name=alice", "/admin/accounts/one?name=corp:jo", "/admin/accounts/one?name=root", "/admin/accounts/new",
		"/admin/tasks", "/admin/tasks/one?id=t1", "/admin/keys", "/admin/settings", "/admin/doctor", "/admin/nothing", "/account/nothing",
	}
}

// ours returns the texts of a page that are not data. Data is in elements of its own.
func ours(p shownPage) (all []string) {
	for n := range p.doc.Descendants() {
		if n.Type == html.TextNode && !foreign(n) && strings.TrimSpace(n.Data) != "" {
			all = append(all, strings.Join(strings.Fields(n.Data), " "))
		}
		for _, a := range n.Attr {
			if slices.Contains([]string{"aria-label", "data-name", "data-done", "placeholder", "alt"}, a.Key) && a.Val != "" {
				all = append(all, a.Val)
			}
		}
	}
	return all
}

func foreign(n *html.Node) bool {
	if n.Parent != nil && n.Parent.Data == "option" && attr(n.Parent, "value") == n.Data {
		return true
	}
	for a := range n.Ancestors() {
		if slices.Contains([]string{"bdi", "code", "kbd", "pre", "time", "noscript"}, a.Data) || attr(a, "class") == "prose" || strings.HasPrefix(attr(a, "class"), "tile") || attr(a, "class") == "brand" || attr(a, "class") == "tongues" || attr(a, "lang") == "en" && a.Data != "html" {
			return true
		}
	}
	return false
}

// alike are words that both languages have.
var alike = []string{"ID", "Doctor", "·", "–", "✓", "✗", "Doctor · Rialto", "(2) Doctor · Rialto",
	"no", "bearer", "basic", "api_key", "client_credentials", "token_exchange", "p50", "p95", "JSONRPC", "HTTP+JSON", "GRPC", "Error"}

func TestNoEnglishIsLeftInTheSpanishPages(t *testing.T) {
	r := newRig(t)
	pages := everyPage(r)
	b := r.as("root")
	look := func(path string, show func() shownPage) {
		b.Header.Set("Accept-Language", "en")
		english := ours(show())
		b.Header.Set("Accept-Language", "es")
		spanish := show()
		if got := spanish.Header.Get("Content-Language"); got != "es" {
			t.Errorf("%s: got %q", path, got)
		}
		for _, s := range ours(spanish) {
			if slices.Contains(english, s) && !slices.Contains(alike, s) && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) {
				t.Errorf("%s: %q is the same in both languages", path, s)
			}
		}
	}
	for _, path := range pages {
		look(path, func() shownPage { return b.get(path) })
	}
	for path, form := range filled {
		if slices.Contains(form, "confirm") && path != "/admin/grants/end" && path != "/account/end" && path != "/admin/tasks/cancel" && path != "/account/tasks/cancel" {
			look(path, func() shownPage { return b.post(path, form[:len(form)-2]...) })
		}
	}
	look("/admin/accounts/new", func() shownPage { return b.post("/admin/accounts/new", "name", "alice", "password", password) })
	look("/account/password", func() shownPage {
		return b.post("/account/password", "present", "wrong", "next", "long enough", "again", "long enough")
	})
}

func TestEveryPageIsNamedAndItsFieldsLabelled(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	for _, path := range everyPage(r) {
		p := b.get(path)
		if len(p.all("h1")) != 1 || len(p.all("main")) != 1 {
			t.Errorf("%s: got %d h1 and %d main, want one of each", path, len(p.all("h1")), len(p.all("main")))
		}
		labelled, ids, landmarks := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, n := range p.all("nav.tabs") {
			name := attr(n, "aria-label")
			if landmarks[name] {
				t.Errorf("%s: two sets of tabs have the name %q", path, name)
			}
			landmarks[name] = true
		}
		for _, l := range p.all("label") {
			labelled[attr(l, "for")] = true
		}
		for n := range p.doc.Descendants() {
			id := attr(n, "id")
			if id != "" && ids[id] {
				t.Errorf("%s: two elements have the id %q", path, id)
			}
			ids[id] = true
			field := n.Data == "select" || n.Data == "textarea" || n.Data == "input" && attr(n, "type") != "hidden" && attr(n, "type") != "checkbox"
			if field && !labelled[id] {
				t.Errorf("%s: field %q has no label", path, attr(n, "name"))
			}
		}
	}
}
