package templates_test

import (
	"slices"
	"strings"
	"testing"

	"rialto/templates"
)

func TestAuthorizeSaysWhoAsksForWhatAndWhereTheAnswerGoes(t *testing.T) {
	doc := render(t, consent(), "")
	if got := doc.one(t, "h1").text(); got != "Some Chat wants to connect to Rialto" {
		t.Errorf("got heading %q", got)
	}
	if got := doc.one(t, "#redirect").text(); got != "chat.example" {
		t.Errorf("got redirect %q, want chat.example", got)
	}
	if got := doc.one(t, "#scopes li").text(); got != "Use the tools" {
		t.Errorf("got scope %q, want its words", got)
	}
	for _, absent := range []string{"#loopback", "#unverified", "#lookalike", "#error"} {
		if len(doc.all(absent)) != 0 {
			t.Errorf("got %s on a page without it", absent)
		}
	}
}

func TestAuthorizeAsksForNameAndPasswordWhenNobodyIsSignedIn(t *testing.T) {
	doc := render(t, consent(), "")
	form := doc.one(t, "form#authorize")
	if form.attr("method") != "post" || form.attr("action") != "/authorize" {
		t.Errorf("got form %s %s, want post /authorize", form.attr("method"), form.attr("action"))
	}
	if got := doc.one(t, "input#username"); got.attr("autocomplete") != "username" || !got.has("autofocus") {
		t.Error("want the username field filled by the browser and focused")
	}
	if got := doc.one(t, "input#password"); got.attr("autocomplete") != "current-password" || got.attr("type") != "password" {
		t.Error("want a password field filled by the browser")
	}
	if got := doc.one(t, "input[name=handle]").attr("value"); got != "h4ndle" {
		t.Errorf("got handle %q", got)
	}
	if got := decisions(doc); got != "approve deny" {
		t.Errorf("got decisions %q, want approve deny: the first one is what Enter does", got)
	}
}

func TestAuthorizeOffersAnotherAccountToOneWhoIsSignedIn(t *testing.T) {
	doc := render(t, samples()["authorize, signed in"], "")
	if len(doc.all("input#password")) != 0 {
		t.Error("got a password field for a person who is signed in")
	}
	if got := doc.one(t, ".account span").text(); got != "Signed in as admin" {
		t.Errorf("got %q, want who is signed in", got)
	}
	if got := decisions(doc.one(t, ".actions")); got != "approve deny" {
		t.Errorf("got decisions %q, want approve deny", got)
	}
	other := doc.one(t, ".account button[value=switch]")
	if doc.one(t, "form#"+other.attr("form")).attr("action") != "/authorize" || len(doc.all("form#switch input[name=handle]")) != 1 {
		t.Error("want a form of its own for another account: Enter in the other one must not switch")
	}
	if got := doc.one(t, "input[name=as]").attr("value"); got != "admin" {
		t.Errorf("got as=%q, want the account that the page shows", got)
	}
	doc.one(t, "#loopback")
	doc.one(t, "#unverified")
}

func TestARefusalNeedsNoPassword(t *testing.T) {
	for name, page := range samples() {
		for _, b := range render(t, page, "").all("button[name=decision]") {
			if b.attr("value") != "approve" && !b.has("formnovalidate") {
				t.Errorf("%s: %s waits for the required fields", name, b.attr("value"))
			}
		}
	}
}

func TestALookAlikeMakesRefusingTheEasyWay(t *testing.T) {
	doc := render(t, samples()["authorize, look-alike"], "")
	if got := decisions(doc); got != "deny approve" {
		t.Errorf("got decisions %q, want deny first", got)
	}
	if got := doc.one(t, ".primary").attr("value"); got != "deny" {
		t.Errorf("got primary button %q, want deny", got)
	}
	if !doc.one(t, "input[name=understood]").has("required") {
		t.Error("want a box that must be ticked first")
	}
	if got := doc.one(t, "h1").text(); got != "An app that calls itself Some Chat wants to connect" {
		t.Errorf("got heading %q, want it to say the name as a claim", got)
	}
	if got := len(doc.all("input[autofocus]")); got != 0 {
		t.Errorf("got the focus on %d fields, want it to leave the warning in view", got)
	}
	if got := doc.one(t, "#lookalike").text(); !strings.Contains(got, "Vendor") || !strings.Contains(got, "chat.example") {
		t.Errorf("got warning %q, want it to name the vendor and where the answer goes", got)
	}
}

