package templates_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"rialto/static"
	"rialto/templates"
)

func consent() templates.Authorize {
	return templates.Authorize{
		Product: "Rialto", Client: "Some Chat", RedirectHost: "chat.example", Handle: "h4ndle", Action: "/authorize",
		Scopes: []templates.Scope{{Name: "mcp:tools", Words: "Use the tools"}},
	}
}

// samples holds every page with every part of it shown.
func samples() map[string]templates.Page {
	signedIn, fake, failed := consent(), consent(), consent()
	signedIn.User, signedIn.Loopback, signedIn.Unverified = "admin", true, true
	fake.LookAlike, fake.ClientURI = "Vendor", "https://chat.example/client.json"
	failed.Error, failed.Username, failed.Setup = "Wrong username or password.", "admin", "/sign-in"
	elsewhere, pasted, refused, vouched := consent(), consent(), consent(), consent()
	elsewhere.Providers = []templates.Provider{{ID: "corp", Name: "Corp"}, {ID: "other", Name: "Other"}}
	pasted.NoPasswords, pasted.Token = true, &templates.Token{Issuer: "https://id.example", Audiences: "https://rialto.example"}
	refused.Providers, refused.Token, refused.TokenError = elsewhere.Providers, pasted.Token, "It has expired."
	vouched.Token, vouched.Voucher = pasted.Token, &templates.Voucher{Sealed: "sealed", Shown: "sales", UseCases: []string{"sales"}, Left: "47 min"}
	return map[string]templates.Page{
		"authorize, elsewhere":     elsewhere,
		"authorize, pasted":        pasted,
		"authorize, refused token": refused,
		"authorize, vouched":       vouched,
		"leave":                    templates.Leave{Product: "Rialto", Provider: "Corp", URL: "https://id.example/authorize?x=1"},
		"sign in, elsewhere":       templates.SignIn{Product: "Rialto", Action: "/sign-in", Handle: "h4ndle", Providers: elsewhere.Providers},
		"sign in, nowhere":         templates.SignIn{Product: "Rialto", Action: "/sign-in", Handle: "h4ndle", NoPasswords: true},
		"authorize":                consent(),
		"authorize, signed in":     signedIn,
		"authorize, look-alike":    fake,
		"authorize, failed":        failed,
		"return":                   templates.Return{Product: "Rialto", Client: "Some Chat", URL: "https://chat.example/cb?code=1"},
		"return, denied":           templates.Return{Product: "Rialto", Client: "Some Chat", URL: "https://chat.example/cb?error=access_denied", Denied: true},
		"sign in":                  templates.SignIn{Product: "Rialto", Action: "/sign-in", Next: "/", Handle: "h4ndle"},
		"sign in, first time":      templates.SignIn{Product: "Rialto", Action: "/sign-in", Next: "/", Handle: "h4ndle", Setup: true},
		"signed out":               templates.SignedOut{Product: "Rialto"},
		"problem":                  templates.Problem{Product: "Rialto", Title: "Title", Detail: "Detail", Remedy: "Remedy"},
		"problem, way back":        templates.Problem{Product: "Rialto", Title: "Title", Client: "Some Chat", URL: "https://chat.example/cb?error=invalid_scope"},
		"home": templates.Home{
			Product: "Rialto", URL: "https://rialto.example/mcp", User: "admin", SignOut: "/sign-out",
			Agents:   []templates.HomeAgent{{Name: "expert", Title: "Expert", Description: "Knows."}},
			Snippets: []templates.Snippet{{Client: "Some Chat", Steps: "One.\nTwo.", Code: "chat add"}},
		},
		"home, empty":     templates.Home{Product: "Rialto", URL: "https://rialto.example/mcp", User: "admin"},
		"home, to nobody": templates.Home{Product: "Rialto", URL: "https://rialto.example/mcp"},
		"document": templates.Document{
			Product: "Rialto", Title: "Claim 7", Agent: "expert", ID: "claims/7", Text: "a\nb",
			Fields: [][2]string{{"amount", "12"}},
		},
	}
}

func write(page templates.Page, language string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/", nil)
	if language != "" {
		r.Header.Set("Accept-Language", language)
	}
	w := httptest.NewRecorder()
	templates.Write(w, r, http.StatusOK, page)
	return w
}

func render(t *testing.T, page templates.Page, language string) node {
	t.Helper()
	w := write(page, language)
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %s, want 200", w.Code, w.Body)
	}
	doc, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return node{doc}
}

