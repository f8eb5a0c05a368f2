package console

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/internal/audit"
	"rialto/internal/i18n"
	"rialto/internal/usage"
	"rialto/store"
	"rialto/store/storetest"
)

func TestAnAgentIsLookedAtAndThenAdded(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	form := []string{"name", "second", "url", "https://second.example", "use_cases", "sales  claims", "skills", "peek = law, tax\r\n\r\ndig=law", "auth", "bearer", "secret", "s3cr3t-of-it", "review", "yes", "retention", "90d"}
	p := b.post("/admin/agents/new", append(form, "do", "preview")...)
	if p.Status != http.StatusOK || len(p.all("section#preview")) != 1 || !strings.Contains(p.Text(), "EXPERT <b>1</b>") || !strings.Contains(p.Text(), "oauth2") {
		t.Fatalf("got %d %s, want what its card says", p.Status, p.Text())
	}
	if strings.Contains(p.Body, "s3cr3t-of-it") || attr(p.all("input[name=url]")[0], "value") != "https://second.example" {
		t.Error("want the form as it was, without the secret")
	}
	if all, err := r.Admin.Agents.Registry.List(t.Context()); err != nil || len(all) != 1 {
		t.Fatalf("got %d agents after a look, %v", len(all), err)
	}
	p = b.post("/admin/agents/new", form...)
	if p.Status != http.StatusSeeOther || p.Header.Get("Location") != "/admin/agents/one?done=added&name=second" {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	s, err := r.Admin.Agents.Registry.Agent(t.Context(), "second")
	if err != nil || !s.HasSecret || !s.Review || strings.Join(s.UseCases, ",") != "sales,claims" || strings.Join(directory.SkillLines(s.Skills), " ") != "peek=law,tax dig=law" || s.Retention.String() != "90d" {
		t.Errorf("got %+v, %v", s, err)
	}
	if p := b.get("/admin/agents/one?name=second"); p.Status != http.StatusOK || strings.Contains(p.Body, "s3cr3t-of-it") {
		t.Errorf("got %d, or the secret", p.Status)
	}
	if p := b.get("/admin/agents/change?name=second"); words(p.all("textarea[name=skills]")[0]) != "peek=law,tax dig=law" {
		t.Errorf("got the form %s, want the use cases of skills in it", p.Text())
	}
	p = b.post("/admin/agents/new", form...)
	if p.Status != http.StatusUnprocessableEntity || len(p.all("#new #error")) != 1 {
		t.Errorf("got %d for a name that is taken", p.Status)
	}
}

// shows is an agent that tells the JSON of its card.
type shows struct {
	directory.Conn
	card string
}

func (s shows) CardJSON() []byte { return []byte(s.card) }

// showing is a connector to agents that show a card.
type showing struct {
	directory.Prober
	card *string
}

// Probe implements directory.Prober.
func (s showing) Probe(
	ctx context.Context, a directory.AgentConfig,
) (directory.Conn, []*i18n.Message, error) {
	p, unmet, err := s.Prober.Probe(ctx, a)
	return shows{p, *s.card}, unmet, err
}

// TestTheAgentThatWasLookedAtIsAdded changes a card between the look and the addition:
// the operator looks again, and what they have seen then is in force.
func TestTheAgentThatWasLookedAtIsAdded(t *testing.T) {
	r := newRig(t)
	card := `{"name":"One"}`
	r.Admin.Agents.Registry.Prober = showing{r.Admin.Agents.Registry.Prober, &card}
	b := r.as("root")
	form := []string{"name", "second", "url", "https://second.example", "review", "yes"}
	digest := func(p shownPage) string { return attr(p.all("#new input[name=card]")[0], "value") }
	seen := digest(b.post("/admin/agents/new", append(form, "do", "preview")...))
	card = `{"name":"Two"}`
	p := b.post("/admin/agents/new", append(form, "card", seen)...)
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Text(), "another card") || len(p.all("section#preview")) != 1 || digest(p) == seen {
		t.Fatalf("got %d %s, want another look", p.Status, p.Text())
	}
	if p := b.post("/admin/agents/new", append(form, "card", digest(p))...); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	cards, err := r.Admin.Agents.Cards(t.Context(), "second")
	if valid, _ := directory.InForce(cards); err != nil || string(valid.Card) != card {
		t.Errorf("got %+v in force, %v", valid, err)
	}
}

