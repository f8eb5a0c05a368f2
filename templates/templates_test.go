package templates_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"rialto/static"
	"rialto/templates"
)

func consent() templates.Authorize {
	return templates.Authorize{
		Product: "Rialto", Connector: templates.Connector{Title: "Rialto", URL: "https://rialto.example/mcp"}, Client: "Some Chat", RedirectHost: "chat.example", Handle: "h4ndle", Action: "/authorize",
		Scopes: []templates.Scope{{Name: "mcp:tools", Words: "Use the tools"}},
		Ends:   templates.Textf("Access ends on {} at the latest. You can disconnect it earlier in My account.", templates.Date(at)),
	}
}

// samples holds every page with every part of it shown.
func samples() map[string]templates.Page {
	signedIn, fake, failed := consent(), consent(), consent()
	signedIn.User, signedIn.Loopback, signedIn.Unverified = "admin", true, true
	fake.LookAlike, fake.ClientURI = "Vendor", "https://chat.example/client.json"
	failed.Error, failed.Username, failed.Setup, failed.Passkey = "Wrong username or password.", "admin", "/sign-in", "{}"
	elsewhere, pasted, refused, vouched := consent(), consent(), consent(), consent()
	elsewhere.Providers = []templates.Provider{{ID: "corp", Name: "Corp"}, {ID: "other", Name: "Other"}}
	pasted.NoPasswords, pasted.Token = true, &templates.Token{Issuer: "https://id.example", Audiences: "https://rialto.example"}
	refused.Providers, refused.Token = elsewhere.Providers, &templates.Token{Issuer: "https://id.example", Error: "It has expired."}
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
		"sign in, with a link":     templates.SignIn{Product: "Rialto", Action: "/sign-in", Next: "/", Handle: "h4ndle", Link: "l1nk", Username: "ada"},
		"sign in, invited":         templates.SignIn{Product: "Rialto", Action: "/sign-in", Next: "/", Handle: "h4ndle", Link: "l1nk", Username: "ada", Invited: true, Passkey: "{}"},
		"sign in, first time":      templates.SignIn{Product: "Rialto", Action: "/sign-in", Next: "/", Handle: "h4ndle", Setup: true},
		"signed out":               templates.SignedOut{Product: "Rialto"},
		"problem":                  templates.Problem{Product: "Rialto", Title: "Title", Detail: "Detail", Remedy: "Remedy"},
		"problem, way back":        templates.Problem{Product: "Rialto", Title: "Title", Client: "Some Chat", URL: "https://chat.example/cb?error=invalid_scope"},
		"home": templates.Home{
			Product: "Rialto", URL: "https://rialto.example/mcp", User: "admin", SignOut: "/sign-out",
			Agents:   []templates.HomeAgent{{Name: "expert", Title: "Expert", Description: "Knows."}},
			Snippets: []templates.Snippet{{Client: "Some Chat", Note: "This app needs a public https address. If you run this server, expose it with a tunnel and restart it with --url https://…", Steps: "One.\nTwo.", Code: "chat add"}},
		},
		"docs": templates.Docs{Product: "Rialto", URL: "https://rialto.example", Description: "It.", Groups: []templates.DocGroup{{Name: "tasks", Words: "Tasks.", Operations: []templates.Operation{
			{ID: "get-x", Method: "GET", Path: "/x", Also: []string{"/y"}, Summary: "Show", Description: "All.", Scopes: []string{"read"}, Optional: true, Example: "curl",
				Parameters: []templates.Member{{Name: "id", In: "path", Type: "string", Words: "Which", Required: true}},
				Body:       []templates.Body{{Type: "application/json", Words: "object", Members: []templates.Member{{Name: "a"}}, Example: "{}"}},
				Answers:    []templates.Answer{{Status: "200", Words: "It", Bodies: []templates.Body{{Type: "text/html"}}}}},
			{ID: "get-z", Method: "GET", Path: "/z", Summary: "Open", Public: true},
			{ID: "get-w", Method: "GET", Path: "/w", Summary: "Any"},
		}}}},
		"console":         consoleSample(),
		"console, empty":  templates.Console{Frame: templates.Frame{Product: "Rialto"}, Title: "Views"},
		"home, empty":     templates.Home{Product: "Rialto", URL: "https://rialto.example/mcp", User: "admin"},
		"home, to nobody": templates.Home{Product: "Rialto", URL: "https://rialto.example/mcp"},
		"task": templates.Task{
			Frame: templates.Frame{Product: "Rialto"}, Title: "1 + 1", Agent: "expert", State: "Done", Tone: templates.Good, Up: &templates.Way{Href: "/account/tasks", Name: "Tasks"},
			Lead: []templates.Text{templates.Verbatim("expert")}, Facts: []templates.Fact{{Name: "Task ID", Value: templates.ID("t1")}}, Fields: [][2]string{{"amount", "12"}},
			Results: []templates.TaskResult{
				{Name: "expert", Says: true, Parts: []templates.TaskPart{{ID: "p1", HTML: "<p>Ready.</p>"}}},
				{Name: "rows", Description: "All.", Parts: []templates.TaskPart{{ID: "p2", Text: "1"}, {File: true, Name: "x.csv", Kind: "text/csv", Size: "1 KiB", Href: "/downloads/x"}, {File: true, Image: true, Href: "/downloads/y"}, {Leaves: "https://elsewhere.example/"}}},
				{Parts: []templates.TaskPart{{ID: "p3", Href: "/downloads/z", Data: &templates.DataTable{Pairs: [][2]string{{"sql", "SELECT"}}, Columns: []string{"n"}, Numbers: []bool{true}, Rows: [][]string{{"1"}}, More: "9", JSON: "{}"}}, {ID: "p4", Data: &templates.DataTable{JSON: "[]"}}}},
				{Name: "both", Parts: []templates.TaskPart{{Text: "9"}, {ID: "p5", Fold: true, Data: &templates.DataTable{Pairs: [][2]string{{"n", "9"}}, JSON: "{}"}}, {ID: "p6", Fold: true, Data: &templates.DataTable{JSON: "[]"}}}},
			},
			Cut: true,
			History: templates.TaskHistory{Left: "3", Dropped: "2", Events: []templates.TaskEvent{
				{At: templates.Clock(at), Title: templates.Textf("You"), Parts: []templates.TaskPart{{Text: "Count."}}}, {ID: "e1", Title: templates.Textf("{} earlier messages", "2"), Fold: []templates.TaskEvent{{Title: templates.Verbatim("expert")}}},
				{At: templates.Clock(at), Tone: templates.Good, Title: templates.Textf("Done"), For: templates.Took(time.Second)}, {ID: "e2", Title: templates.Verbatim("expert"), Long: "Long", Parts: []templates.TaskPart{{Text: "Long."}}},
			}},
			Retry: &templates.Button{Action: "/answer/t1", Hidden: []templates.Value{{Name: "do", Value: "retry"}}},
			Sharing: &templates.Sharing{Open: true, Task: true, For: templates.Took(time.Hour), Link: "https://rialto.example/shared/x", Until: templates.When(at, at), Error: "This can be shared when its task has ended.",
				Links: []templates.SharedLink{{ID: "1", Made: templates.When(at, at), Ends: templates.When(at, at)}}},
		},
		"task, working": templates.Task{Frame: templates.Frame{Product: "Rialto"}, Agent: "expert", State: "Working", Progress: templates.TaskProgress{Lives: true, Busy: "Counting.", Live: "/answer/t1/events?since=1"}, Cancel: &templates.Button{Action: "/answer/t1"}},
		"task, failed": templates.Task{Frame: templates.Frame{Product: "Rialto"}, Title: "x", Agent: "expert", State: "Failed", Tone: templates.Bad,
			Alert: &templates.TaskAlert{Title: "The agent reported a failure", Reason: templates.Translated("No."), Remedy: "Retry, or change the request in the chat and send it again."}},
		"task, waiting": templates.Task{
			Frame: templates.Frame{Product: "Rialto"}, Agent: "expert", State: "Needs an answer", Notice: templates.TaskNotice{Text: "Please correct the marked fields.", Reason: "zip?"},
			Says: []templates.TaskPart{{Text: "Where to?"}},
			Ask: &templates.Ask{Pause: "p", Once: "o", Title: "Trip", Description: "Where to.", Files: true, FilesWrong: "These files are too large, or too many: 5 files and 4 MB at most.", Fields: []templates.AskField{
				{Name: "to", Label: templates.Verbatim("Where to"), Description: "A city.", Input: "text", Required: true, Longest: 20, Wrong: "Enter at most {} characters.", WrongValue: "20"},
				{Name: "class", Label: templates.Verbatim("Class"), Input: "select", Value: "b", Choices: []templates.AskChoice{{Value: "a", Title: "A"}, {Value: "b", Title: "B"}}},
				{Name: "why", Label: templates.Verbatim("Why"), Input: "textarea"}, {Name: "n", Label: templates.Verbatim("Seats"), Input: "number", Least: "1", Most: "9", Step: "1"},
				{Name: "days", Label: templates.Verbatim("Days"), Input: "checks", Choices: []templates.AskChoice{{Value: "mon", Title: "Monday", On: true}}, Wrong: "Enter at least {} values.", WrongValue: "2"},
				{Name: "tags", Label: templates.Verbatim("Tags"), Input: "lines"}, {Name: "at", Label: templates.Verbatim("At"), Input: "datetime-local", At: "2026-01-31T09:30:00Z", Value: "2026-01-31T09:30"},
				{Name: "back", Label: templates.Verbatim("And back"), Description: "The same way.", Input: "checkbox", Value: "true"},
			}},
		},
		"connect": templates.Connect{
			Product: "Rialto", Agent: "maps", Title: "Maps", Connected: true, Since: "2026-01-02", Task: "t1", TaskPath: "/answer/t1",
			Error: "This value can't be sent. Paste it again, without line breaks.", Ways: []templates.ConnectWay{
				{Kind: "oauth", Host: "login.example"}, {Number: 1, Kind: "oauth"}, {Number: 2, Kind: "api_key", Name: "X-Key", Description: "From your profile."},
				{Number: 3, Kind: "basic"}, {Number: 4, Kind: "bearer"},
			},
		},
		"connect, with a code": templates.Device{
			Product: "Rialto", Agent: "maps", Host: "login.example", URL: "https://login.example/device", Code: "WDJB-MJHT", Handle: "h",
			Notice: "You haven't finished there yet, or that server doesn't know it yet. Wait a moment and try again.",
		},
		"connect, in no way":          templates.Connect{Product: "Rialto", Agent: "maps", Task: "t1"},
		"connect, of another account": templates.Connect{Product: "Rialto", Agent: "maps", Switch: "/signin?next=%2F", Ways: []templates.ConnectWay{{Kind: "device", Host: "login.example"}}},
		"task, to connect": templates.Task{
			Frame: templates.Frame{Product: "Rialto"}, Agent: "expert", State: "Sign-in needed", Notice: templates.TaskNotice{Connect: "/connect/expert"},
			Grant: &templates.Grant{Pause: "p", Once: "o", Visit: "/connect/expert?task=t1", Connect: true, Why: templates.Verbatim("expert")}, Cancel: &templates.Button{Action: "/answer/t1"},
		},
		"task, to allow": templates.Task{
			Frame: templates.Frame{Product: "Rialto"}, Agent: "expert", State: "Sign-in needed",
			Grant: &templates.Grant{Pause: "p", Once: "o", Visit: "https://login.example/", Host: "login.example"},
		},
		"upload":           templates.Upload{Product: "Rialto", Name: "report.pdf", Accept: "application/pdf", Most: "25 MiB", Until: templates.When(at, at), Error: templates.Translated("The file is empty.")},
		"upload, sent":     templates.Upload{Product: "Rialto", Name: "report.pdf", Sent: true},
		"document, shared": templates.Task{Frame: templates.Frame{Product: "Rialto"}, Title: "Claim 7", Agent: "expert", Until: templates.When(at, at)},
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

// at is a moment on the pages.
var at = time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)

