package authserver_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"rialto/oauth"
)

func TestAScopeIsEnoughForWhatItCovers(t *testing.T) {
	for name, test := range map[string]struct {
		granted, demanded string
		want              bool
	}{
		"the same":                               {"a2a:discover", "a2a:discover", true},
		"all of several":                         {"a2a:discover mcp:tools", "mcp:tools a2a:discover", true},
		"one is missing":                         {"a2a:discover", "a2a:discover a2a:publish", false},
		"nothing is demanded":                    {"", "", true},
		"a use case calls tools":                 {"mcp:tools:demo", "mcp:tools", true},
		"all use cases call tools":               {"mcp:tools:*", "mcp:tools", true},
		"all use cases hold each":                {"mcp:tools:*", "mcp:tools:demo", true},
		"all tools hold each use case":           {"mcp:tools", "mcp:tools:demo", true},
		"all tools are all use cases":            {"mcp:tools", "mcp:tools:*", true},
		"one use case is not all":                {"mcp:tools:demo", "mcp:tools:*", false},
		"another use case":                       {"mcp:tools:demo", "mcp:tools:demo2", false},
		"the operator's scope opens no tools":    {"admin", "mcp:tools", false},
		"tools are not the operator's":           {"mcp:tools:*", "admin", false},
		"a prefix is no scope":                   {"mcp", "mcp:tools", false},
		"parts are for tools only":               {"a2a:discover:x", "a2a:discover", false},
		"nor does a whole hold parts elsewhere":  {"a2a:discover", "a2a:discover:x", false},
		"a use case with a colon is none":        {"mcp:tools:a:b", "mcp:tools", false},
		"a use case that is too long is none":    {"mcp:tools:" + strings.Repeat("a", 65), "mcp:tools", false},
		"a use case may be a UUID or have a dot": {"mcp:tools:8f0c1e7b-2f4a-4a2a-9b9d-0123456789ab mcp:tools:v1.2", "mcp:tools:v1.2", true},
	} {
		if got := oauth.ScopeSet(strings.Fields(test.granted)).Meets(strings.Fields(test.demanded)...); got != test.want {
			t.Errorf("%s: %q for %q: got %t", name, test.granted, test.demanded, got)
		}
	}
}

func TestUseCasesAreReadFromTheScope(t *testing.T) {
	for scope, want := range map[string]string{
		"mcp:tools": "*", "mcp:tools:*": "*", "mcp:tools:b mcp:tools:a mcp:tools:b": "a b",
		"mcp:tools:a mcp:tools": "*", "a2a:discover": "", "": "", "mcp:tools:": "", "mcp:tools:a mcp:tools:b/c": "a",
	} {
		some, all := oauth.Principal{Scope: strings.Fields(scope)}.UseCases()
		if all {
			some = append(some, "*")
		}
		if got := strings.Join(some, " "); got != want {
			t.Errorf("%q: got %q, want %q", scope, got, want)
		}
	}
	for scope, want := range map[string]string{
		"mcp:tools": "mcp:tools:a mcp:tools:b", "mcp:tools:* offline_access": "mcp:tools:a mcp:tools:b offline_access",
		"mcp:tools:b": "mcp:tools:b", "mcp:tools:c a2a:discover": "a2a:discover",
	} {
		if got := oauth.ScopeSet(strings.Fields(scope)).Only("a", "b").String(); got != want {
			t.Errorf("%q only a and b: got %q, want %q", scope, got, want)
		}
	}
}

// tick approves a request with these scopes ticked.
func (r *rig) tick(page string, scopes ...string) answer {
	r.t.Helper()
	if r.person == nil {
		r.person = r.browser()
	}
	p := r.person.Get(page)
	action, form := p.Form()
	form["scope"] = scopes
	form.Set("decision", "approve")
	if p.Has("input[name=username]") {
		form.Set("username", user)
		form.Set("password", password)
	}
	p = r.person.Post(action, form)
	a := answer{status: p.Status, body: p.Text()}
	if p.Has("#continue") {
		a.json = map[string]any{"code": p.Continue().Query().Get("code")}
	}
	return a
}

func TestAPersonMayGrantLessThanIsAskedFor(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	ask := r.authorizeURL(c, params{"scope": "mcp:tools mcp:tools:demo mcp:more offline_access"})
	page := r.browser().Get(ask)
	if _, form := page.Form(); !slices.Equal(form["scope"], []string{"mcp:tools", "mcp:tools:demo", "mcp:more"}) {
		t.Errorf("the form holds %q, want all ticked", form["scope"])
	}
	if !strings.Contains(page.Text(), "Only for the use case demo") {
		t.Errorf("the page does not say what a use case is for: %s", page.Text())
	}
	for name, test := range map[string]struct {
		ticked []string
		want   string
	}{
		"one is unticked":              {[]string{"mcp:tools:demo", "mcp:more"}, "mcp:tools:demo mcp:more offline_access"},
		"what was not asked for":       {[]string{"mcp:more", "admin", "mcp:tools:other"}, "mcp:more offline_access"},
		"a tick is posted twice":       {[]string{"mcp:more", "mcp:more"}, "mcp:more offline_access"},
		"all of them":                  {[]string{"mcp:tools", "mcp:tools:demo", "mcp:more"}, "mcp:tools mcp:tools:demo mcp:more offline_access"},
		"refreshing is not a question": {[]string{"mcp:tools", "offline_access"}, "mcp:tools offline_access"},
	} {
		a := r.tick(ask, test.ticked...)
		if got := r.ok(r.form("/token", codeForm(c, a.str("code")))).str("scope"); got != test.want {
			t.Errorf("%s: got scope %q, want %q", name, got, test.want)
		}
	}
	for _, nothing := range [][]string{nil, {"offline_access"}, {"admin"}} {
		if a := r.tick(ask, nothing...); a.json != nil || !strings.Contains(a.body, "Choose at least one thing") {
			t.Errorf("%q ticked: got %s, want the question again", nothing, a.body)
		}
	}
	if _, form := r.browser().Get(r.authorizeURL(c, nil)).Form(); form.Get("scope") != "mcp:tools" {
		t.Errorf("a single scope: the form holds %v, want it without a choice", form)
	}
}