// TestAnAgentWhoseCardCannotBePinnedIsNotAdded lets the database refuse cards.
func TestAnAgentWhoseCardCannotBePinnedIsNotAdded(t *testing.T) {
	file := storetest.File(t, store.Open)
	r := newRigAt(t, file)
	db, err := sql.Open("sqlite", file)
	r.must(err)
	defer db.Close()
	_, err = db.Exec(`CREATE TRIGGER full BEFORE INSERT ON agent_cards BEGIN SELECT RAISE(ABORT, 'full'); END`)
	r.must(err)
	card := `{"name":"One"}`
	r.Admin.Agents.Registry.Prober = showing{r.Admin.Agents.Registry.Prober, &card}
	p := r.as("root").post("/admin/agents/new", "name", "second", "url", "https://second.example", "review", "yes")
	if p.Status != http.StatusUnprocessableEntity || len(p.all("#new #error")) != 1 {
		t.Errorf("got %d %s, want the form with an error", p.Status, p.Text())
	}
	if all, err := r.Admin.Agents.Registry.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("got %d agents, %v, want the one of the configuration", len(all), err)
	}
}

func TestAnAgentThatCannotBeReachedIsNotAdded(t *testing.T) {
	r := newRig(t)
	p := r.as("root").post("/admin/agents/new", "name", "second", "url", "https://down.example")
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Text(), "connection refused") {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if all, err := r.Admin.Agents.Registry.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("got %d agents, %v", len(all), err)
	}
}

func TestAnAgentIsChangedDisabledAndRemoved(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	r.must(r.Admin.Agents.Registry.Add(t.Context(), directory.AgentConfig{Name: "second", URL: "https://second.example", Credentials: directory.Credentials{Secret: "s"}}, nil))
	p := b.get("/admin/agents/change?name=second")
	version := attr(p.all("input[name=version]")[0], "value")
	change := func(address, version string) shownPage {
		return b.post("/admin/agents/change", "name", "second", "url", address, "version", version, "keep", "yes")
	}
	if p := change("https://second.example/a2a", version); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if p := change("https://second.example/b", version); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Text(), "changed in the meantime") {
		t.Errorf("got %d %s for an agent that was changed in between", p.Status, p.Text())
	}
	s, err := r.Admin.Agents.Registry.Agent(t.Context(), "second")
	if err != nil || s.URL != "https://second.example/a2a" || !s.HasSecret {
		t.Errorf("got %+v, %v", s, err)
	}
	b.post("/admin/agents/disable", "name", "second")
	if s, err := r.Admin.Agents.Registry.Agent(t.Context(), "second"); err != nil || s.Enabled {
		t.Errorf("got %+v, %v, want it disabled", s, err)
	}
	if got := len(b.get("/admin/agents?only=disabled").all("#agents tbody tr")); got != 1 {
		t.Errorf("got %d disabled agents", got)
	}
	if p := b.post("/admin/agents/remove", "name", "second", "confirm", "yes"); p.Status != http.StatusSeeOther {
		t.Errorf("got %d", p.Status)
	}
	if p := b.get("/admin/agents/one?name=second"); p.Status != http.StatusNotFound {
		t.Errorf("got %d, want it gone", p.Status)
	}
	if p := b.get("/admin/agents/one?name=expert"); len(p.all("header.head button")) != 1 {
		t.Error("want an agent of the configuration to be disabled only")
	}
}

