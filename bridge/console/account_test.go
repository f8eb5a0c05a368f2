package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/oauth"
)

func TestAPersonSeesAndEndsTheirOwnConnections(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat <b>One</b>")
	r.grant("g-alice", "alice", "c1", "mcp:tools:sales")
	r.grant("g-bob", "bob", "c1")
	b := r.as("alice")
	p := b.get("/account")
	rows := p.all("#connections tbody tr")
	if len(rows) != 1 || !strings.Contains(words(rows[0]), "Chat <b>One</b>") || !strings.Contains(words(rows[0]), "in the use case sales") || !strings.Contains(words(rows[0]), "expert") {
		t.Fatalf("got %d rows: %s", len(rows), p.Text())
	}
	if p := b.post("/account/end", "id", "g-bob", "confirm", "yes"); p.Status != http.StatusNotFound || !r.live("g-bob") {
		t.Errorf("got %d for another user's, want 404", p.Status)
	}
	p = b.post("/account/end", "id", "g-alice", "confirm", "yes")
	if p.Status != http.StatusSeeOther || r.live("g-alice") {
		t.Fatalf("got %d, want it ended", p.Status)
	}
	p = b.get(p.Header.Get("Location"))
	if len(p.all("#done")) != 1 || len(p.all("#connections .empty")) != 1 {
		t.Errorf("want a page that says so, with no connection: %s", p.Text())
	}
}

func TestAllConnectionsOfAPersonEndTogether(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat")
	r.grant("g1", "alice", "c1")
	r.grant("g2", "alice", "partner")
	r.grant("g-bob", "bob", "c1")
	if p := r.as("alice").post("/account/end-all", "confirm", "yes"); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if r.live("g1") || r.live("g2") || !r.live("g-bob") {
		t.Error("want those of alice ended, and that of bob as it was")
	}
}

func TestAPersonSeesTheirOwnTasks(t *testing.T) {
	r := newRig(t)
	r.task("t-alice", "alice", a2a.Working, "Counting <i>.")
	r.task("t-done", "alice", a2a.Completed, "Done.")
	r.task("t-bob", "bob", a2a.Working, "Secret.")
	b := r.as("alice")
	p := b.get("/account/tasks")
	if got := len(p.all("#tasks tbody tr")); got != 2 || strings.Contains(p.Body, "t-bob") || !strings.Contains(p.Text(), "Counting <i>.") {
		t.Errorf("got %d rows: %s", got, p.Text())
	}
	p = b.get("/account/tasks?state=completed")
	if got := len(p.all("#tasks tbody tr")); got != 1 || !strings.Contains(p.Body, "/answer/t-done") {
		t.Errorf("got %d rows for the state, want one", got)
	}
	if p := b.get("/account/tasks?after=nonsense"); p.Status != http.StatusOK {
		t.Errorf("got %d for an unknown page, want the first", p.Status)
	}
}

func TestListsDoNotTranslateWhatAnAgentSays(t *testing.T) {
	r := newRig(t)
	r.task("t-said", "root", a2a.Failed, "The agent no longer knows this task.")
	r.must(r.db.Ledger.AddTask(t.Context(), &ledger.Record{
		Asked: "Forgotten", Handle: "t-ours", Owner: r.ids["root"], Client: "c1", Agent: "expert", MessageID: "m", Created: time.Now(), Updated: time.Now(),
		Idle: true, Failure: ledger.Fail(a2a.TaskNotFound, "The agent no longer knows this task."),
	}, "r", 1000))
	b := r.as("root")
	b.Header = http.Header{"Accept-Language": {"es"}}
	for path, rows := range map[string]string{"/account/tasks": "#tasks tbody tr", "/admin/tasks": "tbody tr", "/admin": "#failed li"} {
		said, translated := 0, 0
		for _, row := range b.get(path).all(rows) {
			said += strings.Count(words(row), "The agent no longer knows this task.")
			translated += strings.Count(words(row), "El agente ya no conoce esta tarea.")
		}
		if said < 1 || translated != 1 {
			t.Errorf("%s: got the agent's words %d times and ours in Spanish %d times", path, said, translated)
		}
	}
}

func TestAPersonSeesAndForgetsTheirAccountsAtAgents(t *testing.T) {
	r := newRig(t)
	r.connect("alice", "expert")
	r.connect("bob", "expert")
	r.connect("bob", "second")
	b := r.as("alice")
	p := b.get("/account/agents")
	if got := len(p.all("#agents tbody tr")); got != 1 || len(p.all("#agents a[href=/connect/expert]")) != 1 || strings.Contains(p.Body, "k3y") {
		t.Fatalf("got %d rows: %s", got, p.Text())
	}
	for _, form := range [][]string{{"agent", "second"}, {"agent", "second", "confirm", "yes"}} {
		if p := b.post("/account/agents/forget", form...); p.Status != http.StatusNotFound {
			t.Errorf("got %d for another user's, want 404", p.Status)
		}
	}
	if p := b.post("/account/agents/forget", "agent", "expert"); len(p.all("section#confirm form")) != 1 || len(b.get("/account/agents").all("#agents tbody tr")) != 1 {
		t.Error("want to be asked first")
	}
	p = b.post("/account/agents/forget", "agent", "expert", "confirm", "yes")
	if p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	p = b.get(p.Header.Get("Location"))
	if len(p.all("#done")) != 1 || len(p.all("#agents .empty")) != 1 {
		t.Errorf("want a page that says so, with no account: %s", p.Text())
	}
	if all, err := r.Admin.Connections.List(t.Context(), r.ids["bob"]); err != nil || len(all) != 2 {
		t.Errorf("got %d of bob, %v, want them as they were", len(all), err)
	}
	if got := r.as("root").get("/admin/audit"); !strings.Contains(got.Text(), "Agent disconnected") {
		t.Error("the audit log does not hold it")
	}
}