func TestAnErrorIsAnnouncedAndTiedToTheFields(t *testing.T) {
	doc := render(t, samples()["authorize, failed"], "")
	if got := doc.one(t, "#error").attr("role"); got != "alert" {
		t.Errorf("got role %q, want alert", got)
	}
	for _, field := range []string{"#username", "#password"} {
		if got := doc.one(t, field).attr("aria-describedby"); got != "error" {
			t.Errorf("%s: got aria-describedby %q, want error", field, got)
		}
	}
	if got := doc.one(t, "#username").attr("value"); got != "admin" {
		t.Errorf("got username %q, want what was typed", got)
	}
	if got := doc.one(t, "#password"); got.attr("value") != "" || !got.has("autofocus") {
		t.Error("want the password empty and focused")
	}
}

func TestAnErrorIsShownToOneWhoIsSignedIn(t *testing.T) {
	page := consent()
	page.User, page.Error = "admin", "Read the warning first."
	if got := render(t, page, "").one(t, "#error").text(); got != "Read the warning first." {
		t.Errorf("got error %q", got)
	}
}

func TestScopesCanBeUntickedWhereThereAreSeveral(t *testing.T) {
	if doc := render(t, consent(), ""); len(doc.all("#untick")) != 0 || doc.one(t, "#asks").text() != "It can" {
		t.Error("a single scope is for choosing")
	}
	page := consent()
	page.Scopes = append(page.Scopes, templates.Scope{Name: "admin", Words: "Run this server", Ticked: true})
	doc := render(t, page, "")
	if got := doc.one(t, "#asks").text(); got != "It asks to" {
		t.Errorf("got heading %q above boxes that can be unticked", got)
	}
	if got := doc.one(t, "#scopes").attr("aria-describedby"); got != doc.one(t, "#untick").attr("id") {
		t.Errorf("got boxes described by %q, want by what says that they can be unticked", got)
	}
}

func TestTheWarningIsConfirmedRightAboveWhatItAllows(t *testing.T) {
	for name, change := range map[string]func(*templates.Authorize){
		"with a password": func(p *templates.Authorize) { p.Token = &templates.Token{} },
		"signed in":       func(p *templates.Authorize) { p.User = "admin" },
		"with both":       func(p *templates.Authorize) { p.Providers = []templates.Provider{{ID: "corp", Name: "Corp"}} },
		"at a provider": func(p *templates.Authorize) {
			p.Providers, p.NoPasswords = []templates.Provider{{ID: "corp", Name: "Corp"}}, true
		},
		"with a token":      func(p *templates.Authorize) { p.Token, p.NoPasswords = &templates.Token{}, true },
		"with a good token": func(p *templates.Authorize) { p.Voucher = &templates.Voucher{} },
	} {
		page := consent()
		page.LookAlike = "Vendor"
		change(&page)
		doc := render(t, page, "")
		doc.one(t, "input[name=understood]")
		all := doc.all("input[name=understood], button[name=decision]")
		i := slices.IndexFunc(all, func(n node) bool { return n.attr("name") == "understood" })
		if next := all[i+1].attr("value"); !all[i].has("required") || next == "deny" {
			t.Errorf("%s: got the box above %q, want it above what it allows", name, next)
		}
	}
}

func TestWhenTheAccessEndsIsSaidWhereAnAccountCanEndIt(t *testing.T) {
	for name, want := range map[string]int{"authorize": 1, "authorize, signed in": 1, "authorize, look-alike": 1, "authorize, elsewhere": 1, "authorize, pasted": 0, "authorize, vouched": 0} {
		if got := len(render(t, samples()[name], "").all("#ends")); got != want {
			t.Errorf("%s: got %d lines about the end, want %d", name, got, want)
		}
	}
}