func TestAChangedCardIsShownBesideTheOneInForce(t *testing.T) {
	r := newRig(t)
	r.must(r.Admin.Agents.Registry.Add(t.Context(), directory.AgentConfig{Name: "second", URL: "https://second.example", Review: true}, nil))
	r.card("second", `{"name":"One","url":"https://a"}`, true)
	r.card("second", `{"name":"One","url":"https://<b>","x":1}`, true)
	b := r.as("root")
	p := b.get("/admin/agents/one?name=second")
	rows := p.all("#card tbody tr")
	if len(rows) != 2 || !strings.Contains(words(rows[0]), `"https://a" "https://<b>"`) || !strings.Contains(words(rows[1]), "not there 1") {
		t.Fatalf("got %d rows: %s", len(rows), p.Text())
	}
	digest := attr(p.all("#card input[name=digest]")[0], "value")
	r.card("second", `{"name":"Evil","url":"https://<b>"}`, true)
	if p := b.post("/admin/agents/accept", "name", "second", "digest", digest, "confirm", "yes"); p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusConflict && p.Status != http.StatusBadRequest {
		t.Errorf("got %d %s for a card that is not the one that was looked at", p.Status, p.Text())
	}
	r.card("second", `{"name":"One","url":"https://<b>","x":1}`, true)
	if p := b.post("/admin/agents/accept", "name", "second", "digest", digest); p.Status != http.StatusOK || attr(p.all("#confirm input[name=digest]")[0], "value") != digest {
		t.Fatalf("got %d %s, want to be asked", p.Status, p.Text())
	}
	if p := b.post("/admin/agents/accept", "name", "second", "digest", digest, "confirm", "yes"); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if p := b.get("/admin/agents/one?name=second"); len(p.all("#card form")) != 0 {
		t.Error("want nothing to accept any more")
	}
	if p := b.post("/admin/agents/accept", "name", "second", "confirm", "yes"); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("got %d for a card that does not wait", p.Status)
	}
}

func TestATestCallShowsTheAnswerAsItIsWritten(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	p := b.post("/admin/agents/test", "name", "expert", "message", "<script>x</script> **loud**")
	said := p.all("section#trial .prose")
	if p.Status != http.StatusOK || len(said) != 1 || words(said[0]) != "YOU SAID <i><script>x</script> loud" || len(p.all("#trial script")) != 0 {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if p := b.post("/admin/agents/test", "name", "expert", "message", " "); !strings.Contains(p.Text(), "the message is empty") {
		t.Errorf("got %s", p.Text())
	}
}

func TestUsageIsDrawnAndExported(t *testing.T) {
	r := newRig(t)
	at := time.Now().Add(-time.Hour)
	r.client("c1", "Chat")
	r.client("c2", "Chat") // each person's chat app registers itself
	r.task("t1", "alice", a2a.Completed, "Three.")
	r.must(r.db.Records.AddCalls(t.Context(), []usage.Record{
		{ID: "1", At: at, UserID: r.ids["alice"], User: "alice", Client: "c1", Tool: "send_task", Agent: "expert", Millis: 120, Outcome: usage.OK, Task: "t1"},
		{ID: "2", At: at, UserID: r.ids["alice"], User: "alice", Client: "c2", Tool: "get_task", Agent: "=1+1", Millis: 20, Outcome: usage.Failed},
	}))
	b := r.as("root")
	p := b.get("/admin/usage?days=1&by=tool")
	if got := len(p.all("#calls rect")); got < 24 {
		t.Errorf("got %d bars, want one for each hour", got)
	}
	if got := len(p.all("#sums tbody tr")); got != 2 || !strings.Contains(p.Text(), "send_task") || len(p.all("#calls rect.wrong")) != 1 {
		t.Errorf("got %d rows: %s", got, p.Text())
	}
	if got := len(b.get("/admin/usage?days=1&by=tool&agent=expert").all("#sums tbody tr")); got != 1 {
		t.Errorf("got %d rows of one agent, want one", got)
	}
	for query, want := range map[string]int{"days=1": 2, "days=1&outcome=errors": 1, "days=1&outcome=ok&user=alice": 1, "days=1&agent=nobody": 0, "from=2020-01-01": 0, "days=1&user=root": 0, "days=1&client=chat": 2, "days=1&client=c2": 1} {
		if got := len(b.get("/admin/usage/calls?" + query).all("#calls tbody tr")); got != want {
			t.Errorf("%s: got %d calls, want %d", query, got, want)
		}
	}
	links := b.get("/admin/usage/calls?days=1").all("#calls tbody th a")
	if len(links) != 1 || !strings.Contains(b.get(attr(links[0], "href")).Text(), "Three.") {
		t.Errorf("got %d links to tasks, want one, to the task of the call that has one", len(links))
	}
	if got := words(b.get("/admin/usage?days=1&by=client&client=Chat").all("#sums")[0]); strings.Count(got, "Chat") != 2 {
		t.Errorf("got %q, want the calls of both apps of one name", got)
	}
	if p := b.get("/admin/usage?days=1&outcome=strange"); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("got %d for an outcome that does not exist", p.Status)
	}
	p = b.get("/admin/usage/export?format=csv&days=1")
	if kind := p.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") || !strings.Contains(p.Body, "send_task") || !strings.Contains(p.Body, "'=1+1") {
		t.Errorf("got %s %s", kind, p.Body)
	}
	if p := b.get("/admin/usage/export?format=json"); p.Header.Get("Content-Type") != "application/json" || !strings.Contains(p.Header.Get("Content-Disposition"), "rialto-usage.json") {
		t.Errorf("got %v", p.Header)
	}
	if p := b.get("/admin/usage?days=-5&by=%3Cb%3E"); p.Status != http.StatusOK {
		t.Errorf("got %d for an invalid time, want the default", p.Status)
	}
}

