package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/internal/doctor"
	"rialto/oauth"
)

// account is one whom a provider vouches for.
func account(name, issuer string) *oauth.Account {
	return &oauth.Account{ID: "of-" + name, Name: name, Issuer: issuer, Subject: name, Created: time.Now(), UseCases: []string{"sales"}}
}

func TestAppsThatBearTheNameOfAnotherVendorAreMarked(t *testing.T) {
	r := newRig(t)
	r.client("c1", "ChatGPT")
	b := r.as("root")
	if p := b.get("/admin/clients?text=chatgpt"); !strings.Contains(p.Text(), "Look-alike") {
		t.Errorf("got %s", p.Text())
	}
	if p := b.get("/admin/clients/one?id=c1"); !strings.Contains(p.Text(), "bears the name of ChatGPT (OpenAI) , but its addresses aren't those") {
		t.Errorf("got %s", p.Text())
	}
}

func TestAppsAreListedWithWhereTheirAnswersGo(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat")
	r.grant("g1", "alice", "c1")
	b := r.as("root")
	rows := b.get("/admin/clients").all("#clients tbody tr")
	if len(rows) != 2 || !strings.Contains(words(rows[1]), "chat.example") || !strings.Contains(words(rows[1]), "automatic") {
		t.Fatalf("got %d rows", len(rows))
	}
	if strings.Contains(words(rows[1]), "Look-alike") {
		t.Errorf("got %q", words(rows[1]))
	}
	p := b.get("/admin/clients?kind=configured")
	if rows := p.all("#clients tbody tr"); len(rows) != 1 || len(p.all("#clients .acts button")) != 0 {
		t.Errorf("got %d configured apps, want the one, which cannot be removed here", len(rows))
	}
	p = b.get("/admin/clients/one?id=c1")
	if len(p.all("#grants tbody tr")) != 1 || !strings.Contains(p.Text(), "https://chat.example/cb") {
		t.Errorf("got %s", p.Text())
	}
	if p := b.get("/admin/clients/one?id=nothing"); p.Status != http.StatusNotFound {
		t.Errorf("got %d for an unknown app, want 404", p.Status)
	}
	if p := b.post("/admin/clients/remove", "id", "c1", "confirm", "yes"); p.Status != http.StatusSeeOther || r.live("g1") {
		t.Errorf("got %d, want it removed with what it was allowed", p.Status)
	}
}