func TestEveryPageCarriesTheHeadersThatProtectIt(t *testing.T) {
	want := map[string]string{
		"Content-Type":              "text/html; charset=utf-8",
		"Content-Security-Policy":   "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"X-Frame-Options":           "DENY",
		"Referrer-Policy":           "no-referrer",
		"Cache-Control":             "no-store",
		"X-Content-Type-Options":    "nosniff",
		"Vary":                      "Accept-Language, Cookie",
		"Strict-Transport-Security": "",
	}
	for name, page := range samples() {
		got := write(page, "").Header()
		for header, value := range want {
			_, console := page.(templates.Console)
			_, upload := page.(templates.Upload)
			_, docs := page.(templates.Docs)
			if _, task := page.(templates.Task); header == "Content-Security-Policy" && (task || console || upload || docs) {
				value += "; connect-src 'self'" // it asks us for what is searched, and whether it has changed, or sends a file
			}
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
			ours := strings.HasPrefix(src, static.Prefix) || src == static.TouchIcon || src == static.Manifest
			if src != "" && !ours && n.attr("class") != "picture" { // which a document holds
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
		templates.Task{
			Frame: templates.Frame{Product: "Rialto"}, Title: evil, Agent: evil, Lead: []templates.Text{templates.Verbatim(evil)}, Fields: [][2]string{{evil, evil}}, Progress: templates.TaskProgress{Busy: evil, Lives: true}, Notice: templates.TaskNotice{Text: "x", Reason: evil},
			Results: []templates.TaskResult{{Name: evil, Says: true, Description: evil, Parts: []templates.TaskPart{
				{ID: evil, Text: evil}, {File: true, Name: evil, Size: evil, Kind: evil, Href: evil, Image: true}, {Leaves: evil},
				{Data: &templates.DataTable{Pairs: [][2]string{{evil, evil}}, Columns: []string{evil}, Numbers: []bool{false}, Rows: [][]string{{evil}}, JSON: evil}},
			}}},
			History: templates.TaskHistory{Events: []templates.TaskEvent{{ID: evil, Title: templates.Verbatim(evil), Long: evil, Parts: []templates.TaskPart{{Text: evil}}}}},
		},
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
	for _, script := range doc.all("script") {
		if !strings.HasPrefix(script.attr("src"), "/static/theme.js") {
			t.Errorf("got the script %s: it would go there automatically", script.attr("src"))
		}
	}
	if got := render(t, samples()["problem"], "").all("a"); len(got) != 1 || got[0].attr("href") != "/" {
		t.Errorf("got %d links on a problem with no way back, want the one to the start page", len(got))
	}
}

func TestAReasonMayStandBelowTheRemedy(t *testing.T) {
	page := samples()["problem"].(templates.Problem)
	for below, want := range map[bool]string{false: "Title, Detail, Remedy", true: "Title, Remedy, Detail"} {
		page.RemedyFirst = below
		var got []string
		for _, n := range render(t, page, "").all("h1, #detail, #remedy") {
			got = append(got, n.text())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("below %v: got %q, want %s", below, got, want)
		}
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
		if strings.HasPrefix(name, "problem") {
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
	for _, name := range []string{"authorize, look-alike", "authorize, elsewhere", "authorize, pasted"} {
		page := write(samples()[name], "").Body.String()
		total := len(page)
		for _, m := range regexp.MustCompile(`"(/static/[^"]+)"`).FindAllStringSubmatch(page, -1) {
			w := httptest.NewRecorder()
			static.Brand{}.Handler().ServeHTTP(w, httptest.NewRequest("GET", m[1], nil))
			if w.Code != 200 {
				t.Errorf("%s: got %d for %s", name, w.Code, m[1])
			}
			total += w.Body.Len()
		}
		if total > 60_000 {
			t.Errorf("%s: got %d bytes with everything that it loads, want at most 60000", name, total)
		}
	}
}

func decisions(doc node) string {
	var all []string
	for _, b := range doc.all("button[name=decision]") {
		all = append(all, b.attr("value"))
	}
	return strings.Join(all, " ")
}