// TestUsageShowsWhatItCosts: costs stand beside the calls of each group, by currency.
func TestUsageShowsWhatItCosts(t *testing.T) {
	r := newRig(t)
	at := time.Now().Add(-time.Hour)
	alice := r.ids["alice"]
	r.must(r.db.Records.AddCalls(t.Context(), []usage.Record{
		{ID: "1", At: at, UserID: alice, Tool: "send_task", Agent: "expert", Outcome: usage.OK},
		{ID: "2", At: at, UserID: alice, Tool: "send_task", Agent: "free", Outcome: usage.OK},
	}))
	b := r.as("root")
	if got := words(b.get("/admin/usage?days=1").all("main")[0]); strings.Contains(got, "Costs") {
		t.Errorf("without charges: got %s", got)
	}
	r.must(r.db.Records.AddCharges(t.Context(), []usage.Charge{
		{ID: "1", At: at, UserID: alice, Agent: "expert", Item: usage.ItemCall, Currency: "EUR", Price: "0.5", Quantity: 2469},
		{ID: "2", At: at, UserID: alice, Agent: "expert", Item: "pages", Currency: "USD", Price: "3", Quantity: 1},
	}))
	page := b.get("/admin/usage?days=1")
	sums := words(page.all("#sums")[0])
	if !strings.Contains(sums, " 1,234.50 EUR 3.00 USD free ") || !strings.HasSuffix(sums, " –") {
		t.Errorf("got %q", sums)
	}
	if got := words(page.all(".stats")[0]); !strings.Contains(got, "Costs 1,234.50 EUR 3.00 USD – before") {
		t.Errorf("got %q", got)
	}
	if got := words(b.get("/admin/usage?days=1&by=tool").all("#sums")[0]); strings.Contains(got, "EUR") {
		t.Errorf("by tool: got %q", got)
	}
}

// TestAgentsShowTheirCalls draws the calls of an agent by day, and leads to its usage.
func TestAgentsShowTheirCalls(t *testing.T) {
	r := newRig(t)
	var calls []usage.Record
	for i := range 5 { // two of them three days ago, and one on each day since
		at := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -min(i, 3)).Add(time.Duration(i) * time.Second)
		calls = append(calls, usage.Record{ID: fmt.Sprint(i), At: at, UserID: r.ids["alice"], Tool: "send_task", Agent: "expert", Outcome: usage.OK})
	}
	r.must(r.db.Records.AddCalls(t.Context(), calls))
	b := r.as("root")
	page := b.get("/admin/agents?text=expert")
	links, lines := page.all("#agents td a"), page.all("#agents .spark polyline")
	if len(links) != 1 || words(links[0]) != "5" || len(lines) != 1 || attr(lines[0], "points") != "0,20 10,20 20,20 30,0 40,10 50,10 60,10 " {
		t.Fatalf("got %s", page.Body)
	}
	if got := words(b.get(attr(links[0], "href")).all("#sums")[0]); !strings.Contains(got, "expert 5") {
		t.Errorf("its usage: got %q", got)
	}
}