func TestAnAppIsRegisteredByHandAndItsSecretShownOnce(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	p := b.post("/admin/clients/new", "client_name", "By hand", "redirect_uris", "https://a.example/cb\r\nhttps://b.example/cb\r\n", "secret", "yes")
	if p.Status != http.StatusOK || len(p.all("#client-id")) != 1 || len(p.all("#client-secret")) != 1 {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	id, secret := words(p.all("#client-id")[0]), words(p.all("#client-secret")[0])
	c, err := r.db.OAuth.Clients.Client(t.Context(), id)
	if err != nil || !slices.Equal(c.RedirectURIs, []string{"https://a.example/cb", "https://b.example/cb"}) || c.SecretHash == secret {
		t.Errorf("got %+v, %v", c, err)
	}
	if p := b.get("/admin/clients/one?id=" + url.QueryEscape(id)); strings.Contains(p.Body, secret) {
		t.Error("the secret is shown again")
	}
	p = b.post("/admin/clients/new", "client_name", "By hand", "redirect_uris", "javascript:alert(1)")
	if p.Status != http.StatusUnprocessableEntity || len(p.all("#new #error")) != 1 || attr(p.all("input[name=client_name]")[0], "value") != "By hand" {
		t.Errorf("got %d %s, want the form again with what was typed", p.Status, p.Text())
	}
}

// Claude is registered with what its settings ask for, by the names that they have there.
func TestClaudeIsRegisteredByHand(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	err := r.Console.Admin.Agents.PutConnector(
		t.Context(), operator.CommandLine, directory.Connector{Name: "sales"}, 0,
	)
	if err != nil {
		t.Fatal(err)
	}
	p := b.get("/admin/clients/new?app=claude")
	if got := p.all("#new select[name=connector] option"); len(got) != 2 || words(got[1]) != "sales" {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	for connector, address := range map[string]string{"": r.url + "/mcp", "sales": r.url + "/mcp/sales"} {
		p = b.post("/admin/clients/new", "app", "claude", "connector", connector)
		lines := p.all("#registered pre")
		if p.Status != http.StatusOK || len(lines) != 3 || words(lines[0]) != address {
			t.Fatalf("got %d %s", p.Status, p.Text())
		}
		for _, name := range []string{"Remote MCP server URL", "OAuth Client ID", "OAuth Client Secret"} {
			if !strings.Contains(p.Text(), name) {
				t.Errorf("got no field %q", name)
			}
		}
		c, err := r.db.OAuth.Clients.Client(t.Context(), words(lines[1]))
		if err != nil || c.AuthMethod != oauth.AuthPost || len(c.RedirectURIs) != 2 {
			t.Errorf("got %+v, %v", c, err)
		}
	}
	if p = b.post("/admin/clients/new", "app", "claude", "connector", "none"); p.Status != http.StatusNotFound {
		t.Errorf("got %d for a connector that is not there", p.Status)
	}
	p = b.get("/admin/connectors/one?name=sales")
	if got := p.all("form input[name=url]"); len(got) != 1 ||
		attr(got[0], "value") != r.url+"/mcp/sales" {
		t.Errorf("got no way to the doctor: %s", p.Text())
	}
}

func TestConnectionsAreFilteredAndEnded(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat")
	r.grant("g1", "alice", "c1")
	r.grant("g2", "bob", "c1")
	b := r.as("root")
	if got := len(b.get("/admin/grants").all("#grants tbody tr")); got != 2 {
		t.Errorf("got %d rows, want 2", got)
	}
	address := "/admin/grants?account=" + r.ids["alice"]
	p := b.get(address)
	if got := p.all("#grants tbody tr"); len(got) != 1 || !strings.Contains(words(got[0]), "alice") {
		t.Errorf("got %d rows of alice", len(got))
	}
	form := p.all("#grants .acts input")
	if p := b.post("/admin/grants/end", "id", attr(form[0], "value"), "back", attr(form[1], "value"), "confirm", "yes"); p.Header.Get("Location") != address+"&done=revoked" || r.live("g1") {
		t.Errorf("got to %q, want to go back to the list", p.Header.Get("Location"))
	}
	if p := b.post("/admin/grants/end-all", "account", r.ids["bob"], "client", "", "confirm", "yes"); p.Status != http.StatusSeeOther || r.live("g2") {
		t.Errorf("got %d, want all of bob's ended", p.Status)
	}
	if p := b.post("/admin/grants/end-all", "confirm", "yes"); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("got %d for no account, want a refusal", p.Status)
	}
}

func TestAFormGoesBackToOurOwnListsOnly(t *testing.T) {
	for to, want := range map[string]string{
		"/admin/grants?account=1": "/admin/grants?account=1", "/account": "/account",
		"https://evil.example/admin/": "/x", "//evil.example/admin/": "/x", "/\\evil.example": "/x", "/administrator": "/x", "javascript:alert(1)": "/x", "": "/x",
		"/admin/../mcp": "/admin/../mcp",
	} {
		if got := back(url.Values{"back": {to}}, "/x"); got != want {
			t.Errorf("%q: got %q, want %q", to, got, want)
		}
	}
}

func TestAccountsAreAddedChangedAndRemoved(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	if p := b.post("/admin/accounts/new", "name", "carol", "password", password, "admin", "yes"); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	carol, err := r.db.OAuth.Accounts.Account(t.Context(), "carol")
	if err != nil || !carol.Admin {
		t.Fatalf("got %+v, %v", carol, err)
	}
	p := b.post("/admin/accounts/new", "name", "carol", "password", password)
	if p.Status != http.StatusUnprocessableEntity || len(p.all("#new #error")) != 1 || strings.Contains(p.Body, password) {
		t.Errorf("got %d %s for a name that is taken", p.Status, p.Text())
	}
	b.post("/admin/accounts/role", "name", "carol", "admin", "no")
	b.post("/admin/accounts/disable", "name", "carol")
	if carol, err = r.db.OAuth.Accounts.Account(t.Context(), "carol"); err != nil || carol.Admin || !carol.Disabled {
		t.Errorf("got %+v, %v", carol, err)
	}
	if got := len(b.get("/admin/accounts?only=disabled").all("#accounts tbody tr")); got != 1 {
		t.Errorf("got %d disabled accounts, want one", got)
	}
	b.post("/admin/accounts/enable", "name", "carol")
	if p := b.post("/admin/accounts/remove", "name", "carol", "confirm", "yes"); p.Status != http.StatusSeeOther {
		t.Errorf("got %d %s", p.Status, p.Text())
	}
	if p := b.get("/admin/accounts/one?name=carol"); p.Status != http.StatusNotFound {
		t.Errorf("got %d, want it gone", p.Status)
	}
}

// TestAnOperatorInvitesAPerson shows the link once, and a new one until the person has chosen.
func TestAnOperatorInvitesAPerson(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	invite := func() string {
		t.Helper()
		p := b.post("/admin/accounts/new", "name", "carol", "password", "", "admin", "yes")
		links := p.all("#invitation pre")
		if p.Status != http.StatusOK || len(links) != 1 || p.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("got %d %s, want a link", p.Status, p.Text())
		}
		return strings.Replace(words(links[0]), "localhost", "127.0.0.1", 1)
	}
	state := func() string {
		t.Helper()
		return strings.Join(strings.Fields(words(b.get("/admin/accounts?text=carol").all("#accounts tbody tr")[0])), " ")
	}
	old := invite()
	if got := state(); !strings.Contains(got, "Administrator Invited Link expires: in 7 d") {
		t.Errorf("got %q", got)
	}
	one := b.get("/admin/accounts/one?name=carol")
	if !strings.Contains(one.Text(), "New link") || strings.Contains(one.Body, "rialto_link_") {
		t.Errorf("got %s, want a button for a new link", one.Text())
	}
	if p := b.post("/admin/accounts/new", "name", "carol", "password", ""); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("another role: got %d, want that the name is taken", p.Status)
	}
	link, carol := invite(), r.as("")
	if p := carol.Get(old); p.Status != http.StatusForbidden {
		t.Errorf("the older link: got %d", p.Status)
	}
	carol.Submit(carol.Get(link), map[string]string{"password": "the password of carol"}).Continue()
	if got := state(); strings.Contains(got, "Invited") || !strings.Contains(got, "Enabled") {
		t.Errorf("got %q, want that carol has chosen", got)
	}
	if p := carol.get("/admin/accounts"); p.Status != http.StatusOK {
		t.Errorf("got %d, want an administrator", p.Status)
	}
	if p := b.post("/admin/accounts/new", "name", "carol", "password", ""); p.Status != http.StatusUnprocessableEntity || len(p.all("#new #error")) != 1 {
		t.Errorf("got %d %s, want that the name is taken", p.Status, p.Text())
	}
	if p := b.get("/admin/accounts/one?name=carol"); strings.Contains(p.Text(), "New link") {
		t.Errorf("got %s, want no button any more", p.Text())
	}
}

