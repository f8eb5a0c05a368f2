package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/oauth"
)

// filled has a form for each action that changes something when root sends it.
var filled = map[string][]string{
	"/account/end":                 {"id", "g-root", "confirm", "yes"},
	"/account/end-all":             {"confirm", "yes"},
	"/account/agents/forget":       {"agent", "expert", "confirm", "yes"},
	"/account/events":              {"id", "sub_1", "action", "test"},
	"/account/links/end":           {"id", "s-root", "confirm", "yes"},
	"/account/links/end-all":       {"confirm", "yes"},
	"/account/password":            {"present", password, "next", "another long one", "again", "another long one"},
	"/account/passkeys/confirm":    {"proof", password},
	"/account/passkeys/add":        {"name", "mine", "passkey", "{}"},
	"/account/passkeys/rename":     {"id", "none", "name", "mine"},
	"/account/passkeys/remove":     {"id", "none", "confirm", "yes"},
	"/account/passkeys/codes":      {},
	"/account/sessions/end":        {"id", "none"},
	"/account/sessions/end-others": {},
	"/admin/agents/new":            {"name", "second", "url", "https://second.example"},
	"/admin/agents/change":         {"name", "added", "url", "https://changed.example", "version", "1"},
	"/admin/agents/test":           {"name", "expert", "message", "hello"},
	"/admin/agents/enable":         {"name", "expert"},
	"/admin/agents/disable":        {"name", "added"},
	"/admin/agents/remove":         {"name", "added", "confirm", "yes"},
	"/admin/agents/accept":         {"name", "added", "confirm", "yes"},
	"/admin/connectors/new":        {"name", "second", "title", "Second"},
	"/admin/connectors/change":     {"name", "desk", "title", "Changed", "version", "2"},
	"/admin/connectors/remove":     {"name", "desk", "confirm", "yes"},
	"/admin/clients/new":           {"client_name", "New", "redirect_uris", "https://new.example/cb"},
	"/admin/clients/remove":        {"id", "c1", "confirm", "yes"},
	"/admin/grants/end":            {"id", "g-root", "confirm", "yes"},
	"/admin/grants/end-all":        {"client", "c1", "confirm", "yes"},
	"/admin/accounts/new":          {"name", "carol", "password", password},
	"/admin/accounts/password":     {"name", "bob", "password", "another long one"},
	"/admin/accounts/role":         {"name", "bob", "admin", "yes"},
	"/admin/accounts/disable":      {"name", "bob"},
	"/admin/accounts/enable":       {"name", "bob"},
	"/admin/accounts/remove":       {"name", "bob", "confirm", "yes"},
	"/admin/tasks/cancel":          {"id", "t1", "confirm", "yes"},
	"/account/tasks/cancel":        {"id", "t-root", "confirm", "yes"},
	"/admin/keys/rotate":           {"confirm", "yes"},
	"/admin/keys/revoke":           {"id", "none", "confirm", "yes"},
	"/admin/doctor":                {"url", "https://rialto.example/mcp"},
}

// attacked is a rig in which every form of filled would do something.
func attacked(t *testing.T) *rig {
	r := newRig(t)
	r.client("c1", "Chat")
	r.grant("g-root", "root", "c1")
	r.task("t1", "alice", a2a.Working, "Counting.")
	r.task("t-root", "root", a2a.Working, "Counting.")
	r.share("s-root", "root")
	r.connect("root", "expert")
	r.must(r.Admin.Agents.Registry.Add(t.Context(), directory.AgentConfig{Name: "added", URL: "https://added.example"}, nil))
	r.must(r.Admin.Agents.Registry.PutConnector(t.Context(), directory.Connector{Name: "desk"}, 0))
	r.card("added", `{"name":"ONE"}`, false)
	r.card("added", `{"name":"TWO"}`, true)
	return r
}