// wants names the agents that their users connect themselves.
type wants []string

func (w wants) Wanted(agent string) bool                              { return slices.Contains(w, agent) }
func (wants) Connected(context.Context, string, string) (bool, error) { return false, nil }

func TestAnAgentThatIsNotConnectedYetCanBe(t *testing.T) {
	r := newRig(t)
	r.Bridge.Directory.Pages, r.Bridge.Directory.Connections = true, wants{"expert"}
	b := r.as("alice")
	p := b.get("/account/agents")
	if got := len(p.all("#agents tbody tr")); got != 1 || len(p.all("#agents form[action=/connect/expert]")) != 1 || !strings.Contains(p.Text(), "Not connected") {
		t.Fatalf("got %d rows: %s", got, p.Text())
	}
	r.connect("alice", "expert")
	p = b.get("/account/agents")
	if got := len(p.all("#agents tbody tr")); got != 1 || len(p.all("#agents form[action=/connect/expert]")) != 0 || strings.Contains(p.Text(), "Not connected") {
		t.Errorf("got %d rows of an agent that is connected: %s", got, p.Text())
	}
}

func TestWhereNoAgentWantsAccountsThereAreNone(t *testing.T) {
	r := newRig(t)
	r.Admin.Connections.Vault = nil
	b := r.as("alice")
	if p := b.get("/account/agents"); p.Status != http.StatusOK || len(p.all("#agents .empty")) != 1 {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if p := b.post("/account/agents/forget", "agent", "expert", "confirm", "yes"); p.Status != http.StatusNotFound {
		t.Errorf("got %d, want 404", p.Status)
	}
}

func TestATaskThatWaitsLeadsToItsAnswer(t *testing.T) {
	r := newRig(t)
	r.task("t-asks", "alice", a2a.InputRequired, "Which year?")
	r.task("t-login", "alice", a2a.AuthRequired, "Who are you?")
	r.task("t-works", "alice", a2a.Working, "Counting.")
	p := r.as("alice").get("/account/tasks")
	for id, want := range map[string]int{"t-asks": 2, "t-login": 2, "t-works": 1} {
		if got := len(p.all("#tasks a[href=/answer/"+id+"]")) + len(p.all("#tasks form[action=/answer/"+id+"]")); got != want { // one leads to the task, one to the answer
			t.Errorf("%s: got %d links, want %d", id, got, want)
		}
	}
}

func TestANewPasswordNeedsThePresentOneAndEndsOtherSessions(t *testing.T) {
	const next = "a much better one"
	r := newRig(t)
	elsewhere, b := r.as("alice"), r.as("alice")
	for name, form := range map[string][]string{
		"a wrong present one": {"present", "wrong", "next", next, "again", next},
		"two that differ":     {"present", password, "next", next, "again", next + "!"},
		"one too short":       {"present", password, "next", "short", "again", "short"},
	} {
		p := b.post("/account/password", form...)
		if p.Status != http.StatusUnprocessableEntity || len(p.all("#password #error")) != 1 {
			t.Errorf("%s: got %d %s, want the form again", name, p.Status, p.Text())
		}
		if strings.Contains(p.Body, next) || strings.Contains(p.Body, password) {
			t.Errorf("%s: the page repeats a password", name)
		}
	}
	p := b.post("/account/password", "present", password, "next", next, "again", next)
	if p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if p := b.get("/account"); p.Status != http.StatusOK {
		t.Errorf("got %d in the browser that changed it, want to stay signed in", p.Status)
	}
	if p := elsewhere.get("/account"); p.Status != http.StatusSeeOther {
		t.Errorf("got %d in another browser, want it signed out", p.Status)
	}
	fresh := r.as("")
	if p := fresh.Submit(fresh.Get(r.url+"/signin"), map[string]string{"username": "alice", "password": next}); p.Status != http.StatusSeeOther {
		t.Errorf("got %d for the new password, want to be let in", p.Status)
	}
}

func TestSomebodyWhoSignsInElsewhereHasNoPasswordHere(t *testing.T) {
	r := newRig(t)
	if _, err := r.db.OAuth.Identities.Identify(t.Context(), account("corp:jo", "https://id.example"), true); err != nil {
		t.Fatal(err)
	}
	p := r.as("root").get("/admin/accounts/one?name=corp%3Ajo")
	if p.Status != http.StatusOK || len(p.all("section#password")) != 0 || !strings.Contains(p.Text(), "https://id.example") {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
}

func TestGuessingThePresentPasswordIsSlowedDown(t *testing.T) {
	r := newRig(t)
	b := r.as("alice")
	guess := func() shownPage {
		return b.post("/account/password", "present", "wrong", "next", "long enough", "again", "long enough")
	}
	last := guess()
	for tries := 1; tries < 30 && last.Status != http.StatusTooManyRequests; tries++ {
		last = guess()
	}
	if last.Status != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" || !strings.Contains(last.Text(), "Too many attempts") {
		t.Errorf("got %d %s after up to 30 guesses, want 429", last.Status, last.Text())
	}
}

func TestAPersonSeesAndEndsTheirOwnLinks(t *testing.T) {
	r := newRig(t)
	r.share("s1", "alice")
	r.share("s2", "alice")
	r.share("s3", "alice")
	r.share("s-bob", "bob")
	b := r.as("alice")
	p := b.get("/account/links")
	if got := len(p.all("#links tbody tr")); got != 3 || !strings.Contains(p.Text(), "TITLE <b>") || strings.Contains(p.Body, "hash-") {
		t.Fatalf("got %d rows: %s", got, p.Text())
	}
	if p := b.post("/account/links/end", "id", "s-bob", "confirm", "yes"); p.Status != http.StatusNotFound {
		t.Errorf("got %d for another user's, want 404", p.Status)
	}
	if p := b.post("/account/links/end", "id", "s1", "confirm", "yes"); p.Status != http.StatusSeeOther {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if got := len(b.get("/account/links").all("#links tbody tr")); got != 2 {
		t.Errorf("got %d rows, want 2", got)
	}
	if p := b.post("/account/links/end-all", "confirm", "yes"); p.Status != http.StatusSeeOther {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if got := len(b.get("/account/links").all("#links tbody tr")); got != 0 {
		t.Errorf("got %d rows, want none", got)
	}
	if got := len(r.as("bob").get("/account/links").all("#links tbody tr")); got != 1 {
		t.Errorf("got %d rows of bob, want his", got)
	}
}

// TestAConnectionHasTheNameThatWasAllowed shows a connection whose client took another name since.
func TestAConnectionHasTheNameThatWasAllowed(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Claude")
	r.must(r.db.OAuth.Grants.AddGrant(t.Context(), &oauth.Grant{ID: "g1", AccountID: r.ids["alice"], ClientID: "c1", ClientName: "Harmless", Scope: oauth.ScopeSet{oauth.ScopeTools}, Created: time.Now(), Expires: time.Now().Add(time.Hour)}))
	r.grant("g2", "bob", "c1") // without a name, as no person was asked
	for _, p := range []shownPage{r.as("alice").get("/account"), r.as("root").get("/admin/grants")} {
		if rows := p.all("tbody tr"); len(rows) == 0 || !strings.Contains(p.Text(), "Harmless") {
			t.Errorf("want the name that alice allowed: %s", p.Text())
		}
	}
	if p := r.as("bob").get("/account"); !strings.Contains(p.Text(), "Claude") {
		t.Errorf("want the client's name: %s", p.Text())
	}
}

// TestANewPasswordMayEndTheConnections changes passwords with and without ending what apps got with
// the old one. Connections outlived every change, also one by an administrator.
func TestANewPasswordMayEndTheConnections(t *testing.T) {
	const next, third = "a much better one", "one more long password"
	r := newRig(t)
	r.client("c1", "Chat")
	r.grant("g1", "alice", "c1")
	r.grant("g-bob", "bob", "c1")
	b := r.as("alice")
	if p := b.get("/account/password"); len(p.all("#password input[name=end]")) != 1 {
		t.Errorf("the page offers nothing: %s", p.Text())
	}
	if p := b.post("/account/password", "present", password, "next", next, "again", next); p.Status != http.StatusSeeOther || !r.live("g1") {
		t.Errorf("got %d, connection alive %v; want it to stay", p.Status, r.live("g1"))
	}
	if p := b.post("/account/password", "present", next, "next", third, "again", third, "end", "yes"); p.Status != http.StatusSeeOther || r.live("g1") || !r.live("g-bob") {
		t.Errorf("got %d, connection alive %v, bob's %v; want alice's ended", p.Status, r.live("g1"), r.live("g-bob"))
	}
	if p := b.get("/account"); p.Status != http.StatusOK {
		t.Errorf("got %d in the browser that changed it, want to stay signed in", p.Status)
	}
	if p := r.as("root").post("/admin/accounts/password", "name", "bob", "password", next); p.Status != http.StatusSeeOther || r.live("g-bob") {
		t.Errorf("got %d, connection alive %v; want an administrator's change to end it", p.Status, r.live("g-bob"))
	}
	if p := r.as("root").get("/admin/audit?kind=account.password"); !strings.Contains(p.Text(), "sessions and connections ended") {
		t.Errorf("the audit log does not say it: %s", p.Text())
	}
}