// TestDisablingIsUndone presses Undo in the message after it, in a list and on a page. What cannot be as it
// was has none.
func TestDisablingIsUndone(t *testing.T) {
	r := attacked(t)
	b := r.as("root")
	for _, at := range [][]string{
		{"/admin/agents/disable", "name", "expert"},
		{"/admin/agents/disable", "name", "expert", "back", "/admin/agents/one?name=expert"},
		{"/admin/accounts/disable", "name", "bob"},
	} {
		to := b.post(at[0], at[1:]...).Header.Get("Location")
		enabled := func() bool {
			a, err := r.db.OAuth.Accounts.Account(t.Context(), "bob")
			r.must(err)
			s, err := r.Admin.Agents.Agent(t.Context(), "expert")
			r.must(err)
			return s.Enabled && !a.Disabled
		}
		form := b.get(to).all("#done form")
		if len(form) != 1 || enabled() {
			t.Fatalf("%v: got %d buttons at %s", at, len(form), to)
		}
		var undo []string
		for _, n := range b.get(to).all("#done input") {
			undo = append(undo, attr(n, "name"), attr(n, "value"))
		}
		p := b.post(attr(form[0], "action"), undo...)
		if p.Status != http.StatusSeeOther || !enabled() || len(b.get(p.Header.Get("Location")).all("#done form")) != 0 {
			t.Errorf("%v: got %d %s", at, p.Status, p.Text())
		}
	}
	for _, path := range []string{"/account/end", "/admin/grants/end", "/admin/accounts/remove"} {
		p := b.post(path, filled[path]...)
		if done := b.get(p.Header.Get("Location")); p.Status != http.StatusSeeOther || len(done.all("#done")) != 1 || len(done.all("#done form")) != 0 {
			t.Errorf("%s: got %d, want a message without Undo", path, p.Status)
		}
	}
}