func TestOnlyAnAdministratorGrantsTheOperatorsScope(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	ask := r.authorizeURL(c, params{"scope": "mcp:tools admin"})
	if _, form := r.browser().Get(ask).Form(); form["scope"][0] != "mcp:tools" || len(form["scope"]) != 1 {
		t.Errorf("the form holds %q, want the operator's scope unticked", form["scope"])
	}
	if a := r.tick(ask, "mcp:tools", "admin"); a.json != nil || !strings.Contains(a.body, "Only an administrator") {
		t.Errorf("got %s, want a refusal", a.body)
	}
	if _, _, err := r.s.Tokens.Issue(t.Context(), user, []string{"admin"}, 0); err == nil {
		t.Error("the command line issued the operator's scope for an account without the role")
	}
	role := func(admin bool) {
		t.Helper()
		if err := r.s.Accounts.SetAdmin(t.Context(), user, admin); err != nil {
			t.Fatal(err)
		}
	}
	role(true)
	got := r.ok(r.form("/token", codeForm(c, r.tick(ask, "mcp:tools", "admin").str("code"))))
	if got.str("scope") != "mcp:tools admin" {
		t.Errorf("got scope %q, want both", got.str("scope"))
	}
	clients := func(token string) answer { return r.manage("GET", "/mcp/oauth/clients", token, "") }
	r.ok(clients(got.str("access_token")))

	role(false) // and what was granted is worth nothing any more, there
	refused(t, clients(got.str("access_token")), 403, "insufficient_scope")
	r.ok(r.call(got.str("access_token")))
	if next := r.ok(r.form("/token", refreshForm(c, got.str("refresh_token")))); next.str("scope") != "mcp:tools" {
		t.Errorf("a refresh without the role: got scope %q, want mcp:tools", next.str("scope"))
	}
	role(true)
	alone := r.ok(r.form("/token", codeForm(c, r.tick(r.authorizeURL(c, params{"scope": "admin"}), "admin").str("code"))))
	role(false)
	refused(t, r.form("/token", refreshForm(c, alone.str("refresh_token"))), 400, "invalid_grant")
}

func TestNobodyIsInvitedToAskForTheOperatorsScope(t *testing.T) {
	r := newRig(t)
	ask := r.authorizeURL(r.newClient("none"), params{"scope": "-"})
	if _, form := r.browser().Get(ask).Form(); !slices.Equal(form["scope"], []string{"mcp:tools", "mcp:more"}) {
		t.Errorf("who asks for nothing is offered %q", form["scope"])
	}
	if a := r.do(r.request("GET", "/demo", "", "")); strings.Contains(a.header.Get("WWW-Authenticate"), "admin") {
		t.Errorf("got the challenge %s", a.header.Get("WWW-Authenticate"))
	}
}

func TestE7AUseCaseIsPartOfAllTools(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	for name, test := range map[string]struct{ granted, asked, want string }{
		"one of all":                 {"mcp:tools", "mcp:tools:demo", "mcp:tools:demo"},
		"one of all, by the star":    {"mcp:tools:*", "mcp:tools:demo", "mcp:tools:demo"},
		"all, in its other spelling": {"mcp:tools", "mcp:tools:*", "mcp:tools:*"},
		"tools, where one is open":   {"mcp:tools:demo mcp:more", "mcp:tools", "mcp:tools:demo"},
		"the star, where two are":    {"mcp:tools:a mcp:tools:b", "mcp:tools:*", "mcp:tools:a mcp:tools:b"},
		"another":                    {"mcp:tools:demo", "mcp:tools:other", ""},
		"more than tools":            {"mcp:tools:demo", "mcp:tools mcp:more", ""},
	} {
		refresh := r.tokens(c, params{"scope": test.granted}).str("refresh_token")
		a := r.form("/token", refreshForm(c, refresh).with(params{"scope": test.asked}))
		if test.want == "" {
			refused(t, a, 400, "invalid_scope")
		} else if got := r.ok(a).str("scope"); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	if a := r.person.Get(r.authorizeURL(c, params{"scope": "mcp:tools" + manyUseCases()})); a.Status != 303 {
		t.Errorf("33 scopes: got %d, want a refusal", a.Status)
	} else if to, _ := url.Parse(a.Header.Get("Location")); to.Query().Get("error") != "invalid_scope" {
		t.Errorf("33 scopes: got %s, want invalid_scope", to)
	}
}

func manyUseCases() string {
	var b strings.Builder
	for i := range 32 {
		b.WriteString(" mcp:tools:u" + string(rune('A'+i)))
	}
	return b.String()
}