func TestTheAuditLogIsFilteredAndHoldsWhatIsDoneHere(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	b.post("/admin/accounts/new", "name", "carol", "password", password)
	b.post("/account/password", "present", password, "next", "another long one", "again", "another long one")
	r.must(r.db.Records.AddEvents(t.Context(), []audit.Event{{ID: "x", At: time.Now(), Kind: audit.SignIn, Outcome: audit.Failed, Actor: "<b>mallory</b>", Address: "192.0.2.1"}}))
	p := b.get("/admin/audit")
	for _, want := range []string{"Account added", "carol", "Password changed", "<b>mallory</b>", "192.0.2.1", "127.0.0.1"} {
		if !strings.Contains(p.Text(), want) {
			t.Errorf("the log does not show %q", want)
		}
	}
	if strings.Contains(p.Body, password) || strings.Contains(p.Body, "another long one") {
		t.Error("the log holds a password")
	}
	if got := len(b.get("/admin/audit?outcome=failed&days=1").all("#audit tbody tr")); got != 1 {
		t.Errorf("got %d failed events, want one", got)
	}
	p = b.get("/admin/audit?kind=" + url.QueryEscape(string(audit.SignIn)))
	saved := url.Values{}
	for _, field := range p.all(`form[action=/admin/audit/export] input`) {
		saved.Add(attr(field, "name"), attr(field, "value"))
	}
	if got := saved["format"]; !slices.Equal(got, []string{"csv", "json"}) {
		t.Errorf("the page saves as %q", got)
	}
	p = b.get("/admin/audit/export?" + saved.Encode())
	if !strings.Contains(p.Body, "mallory") || strings.Contains(p.Body, "carol") {
		t.Errorf("got %s", p.Body)
	}
}

func TestTheAuditLogNamesApps(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Reports")
	r.must(r.db.Records.AddEvents(t.Context(), []audit.Event{
		{ID: "1", At: time.Now(), Kind: audit.Consent, Outcome: audit.Denied, Target: "c1", Detail: "mcp:tools"},
		{ID: "2", At: time.Now(), Kind: audit.ClientRemoved, Outcome: audit.OK, Target: "c2", Detail: "Gone"},
	}))
	p := r.as("root").get("/admin/audit")
	for _, want := range []string{"as Reports c1 mcp:tools", "Gone c2"} {
		if !strings.Contains(p.Text(), want) {
			t.Errorf("want %q in %s", want, p.Text())
		}
	}
}