func TestAnAdministratorCannotLockThemselvesOut(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	for path, form := range map[string][]string{
		"/admin/accounts/role":    {"name", "root", "admin", "no"},
		"/admin/accounts/disable": {"name", "ROOT"},
		"/admin/accounts/remove":  {"name", "root", "confirm", "yes"},
	} {
		if p := b.post(path, form...); p.Status == http.StatusSeeOther {
			t.Errorf("%s: got %d, want a refusal", path, p.Status)
		}
	}
	if a, err := r.db.OAuth.Accounts.Account(t.Context(), "root"); err != nil || !a.Admin || a.Disabled {
		t.Errorf("got %+v, %v", a, err)
	}
	if p := b.get("/admin/accounts/one?name=root"); len(p.all("header.head button")) != 0 {
		t.Error("want no buttons on one's own account")
	}
}

func TestTasksOfEverybodyAreShownWholeAsText(t *testing.T) {
	r := newRig(t)
	e := r.task("t1", "alice", a2a.Working, "<script>alert(1)</script>")
	e.Idle = false
	e.Task.Artifacts = []a2a.Artifact{{ID: "a", Name: "<b>ta\u2066ble</b>" + strings.Repeat("N", 1000), Parts: []a2a.Part{a2a.TextPart("one\x1b[2J\u202etwo"), {Content: a2a.Data(`{"n":1}`)}}}}
	e.Task.History = []a2a.Message{{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("Count them.")}}}
	e.Revisions = &ledger.Revisions{Artifacts: []ledger.ArtifactRevision{{Artifact: a2a.Artifact{ID: "a", Name: "<b>dra\u2066ft</b>", Parts: []a2a.Part{a2a.TextPart("before that")}}, Until: 1}},
		States: []ledger.StateRevision{{State: a2a.Submitted, Since: 1000}, {State: a2a.Working, Since: 2000}}, Dropped: 7}
	r.must(r.db.Ledger.SaveTask(t.Context(), e, "r"))
	b := r.as("root")
	p := b.get("/admin/tasks?owner=" + r.ids["alice"])
	if len(p.all("#tasks tbody tr")) != 1 || attr(p.all("main")[0], "data-live") == "" {
		t.Fatalf("got %s", p.Text())
	}
	p = b.get("/admin/tasks/one?id=t1")
	for _, want := range []string{"<script>alert(1)</script>", "<b>table</b>NNN", "NN…", "one[2Jtwo", `"n": 1`, "Count them.", "alice", "<b>draft</b>", "before that", "00:00:02 UTC", "7 replaced results"} {
		if !strings.Contains(p.Text(), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	for _, s := range p.all("script") {
		if words(s) != "" {
			t.Errorf("the agent's text became a script: %s", words(s))
		}
	}
	if !strings.Contains(p.Header.Get("Content-Security-Policy"), "connect-src 'self'") {
		t.Error("a page that follows what happens may not ask for it")
	}
	if p := b.get("/admin/tasks/one?id=nothing"); p.Status != http.StatusNotFound {
		t.Errorf("got %d for an unknown task", p.Status)
	}
	if p := b.get("/admin/tasks?state=sideways"); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("got %d for an unknown state", p.Status)
	}
}

func TestTheSigningKeyIsReplacedOnDemand(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	if p := b.get("/admin/keys"); len(p.all("#keys tbody tr")) != 1 || len(p.all("#keys .good")) != 1 {
		t.Fatalf("got %s", p.Text())
	}
	b.post("/admin/keys/rotate", "confirm", "yes")
	if p := b.get("/admin/keys?done=rotated"); len(p.all("#keys tbody tr")) != 2 || len(p.all("#done")) != 1 {
		t.Errorf("got %s", p.Text())
	}
	ids := b.get("/admin/keys").all("#keys tbody code")
	id := words(ids[0])
	if p := b.post("/admin/keys/revoke", "id", id); len(p.all("section#confirm form")) != 1 || !strings.Contains(p.Text(), "Every token that it signed is refused.") || !strings.Contains(p.Text(), id) {
		t.Errorf("want to be asked, with what follows: %s", p.Text())
	}
	if p := b.post("/admin/keys/revoke", "id", "none"); p.Status != http.StatusNotFound {
		t.Errorf("got %d for an unknown key, want 404", p.Status)
	}
	b.post("/admin/keys/revoke", "id", id, "confirm", "yes")
	if p := b.get("/admin/keys?done=key-revoked"); strings.Contains(p.Text(), id) || len(p.all("#done")) != 1 || len(p.all("#keys .good")) != 1 {
		t.Errorf("want the key gone and another one that signs: %s", p.Text())
	}
	if p := b.get("/admin/audit?kind=key.revoked"); !strings.Contains(p.Text(), "Key revoked") {
		t.Errorf("the audit log does not hold it: %s", p.Text())
	}
	if p := b.get("/admin/keys?done=%3Cb%3Eanything"); len(p.all("#done")) != 0 {
		t.Error("the address makes the page say what it likes")
	}
}

