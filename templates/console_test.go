package templates_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"rialto/templates"
)

// cell renders a text as the one cell of a page.
func cell(t *testing.T, text templates.Text, language string) node {
	t.Helper()
	page := templates.Console{Frame: frame(), Title: "Views", Sections: []templates.Section{{ID: "s", Facts: []templates.Fact{{Name: "Time", Value: text}}}}}
	return render(t, page, language).one(t, "section#s dd")
}

func TestTextsOfOthersStayText(t *testing.T) {
	const markup = `<img src=x onerror=alert(1)>"'&`
	for name, text := range map[string]templates.Text{
		"data":              templates.Verbatim(markup),
		"code":              templates.Code(markup),
		"a value":           templates.Textf("{} ago", markup),
		"a badge":           templates.Badge(templates.Good, markup),
		"a link":            templates.Link(`/"><img src=x>`, templates.Verbatim(markup)),
		"lines and a row":   templates.Lines(templates.Row(templates.Verbatim(markup)), templates.Verbatim("x")),
		"an unknown phrase": templates.Textf(markup),
	} {
		got := cell(t, text, "")
		if len(got.all("img")) != 0 || !strings.Contains(got.text(), markup) {
			t.Errorf("%s: got %q with %d elements of the markup in it", name, got.text(), len(got.all("img")))
		}
	}
}

func TestALinkLeadsToUsOrOverHTTPS(t *testing.T) {
	for href, want := range map[string]int{
		"/admin": 1, "https://agent.example/": 1,
		"javascript:alert(1)": 0, "//evil.example": 0, "http://agent.example/": 0, "data:text/html,x": 0, "": 0,
	} {
		if got := len(cell(t, templates.Link(href, templates.Verbatim("x")), "").all("a")); got != want {
			t.Errorf("%q: got %d links, want %d", href, got, want)
		}
	}
}

func TestMomentsAndNumbersAreSaidInBothLanguages(t *testing.T) {
	for _, c := range []struct {
		text             templates.Text
		english, spanish string
	}{
		{templates.When(time.Time{}, now), "never", "nunca"},
		{templates.When(now, now), "just now", "ahora mismo"},
		{templates.When(now.Add(-59*time.Second), now), "59 s ago", "hace 59 s"},
		{templates.When(now.Add(-108*time.Second), now), "1 min ago", "hace 1 min"},
		{templates.When(now.Add(-5*time.Minute), now), "5 min ago", "hace 5 min"},
		{templates.When(now.Add(72*time.Hour), now), "in 3 d", "dentro de 3 d"},
		{templates.When(now.AddDate(0, -3, 0), now), "21 Aug 2026", "21 ago 2026"},
		{templates.Number(999), "999", "999"},
		{templates.Number(5883), "5,883", "5.883"},
		{templates.Textf("{} in all", templates.Count(10000, 10000)), "10,000+ in all", "10.000+ en total"},
		{templates.When(now.Add(-65*time.Minute), now), "1 h ago", "hace 1 h"},
		{templates.When(now.Add(-47*time.Hour), now), "1 d ago", "hace 1 d"},
		{templates.When(now.Add(7*24*time.Hour-time.Second), now), "in 7 d", "dentro de 7 d"},
		{templates.Percent("8.85"), "8.85%", "8,85\u00a0%"},
		{templates.Number(-1234567), "-1,234,567", "-1.234.567"},
		{templates.Percent("+123"), "+123%", "+123\u00a0%"},
		{templates.Amount("1234567.50", "EUR"), "1,234,567.50\u00a0EUR", "1.234.567,50\u00a0EUR"},
		{templates.Amount("100", "JPY"), "100\u00a0JPY", "100\u00a0JPY"},
	} {
		if got := cell(t, c.text, "en").text(); got != c.english {
			t.Errorf("got %q, want %q", got, c.english)
		}
		if got := cell(t, c.text, "es").text(); got != c.spanish {
			t.Errorf("got %q, want %q", got, c.spanish)
		}
	}
}

func TestTheFrameSaysWhereOneIs(t *testing.T) {
	doc := render(t, consoleSample(), "")
	if got := doc.one(t, ".areas a[aria-current]").attr("href"); got != "/admin" {
		t.Errorf("got the area %q", got)
	}
	if got := doc.one(t, ".side a[aria-current]").attr("href"); got != "/admin/agents" {
		t.Errorf("got the page %q", got)
	}
	if got := doc.one(t, ".skip").attr("href"); got != "#"+doc.one(t, "main").attr("id") {
		t.Errorf("got a skip link to %q", got)
	}
	if out := doc.one(t, ".who form"); out.attr("method") != "post" || out.attr("action") != "/signout" {
		t.Error("want a form that signs out")
	}
	doc.one(t, "#done[role=status]")
}

func TestATableNamesEachCellForPhones(t *testing.T) {
	doc := render(t, consoleSample(), "es")
	list := doc.one(t, "section#list")
	first := node{list.all("tbody tr")[0].Node}
	var names []string
	for _, td := range first.all("td[data-name]") {
		names = append(names, td.attr("data-name"))
	}
	if got := strings.Join(names, ","); got != "Tiempo,Errores" {
		t.Errorf("got the cells %q", got)
	}
	if len(first.all("th[scope=row]")) != 1 || len(list.all("th[scope=col]")) != 4 {
		t.Error("want a heading for the row and one for each column")
	}
	if got := doc.one(t, ".pager a[rel=next]").attr("href"); got != "/x?after=y" {
		t.Errorf("got the next page %q", got)
	}
	if doc.one(t, "section#empty .empty").text() == "" {
		t.Error("want words where there are no rows")
	}
}