func TestEveryPageCarriesTheHeadersThatProtectIt(t *testing.T) {
	want := map[string]string{
		"Content-Type":              "text/html; charset=utf-8",
		"Content-Security-Policy":   "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"X-Frame-Options":           "DENY",
		"Referrer-Policy":           "no-referrer",
		"Cache-Control":             "no-store",
		"X-Content-Type-Options":    "nosniff",
		"Vary":                      "Accept-Language",
		"Strict-Transport-Security": "",
	}
	for name, page := range samples() {
		got := write(page, "").Header()
		for header, value := range want {
			if got.Get(header) != value {
				t.Errorf("%s: %s: got %q, want %q", name, header, got.Get(header), value)
			}
		}
	}
}

func TestOnlyPagesOfOurOwnAreCutOffFromTheirOpener(t *testing.T) {
	for name, page := range samples() {
		want := "same-origin"
		switch page.(type) {
		case templates.Authorize, templates.Return, templates.Leave, templates.Problem:
			want = "" // an app that opened a popup must hear from its callback
		}
		if got := write(page, "").Header().Get("Cross-Origin-Opener-Policy"); got != want {
			t.Errorf("%s: got opener policy %q, want %q", name, got, want)
		}
	}
}

func TestStrictTransportIsAskedForOnlyOverHTTPS(t *testing.T) {
	r := httptest.NewRequest("GET", "https://rialto.example/", nil)
	w := httptest.NewRecorder()
	templates.Write(w, r, 200, templates.SignedOut{Product: "Rialto"})
	if w.Header().Get("Strict-Transport-Security") == "" {
		t.Error("got no Strict-Transport-Security over TLS, want one")
	}
}

func TestNoPageNeedsMoreThanItsPolicyAllows(t *testing.T) {
	for name, page := range samples() {
		doc := render(t, page, "")
		for _, n := range doc.all("script, style, link, img, a, form, *") {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Errorf("%s: <%s %s=%q> is inline code or style", name, n.Data, a.Key, a.Val)
				}
			}
			if n.Data == "style" || n.Data == "script" && n.text() != "" {
				t.Errorf("%s: inline <%s>", name, n.Data)
			}
			src := n.attr("src")
			if n.Data == "link" {
				src = n.attr("href")
			}
			if src != "" && !strings.HasPrefix(src, static.Prefix) {
				t.Errorf("%s: <%s> fetches %q, want only %s", name, n.Data, src, static.Prefix)
			}
		}
	}
}