// unchanged fails the test if any of the forms has done something.
func (r *rig) unchanged(t *testing.T, what string) {
	t.Helper()
	ctx := t.Context()
	if !r.live("g-root") {
		t.Errorf("%s: a grant was revoked", what)
	}
	if shares, err := r.db.Ledger.Shares().Shares(ctx, r.ids["root"], time.Now(), ledger.Mark{}, 10); err != nil || len(shares) != 1 {
		t.Errorf("%s: got %d links, %v, want the one", what, len(shares), err)
	}
	if all, err := r.Admin.Connections.List(ctx, r.ids["root"]); err != nil || len(all) != 1 {
		t.Errorf("%s: got %d accounts at agents, %v, want the one", what, len(all), err)
	}
	if clients, err := r.db.OAuth.Clients.Clients(ctx, "", 10); err != nil || len(clients) != 1 {
		t.Errorf("%s: got %d clients, %v, want the one", what, len(clients), err)
	}
	accounts, err := r.Admin.Accounts(ctx, operator.AccountFilter{})
	r.must(err)
	var names []string
	for _, a := range accounts.Items {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"alice", "bob", "root"}) {
		t.Errorf("%s: got the accounts %v", what, names)
	}
	bob, err := r.db.OAuth.Accounts.Account(ctx, "bob")
	if err != nil || bob.Admin || bob.Disabled {
		t.Errorf("%s: bob was changed: %+v, %v", what, bob, err)
	}
	for _, id := range []string{"t1", "t-root"} {
		if e, err := r.db.Ledger.AnyTask(ctx, id); err != nil || e.State() != a2a.Working {
			t.Errorf("%s: the task %s was canceled: %v", what, id, err)
		}
	}
	if s, err := r.Admin.Agents.Registry.List(ctx); err != nil || len(s) != 2 || s[1].URL != "https://added.example" || !s[1].Enabled {
		t.Errorf("%s: an agent was added, changed, disabled or removed: %+v, %v", what, s, err)
	}
	if all, err := r.Admin.Agents.Registry.Connectors(ctx); err != nil || len(all) != 1 || all[0].Title != "" {
		t.Errorf("%s: a connector was added, changed or removed: %+v, %v", what, all, err)
	}
	if cards, err := r.db.Records.SeenCards(ctx, "added"); err != nil || len(cards) != 2 || !cards[0].InForce.IsZero() {
		t.Errorf("%s: a card was accepted: %v", what, err)
	}
	if keys, err := r.OAuth.Keys.List(ctx); err != nil || len(keys) != 1 {
		t.Errorf("%s: got %d keys, %v, want one", what, len(keys), err)
	}
}

func TestEveryFormIsKnownToTheAttacks(t *testing.T) {
	r := newRig(t)
	for _, route := range slices.Concat(ownAccount{r.Console}.routes(), r.adminRoutes()) {
		if _, ok := filled[route.path]; route.form != nil && !ok {
			t.Errorf("%s takes a form that no attack sends", route.path)
		}
	}
}

func TestAFormFromAnotherSiteDoesNothing(t *testing.T) {
	r := attacked(t)
	for name, header := range map[string]http.Header{
		"a page of another site":           {"Sec-Fetch-Site": {"cross-site"}},
		"a page of a neighbour":            {"Sec-Fetch-Site": {"same-site"}},
		"an old browser, of another site":  {"Origin": {"https://evil.example"}},
		"an old browser, of another port":  {"Origin": {"http://127.0.0.1:1"}},
		"a frame that hides where it came": {"Origin": {"null"}},
	} {
		b := r.as("root")
		b.Header = header
		for path, form := range filled {
			if p := b.post(path, form...); p.Status != http.StatusForbidden {
				t.Errorf("%s, %s: got %d %s, want 403", name, path, p.Status, p.Text())
			}
		}
		r.unchanged(t, name)
	}
}

func TestAFormOfNobodyDoesNothing(t *testing.T) {
	r := attacked(t)
	b := r.as("")
	for path, form := range filled {
		if p := b.post(path, form...); p.Status != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/signin") {
			t.Errorf("%s: got %d to %q, want to be sent to sign in", path, p.Status, p.Header.Get("Location"))
		}
	}
	r.unchanged(t, "nobody")
}