func TestAButtonIsAFormAndSaysWhatItIsAbout(t *testing.T) {
	row := node{render(t, consoleSample(), "").all("section#list tbody tr")[0].Node}
	forms := row.all("form")
	if len(forms) != 2 || forms[0].attr("method") != "post" || forms[0].attr("action") != "/x" {
		t.Fatalf("got %d forms", len(forms))
	}
	if got := forms[0].one(t, "button").text(); got != "Show expert" {
		t.Errorf("got a button %q, want what it is about for those who hear it", got)
	}
	if got := forms[1].one(t, "input[name=id]").attr("value"); got != "1" {
		t.Errorf("got the hidden value %q", got)
	}
}

func TestAChartIsTheSameInNumbers(t *testing.T) {
	chart := node{render(t, consoleSample(), "").one(t, "figure#calls").Node}
	if got := len(chart.all("rect.whole")); got != 24 {
		t.Errorf("got %d bars, want 24", got)
	}
	if got := len(chart.all("tbody tr")); got != 24 {
		t.Errorf("got %d rows, want 24", got)
	}
	for _, r := range chart.all("rect") {
		if strings.HasPrefix(r.attr("height"), "-") || strings.HasPrefix(r.attr("width"), "-") {
			t.Errorf("got a bar of %s by %s", r.attr("width"), r.attr("height"))
		}
	}
}

func ask(t *testing.T, method, target string, page templates.Page, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	templates.Write(w, r, http.StatusOK, page)
	return w.Result()
}

func TestALanguageIsChosenByTheAddressThenTheCookieThenTheBrowser(t *testing.T) {
	for name, c := range map[string]struct {
		target string
		header []string
		want   string
	}{
		"the browser's":               {"/", []string{"Accept-Language", "es-MX"}, "es"},
		"the cookie before it":        {"/", []string{"Accept-Language", "en", "Cookie", "rialto-language=es"}, "es"},
		"an address that knows none":  {"/?lang=tlh", []string{"Accept-Language", "es"}, "es"},
		"a cookie that knows none":    {"/", []string{"Cookie", "rialto-language=x"}, "en"},
		"nothing at all asks for any": {"/", nil, "en"},
	} {
		resp := ask(t, "GET", c.target, consoleSample(), c.header...)
		if got := resp.Header.Get("Content-Language"); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestAChoiceOfLanguageIsRemembered(t *testing.T) {
	chosen := ask(t, "GET", "https://rialto.example/admin?text=a%26b&lang=es", consoleSample())
	cookies := chosen.Cookies()
	if got := chosen.Header.Get("Location"); chosen.StatusCode != http.StatusSeeOther || got != "/admin?text=a%26b" {
		t.Errorf("got %d to %q, want the address without the language", chosen.StatusCode, got)
	}
	if got := ask(t, "GET", "//evil.example/x?lang=es", consoleSample()).Header.Get("Location"); got != "/evil.example/x" {
		t.Errorf("got %q, which leads elsewhere", got)
	}
	if len(cookies) != 1 || cookies[0].Name != "rialto-language" || cookies[0].Value != "es" || !cookies[0].Secure || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode {
		t.Errorf("got the cookies %v", cookies)
	}
	for _, target := range []string{"/", "/?lang=tlh", "/?lang=es%0d%0aX:1"} {
		if got := ask(t, "GET", target, consoleSample()).Cookies(); len(got) != 0 {
			t.Errorf("%s: got the cookies %v, want none", target, got)
		}
	}
}

func TestTheOtherLanguageIsALinkToTheSamePage(t *testing.T) {
	href := func(method, target string, page templates.Page) string {
		doc, err := html.Parse(ask(t, method, target, page).Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range (node{doc}).all(".tongues a") {
			return a.attr("href")
		}
		return ""
	}
	if got := href("GET", "/authorize?state=a%26b", consent()); got != "/authorize?lang=es&state=a%26b" {
		t.Errorf("got %q, want the parameters kept", got)
	}
	if got := href("GET", "//evil.example/x", consoleSample()); !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") {
		t.Errorf("got %q, which leads elsewhere", got)
	}
	if got := href("POST", "/authorize", consent()); got != "" {
		t.Errorf("got %q on a page that came of a form, want none", got)
	}
	if got := href("GET", "/callback/corp?code=x", templates.Return{Product: "Rialto"}); got != "" {
		t.Errorf("got %q on a page that leads on, want none", got)
	}
}

func TestAnIdentifierHasAButtonThatCopiesIt(t *testing.T) {
	got := cell(t, templates.ID(`a"b`), "es")
	button := got.one(t, "button.copier")
	if button.attr("data-text") != `a"b` || button.attr("aria-label") != "Copiar el ID" || got.one(t, "code").text() != `a"b` {
		t.Errorf("got a button for %q, %q", button.attr("data-text"), button.attr("aria-label"))
	}
}

func TestTheMenuOfAPhoneSaysWhereOneIs(t *testing.T) {
	if got := render(t, consoleSample(), "").one(t, ".menu summary").text(); got != "Areas Views" {
		t.Errorf("got %q, want the area and the page", got)
	}
}