func TestEveryPageIsNamedAndEveryFieldLabelled(t *testing.T) {
	for name, page := range samples() {
		doc := render(t, page, "")
		if len(doc.all("h1")) != 1 || len(doc.all("main")) != 1 {
			t.Errorf("%s: got %d h1 and %d main, want one of each", name, len(doc.all("h1")), len(doc.all("main")))
		}
		if title := doc.one(t, "title").text(); !strings.HasSuffix(title, " · Rialto") || strings.HasPrefix(title, " ") {
			t.Errorf("%s: got title %q, want words and the product", name, title)
		}
		labelled := map[string]bool{}
		for _, l := range doc.all("label") {
			labelled[l.attr("for")] = true
		}
		for _, in := range doc.all("input") {
			kind := in.attr("type")
			if kind != "hidden" && kind != "checkbox" && !labelled[in.attr("id")] {
				t.Errorf("%s: input %q has no label", name, in.attr("name"))
			}
		}
		if n := len(doc.all(".primary")); n > 1 {
			t.Errorf("%s: got %d primary buttons, want at most one", name, n)
		}
	}
}

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
		t.Error("got a password field for somebody who is signed in")
	}
	if got := doc.one(t, ".account").text(); got != "Signed in as admin" {
		t.Errorf("got %q, want who is signed in", got)
	}
	if got := decisions(doc); got != "approve deny switch" {
		t.Errorf("got decisions %q, want approve deny switch", got)
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

func TestWhatOthersWroteIsShownAsText(t *testing.T) {
	const evil = `"><script>alert(1)</script><b>&amp;`
	page := consent()
	page.Client, page.ClientURI, page.RedirectHost, page.LookAlike = evil, evil, evil, evil
	page.Scopes, page.User, page.Error = []templates.Scope{{Name: evil, Words: evil}}, evil, evil
	pages := []templates.Page{
		page,
		templates.Return{Product: "Rialto", Client: evil, URL: "https://chat.example/cb?state=" + evil},
		templates.Problem{Product: "Rialto", Title: evil, Detail: evil, Remedy: evil},
		templates.Home{Product: "Rialto", URL: evil, User: evil, Agents: []templates.HomeAgent{{Name: evil, Title: evil, Description: evil}}},
		templates.Document{Product: "Rialto", Title: evil, Agent: evil, ID: evil, Text: evil, Fields: [][2]string{{evil, evil}}},
	}
	for _, p := range pages {
		doc := render(t, p, "")
		if len(doc.all("b")) != 0 {
			t.Errorf("%T: markup of others became markup of ours", p)
		}
		for _, s := range doc.all("script") {
			if s.attr("src") == "" {
				t.Errorf("%T: a script of others is in the page", p)
			}
		}
		if !strings.Contains(doc.one(t, "body").text(), evil) {
			t.Errorf("%T: the text itself is missing", p)
		}
	}
}

func TestReturnGoesWhereTheClientRegistered(t *testing.T) {
	for _, c := range []struct{ name, url, want string }{
		{"https", "https://chat.example/cb?code=a&state=b%20c", "https://chat.example/cb?code=a&state=b%20c"},
		{"loopback", "http://127.0.0.1:4711/callback?code=a", "http://127.0.0.1:4711/callback?code=a"},
		{"a scheme of a desktop app", "cursor://anysphere.cursor-mcp/oauth/callback?code=a", "cursor://anysphere.cursor-mcp/oauth/callback?code=a"},
		{"javascript is not followed", "javascript:alert(1)", "#"},
		{"javascript in capitals is not followed", "JavaScript:alert(1)", "#"},
		{"data is not followed", "data:text/html,x", "#"},
		{"a relative address is not followed", "/elsewhere", "#"},
		{"what is no address is not followed", "https://a b\x00", "#"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := render(t, templates.Return{Product: "Rialto", Client: "c", URL: c.url}, "")
			if got := doc.one(t, "a#continue").attr("href"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAProblemOffersTheWayBackWithoutTakingIt(t *testing.T) {
	doc := render(t, samples()["problem, way back"], "")
	if got := doc.one(t, "a#back").attr("href"); got != "https://chat.example/cb?error=invalid_scope" {
		t.Errorf("got way back %q", got)
	}
	if got := doc.one(t, "#redirect").text(); !strings.Contains(got, "chat.example") {
		t.Errorf("got %q, want it to say where that leads", got)
	}
	if len(doc.all("script")) != 0 {
		t.Error("got a script: it would go there by itself")
	}
	if got := len(render(t, samples()["problem"], "").all("a")); got != 0 {
		t.Errorf("got %d links on a problem with no way back, want none", got)
	}
}

func TestTheLanguageIsTheOneThatTheBrowserPrefers(t *testing.T) {
	for _, c := range []struct{ name, header, want string }{
		{"nothing asked", "", "en"},
		{"Spanish", "es", "es"},
		{"Spanish of Mexico", "es-MX,es;q=0.9,en;q=0.8", "es"},
		{"English before Spanish", "en-GB,es;q=0.5", "en"},
		{"a language that we do not speak, then Spanish", "eu,es;q=0.5,en;q=0.4", "es"},
		{"only one that we do not speak", "ja", "en"},
		{"nonsense", ";;q=x,", "en"},
		{"far too many", strings.Repeat("es,", 4000), "en"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := write(samples()["authorize"], c.header)
			if got := w.Header().Get("Content-Language"); got != c.want {
				t.Errorf("got Content-Language %q, want %q", got, c.want)
			}
			if !strings.Contains(w.Body.String(), `<html lang="`+c.want+`">`) {
				t.Errorf("want the page itself in %s", c.want)
			}
		})
	}
}

func TestSpanishPagesSayNoEnglishSentence(t *testing.T) {
	sentence := regexp.MustCompile(`\b(the|you|this|and|app)\b`)
	for name, page := range samples() {
		if strings.HasPrefix(name, "problem") || name == "document" {
			continue // their words are the caller's
		}
		doc := render(t, page, "es")
		for _, n := range doc.all("h1, h2, p, dt, label, button, summary") {
			if strings.Contains(n.text(), "Use the tools") || strings.Contains(n.text(), "chat add") {
				continue
			}
			if sentence.MatchString(n.text()) {
				t.Errorf("%s: got %q on a Spanish page", name, n.text())
			}
		}
	}
}

func TestTheConsentPageIsLight(t *testing.T) {
	total := write(samples()["authorize, look-alike"], "").Body.Len()
	for _, name := range []string{"style.css", "logo.svg"} {
		w := httptest.NewRecorder()
		static.Handler().ServeHTTP(w, httptest.NewRequest("GET", static.URL(name), nil))
		total += w.Body.Len()
	}
	if total > 60_000 {
		t.Errorf("got %d bytes with everything that it loads, want at most 60000", total)
	}
}

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
		t.Error("strangers are told about agents")
	}
}

func decisions(doc node) string {
	var all []string
	for _, b := range doc.all("button[name=decision]") {
		all = append(all, b.attr("value"))
	}
	return strings.Join(all, " ")
}