func TestSettingsAreShownInGroups(t *testing.T) {
	b := newRig(t).as("root")
	p := b.get("/admin/settings")
	if at := p.href(t, "#group-agents tbody a"); at != "/admin/agents/one?name=tables" {
		t.Errorf("the agent leads to %s", at)
	}
	for selector, want := range map[string][]string{
		"#settings tbody tr": {
			"limits.calls Open calls. 5 default 4096 file on reload", "secret (set, not shown) environment on restart",
		},
		"#group- tbody tr":       {"url Its address. http"},
		"#group-agents tbody tr": {"tables See the agent's page. default on reload"},
	} {
		var rows []string
		for _, row := range p.all(selector) {
			rows = append(rows, words(row))
		}
		if !slices.EqualFunc(rows, want, strings.HasPrefix) {
			t.Errorf("%s: got %q", selector, rows)
		}
	}
	p = b.get("/admin/settings?text=ADDRESS")
	if found := p.all("#group- tbody tr"); len(found) != 1 || len(p.all("details.folded")) != 0 || !strings.Contains(words(p.all("#settings")[0]), "Nothing matches.") {
		t.Errorf("a search found %d settings, or folded them", len(found))
	}
}

// TestTheDoctorBeginsWithTheVerdict: the page began with "Something is wrong" above 16 failures that
// had one cause.
func TestTheDoctorBeginsWithTheVerdict(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	p := b.post("/admin/doctor", "url", "other.example/mcp")
	if got := p.all("#report .bad h2"); p.Status != http.StatusOK || len(got) != 1 || !strings.Contains(words(got[0]), "<b>/token</b> never reach the server") {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if got := p.all("#f-url"); len(got) != 1 || attr(got[0], "value") != "https://other.example/mcp" {
		t.Errorf("the address was not completed: %s", p.Text())
	}
	for selector, want := range map[string]string{
		"#report pre": "location / {}", "#report .badge": "Claude", "#because-forwarding details li": "It answers",
		"#other li.bad": "<b>ill</b>", "#passed details li": "It is there", "#text details pre": "It is there", "#text button": "Copy",
	} {
		if got := p.all(selector); len(got) != 1 || !strings.Contains(words(got[0]), want) {
			t.Errorf("%s: got %d, want one with %q", selector, len(got), want)
		}
	}
	for _, address := range []string{"file:///etc/passwd", "https://"} {
		if p := b.post("/admin/doctor", "url", address); p.Status != http.StatusUnprocessableEntity || len(p.all("#error")) != 1 {
			t.Errorf("%s: got %d, want the form again", address, p.Status)
		}
	}
}

func TestTheDoctorSeesNoMoreThanItCan(t *testing.T) {
	r := newRig(t)
	begun, end := make(chan struct{}), make(chan struct{})
	r.Console.Admin.Examinations.Doctor = doctorFunc(func(_ context.Context, url, _ string) *doctor.Report {
		begun <- struct{}{}
		<-end
		return &doctor.Report{URL: url}
	})
	first, second, third := r.as("root"), r.as("root"), r.as("root")
	var both sync.WaitGroup
	for _, b := range []*browser{first, second} {
		both.Go(func() { b.post("/admin/doctor", "url", "https://other.example/mcp") })
		<-begun
	}
	if p := third.post("/admin/doctor", "url", "https://other.example/mcp"); p.Status != http.StatusUnprocessableEntity || len(p.all("#error")) != 1 {
		t.Errorf("got %d while the doctor is busy", p.Status)
	}
	close(end)
	both.Wait()
}

func TestLongListsHavePages(t *testing.T) {
	r := newRig(t)
	r.client("c1", "Chat")
	for i := range 120 {
		r.grant("g"+string(rune('a'+i%26))+string(rune('a'+i/26)), "alice", "c1")
	}
	b := r.as("root")
	seen, at := 0, "/admin/grants?live=yes"
	for range 5 {
		p := b.get(at)
		seen += len(p.all("#grants tbody tr"))
		next := p.all(".pager a[rel=next]")
		if len(next) == 0 {
			break
		}
		if at = attr(next[0], "href"); !strings.Contains(at, "live=yes") {
			t.Fatalf("the next page is %q, without the filter", at)
		}
	}
	if seen != 120 {
		t.Errorf("got %d rows on all pages, want 120", seen)
	}
	if p := b.get("/admin/grants?after=nonsense"); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("got %d for an unknown page", p.Status)
	}
}