func TestTheConsoleIsForAdministratorsOnly(t *testing.T) {
	r := attacked(t)
	b := r.as("alice")
	for _, route := range append(r.adminRoutes(), route{path: "/admin/nothing-there", raw: r.missing}) {
		if route.page != nil || route.raw != nil {
			p := b.get(route.path)
			if p.Status != http.StatusForbidden || !p.Has("#problem") || strings.Contains(p.Body, "g-root") {
				t.Errorf("GET %s: got %d %s, want 403", route.path, p.Status, p.Text())
			}
		}
		if route.form != nil {
			if p := b.post(route.path, filled[route.path]...); p.Status != http.StatusForbidden {
				t.Errorf("POST %s: got %d, want 403", route.path, p.Status)
			}
		}
	}
	if p := b.get("/account"); len(p.all(".areas a")) != 1 {
		t.Error("the frame shows the way to the console to one who may not go there")
	}
	r.unchanged(t, "alice")
}

func TestARoleThatIsTakenAwayEndsAtOnce(t *testing.T) {
	r := attacked(t)
	b := r.as("root")
	if p := b.get("/admin/clients"); p.Status != http.StatusOK {
		t.Fatalf("got %d, want 200", p.Status)
	}
	r.must(r.OAuth.Accounts.SetAdmin(t.Context(), "root", false))
	if p := b.get("/admin/clients"); p.Status != http.StatusForbidden {
		t.Errorf("got %d in a session from before, want 403", p.Status)
	}
}

func TestAFormDoesNothingByGET(t *testing.T) {
	r := attacked(t)
	b := r.as("root")
	for path, form := range filled {
		values := url.Values{}
		for i := 0; i < len(form); i += 2 {
			values.Set(form[i], form[i+1])
		}
		if p := b.get(path + "?" + values.Encode()); p.Status != http.StatusMethodNotAllowed && p.Status != http.StatusOK && path != "/account/passkeys/rename" {
			t.Errorf("%s: got %d, want 405 or the form alone", path, p.Status)
		}
	}
	r.unchanged(t, "GET")
}

func TestWhatCannotBeUndoneAsksFirst(t *testing.T) {
	r := attacked(t)
	b := r.as("root")
	r.must(r.OAuth.Ready(t.Context()))
	keys, err := r.Admin.Keys(t.Context())
	if err != nil || len(keys) != 1 {
		t.Fatalf("got %v, %v, want a key", keys, err)
	}
	for path, form := range filled {
		if !slices.Contains(form, "confirm") {
			continue
		}
		if path == "/admin/keys/revoke" {
			form = []string{"id", keys[0].ID, "confirm", "yes"}
		}
		p := b.post(path, form[:len(form)-2]...)
		if p.Status != http.StatusOK || len(p.all("section#confirm form")) != 1 || len(p.all("section#confirm input[name=confirm]")) != 1 {
			t.Errorf("%s: got %d %s, want a page that asks", path, p.Status, p.Text())
			continue
		}
		if attr(p.all("section#confirm form")[0], "action") != path || len(p.all("section#confirm a.button")) != 1 {
			t.Errorf("%s: want a form to the same address, and a way back", path)
		}
	}
	r.unchanged(t, "asking")
}

func TestAFormThatIsNoneOfOursIsRefused(t *testing.T) {
	r := attacked(t)
	b := r.as("root")
	for name, form := range map[string][]string{
		"control characters": {"name", "bob\x00"},
		"broken text":        {"name", "bob\xff"},
	} {
		if p := b.post("/admin/accounts/disable", form...); p.Status != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400", name, p.Status)
		}
	}
	if p := b.post("/admin/accounts/disable", "name", strings.Repeat("a", maxForm)); p.Status != http.StatusBadRequest {
		t.Errorf("too large: got %d, want 400", p.Status)
	}
	r.unchanged(t, "no form")
}

func TestPrincipalsOfBrowsersAreNoTokens(t *testing.T) {
	r := attacked(t)
	token, _, err := r.OAuth.Tokens.Issue(t.Context(), "root", []string{oauth.ScopeAdmin}, time.Hour)
	r.must(err)
	b := r.as("")
	b.Header.Set("Authorization", "Bearer "+token)
	if p := b.get("/admin/clients"); p.Status != http.StatusSeeOther {
		t.Errorf("got %d for a token without a session, want to be sent to sign in", p.Status)
	}
}