func TestTheAuditLogShowsEventsOfEachKindWithoutDetails(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat")
	for _, kind := range audit.Kinds {
		for _, outcome := range []audit.Outcome{audit.OK, audit.Failed, audit.Denied} {
			recorder{r.db}.Record(t.Context(), audit.Event{Kind: kind, Actor: "bare", Outcome: outcome})
			recorder{r.db}.Record(t.Context(), audit.Event{Kind: kind, Actor: "bare", Outcome: outcome, Target: "c1"})
		}
	}
	b := r.as("root")
	for _, kind := range audit.Kinds {
		p := b.get("/admin/audit?actor=bare&kind=" + string(kind))
		want := map[audit.Kind]string{audit.Consent: "App refused Denied bare as Chat c1", audit.Reuse: "Token used twice Alarm bare"}[kind]
		if rows := p.all("#audit tbody tr"); len(rows) != 6 || !strings.Contains(p.Text(), want) {
			t.Errorf("%s: got %d rows in %s", kind, len(rows), p.Text())
		}
	}
	if p := b.get("/admin"); p.Status != http.StatusOK {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
}

// Names of apps and agents are not translated.
func TestTheAuditLogSaysInSpanishWhatIsItsOwn(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.must(r.db.Records.AddEvents(t.Context(), []audit.Event{
		{ID: "1", At: now, Kind: audit.AccountAdmin, Outcome: audit.OK, Actor: "command line", Target: "server", Detail: "member"},
		{ID: "2", At: now, Kind: audit.ClientRemoved, Outcome: audit.OK, ActorID: "x", Actor: "server", Target: "c1", Detail: "disabled"},
		{ID: "3", At: now, Kind: audit.ClientRegistered, Outcome: audit.OK, Target: "c2", Detail: "Reports; by hand"},
	}))
	b := r.as("root")
	b.Browser.Header.Set("Accept-Language", "es")
	rows := b.get("/admin/audit").all("#audit tbody tr")
	var said []string
	for _, row := range rows {
		said = append(said, words(row))
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"línea de comandos", "server miembro", "server", "disabled c1", "Reports; a mano"} {
		if !strings.Contains(all, want) {
			t.Errorf("want %q in\n%s", want, all)
		}
	}
}

func TestAnAgentIsAddedByItsAddressAlone(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	p := b.get("/admin/agents/new")
	if all, folded := len(p.all("#new .field")), len(p.all("#new details .field")); all-folded != 1 || has(p.all("#new details")[0], "open") {
		t.Errorf("got %d fields, %d of them folded, want one that is not", all, folded)
	}
	p = b.post("/admin/agents/new", but(p.sent("new"), "url", " second.example/a2a ")...)
	if p.Status != http.StatusOK || attr(p.all("#f-url")[0], "value") != "https://second.example/a2a" || len(p.all("#preview .record")) != 1 || len(p.all("#skills tbody tr")) != 1 {
		t.Fatalf("got %d %s, want what its card says", p.Status, p.Text())
	}
	p = b.post("/admin/agents/new", p.sent("new")...)
	if p.Header.Get("Location") != "/admin/agents/one?done=added&name=expert-b-1-b" {
		t.Fatalf("got %d %s to %q, want it added with a name made of its card's", p.Status, p.Text(), p.Header.Get("Location"))
	}
	if p = b.get(p.Header.Get("Location")); words(p.all("h1")[0]) != "expert-b-1-b" || strings.Contains(p.Text(), "not asked yet") || !strings.HasPrefix(words(p.all("title")[0]), "expert-b-1-b · Agent") {
		t.Errorf("got %s, want its state at once", p.Text())
	}
}

func TestAnAddressIsCompleted(t *testing.T) {
	for address, want := range map[string]string{
		"agent.example": "https://agent.example", " agent.example:8443/x ": "https://agent.example:8443/x", "localhost:9999": "http://localhost:9999",
		"127.0.0.1:1": "http://127.0.0.1:1", "[::1]:1": "http://[::1]:1", "http://agent.example": "http://agent.example", "": "", "ftp://x": "ftp://x",
	} {
		if got := withScheme(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

func TestATestCallShowsWhatWasSent(t *testing.T) {
	r := newRig(t)
	p := r.as("root").post("/admin/agents/test", "name", "expert", "message", "Count <i>")
	if len(p.all("#trial .prose")) != 1 || !strings.Contains(words(p.all("#trial .prose")[0]), "YOU SAID <i>Count <i>") || attr(p.all("#f-message")[0], "value") != "Count <i>" {
		t.Errorf("got %s, want the answer below the message", p.Text())
	}
	if form := p.all("#test form")[0]; attr(form, "data-busy") == "" || attr(form, "data-cancel") == "" {
		t.Error("want words for the wait, with a way to cancel")
	}
}

func TestADialogSaysWhatHappensToAKeyAndWhen(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	at := func(p shownPage) (when []string) {
		for _, dt := range p.all("#confirm dt") {
			when = append(when, words(dt))
		}
		return when
	}
	if got := strings.Join(at(b.post("/admin/keys/rotate")), ", "); got != "At once, In ten minutes, After that" {
		t.Errorf("got %q", got)
	}
	b.post("/admin/keys/rotate", "confirm", "yes")
	for i, want := range []string{"At once, Also at once, For five minutes, You", "At once, In ten minutes"} {
		id := words(b.get("/admin/keys").all("#keys tbody code")[i])
		if got := strings.Join(at(b.post("/admin/keys/revoke", "id", id)), ", "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
