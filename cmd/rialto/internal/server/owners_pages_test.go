package server

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// browsing returns what opens pages, and sends forms to them, as one of some
// users.
func (o *owners) browsing(browsers map[string]*http.Client) func(user, method, path string, form url.Values) string {
	return func(user, method, path string, form url.Values) string {
		req, err := http.NewRequestWithContext(o.t.Context(), method, o.cfg.Load().URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			o.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", o.cfg.Load().URL)
		resp, err := browsers[user].Do(req)
		if err != nil {
			o.t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			o.t.Fatal(err)
		}
		return fmt.Sprint(resp.StatusCode, " ", string(b))
	}
}

// TestNoPageShowsAnothersTask signs bob in and opens the pages of alice's tasks.
func TestNoPageShowsAnothersTask(t *testing.T) {
	o := newOwners(t)
	defer o.untouched()
	at := o.browsing(map[string]*http.Client{"alice": o.browser("alice"), "bob": o.browser("bob")})
	ask := func(user, method, id string, form url.Values) string {
		return at(user, method, "/documents/"+url.PathEscape(id), form)
	}
	answer := url.Values{"pause": {"x"}, "once": {strings.Repeat("A", 26)}, "field:answer": {"that one"}}
	pages := map[string]func(user, id string) string{ // each page that names something of one user
		"/documents/{id}": nil, // below
		"/answer/{id}": func(user, id string) string {
			return at(user, "GET", "/answer/"+id, nil) + at(user, "POST", "/answer/"+id, answer)
		},
		"/answer/{id}/events": func(user, id string) string { return at(user, "GET", "/answer/"+id+"/events?since=0", nil) },
		"/register/{id}":      nil, "/mcp/oauth/register/{id}": nil, "/mcp/oauth/clients/{id}": nil, // of clients, which no user owns
	}
	for _, op := range o.document().operations() {
		if _, known := pages[op.path]; !known && strings.Contains(op.path, "{id}") {
			t.Errorf("the page %s has no line here", op.path)
		}
	}
	once := regexp.MustCompile(`name="once" value="[^"]*"|20\d\d-[^<" ]*`)
	for path, open := range pages {
		if open == nil {
			continue
		}
		if path == "/answer/{id}/events" { // alice's is a stream that stays
			alike(t, o.waits, nobodys, func(id string) string { return open("bob", id) }, "")
			continue
		}
		alike(t, o.waits, nobodys, func(id string) string { return once.ReplaceAllString(open("bob", id), "") }, open("alice", o.waiting()))
	}
	for _, page := range []string{"/account", "/account/tasks", "/account/links", "/account/agents", "/account/tasks?q=" + hidden} {
		if said := at("bob", "GET", page, nil); strings.Contains(said, o.waits) || strings.Contains(said, o.done) || strings.Contains(said, o.share) {
			t.Errorf("%s shows bob %s", page, said)
		}
	}
	for _, kind := range []string{"task:{task}", "artifact:{task}:echo"} {
		for name, form := range map[string]url.Values{"GET": nil, "POST": {"do": {"share"}}} {
			with := func(id string) string { return strings.ReplaceAll(kind, "{task}", id) }
			alike(t, o.done, nobodys, func(id string) string { return ask("bob", name, with(id), form) }, ask("alice", name, with(o.done), form))
		}
	}
	for _, form := range []url.Values{{"do": {"cancel"}}, {"do": {"retry"}}, {"do": {"share"}}} {
		act := func(user, id string) string { return once.ReplaceAllString(at(user, "POST", "/answer/"+id, form), "") }
		alike(t, o.waits, nobodys, func(id string) string { return act("bob", id) }, at("alice", "GET", "/answer/"+o.waits, nil))
	}
	at("bob", "POST", "/answer/"+o.done, url.Values{"revoke": {o.share}}) // untouched looks whether it is still there
	if got := ask("alice", "GET", "task:"+o.done, nil); !strings.HasPrefix(got, "200") || !strings.Contains(got, hidden) || !strings.Contains(got, o.share) {
		t.Errorf("alice is shown %s", got)
	}
}

// TestWhatASearchFindsOpens holds that each hit can be fetched by its id, and
// opened at its address by the user who searched.
func TestWhatASearchFindsOpens(t *testing.T) {
	o := newOwners(t)
	defer o.untouched()
	kinds := map[string]bool{}
	for _, query := range []string{hidden, "agent-1-0"} {
		var found struct {
			Structured struct{ Results []struct{ ID, URL string } } `json:"structuredContent"`
		}
		o.do("POST", "/mcp/tools/call", o.alice, `{"name":"search","arguments":{"query":"`+query+`"}}`).decode(t, &found)
		for _, hit := range found.Structured.Results {
			kind, _, _ := strings.Cut(hit.ID, ":")
			kinds[kind] = true
			if got := o.do("POST", "/mcp/tools/call", o.alice, `{"name":"fetch","arguments":{"id":"`+hit.ID+`"}}`); got.status != http.StatusOK || strings.Contains(got.body, `"isError":true`) {
				t.Errorf("%s: fetch says %s", hit.ID, got.said())
			}
			page, err := o.browser("alice").Get(hit.URL)
			if err != nil {
				t.Fatal(err)
			}
			page.Body.Close()
			if page.StatusCode != http.StatusOK || page.Request.URL.Path == "/signin" {
				t.Errorf("%s leads to %d at %s", hit.URL, page.StatusCode, page.Request.URL)
			}
		}
	}
	if !kinds["task"] || !kinds["agent"] {
		t.Errorf("got hits of the kinds %v", kinds)
	}
}

// TestAPersonOpensWhatAnyOfTheirClientsFinds holds it for agents that only some
// use cases reach: the browser has no token that names one.
func TestAPersonOpensWhatAnyOfTheirClientsFinds(t *testing.T) {
	r := newAPIRig(t)
	page, err := r.browser("alice").Get(r.cfg.Load().URL + "/documents/agent:secret")
	if err != nil {
		t.Fatal(err)
	}
	page.Body.Close()
	if page.StatusCode != http.StatusOK {
		t.Errorf("got %d", page.StatusCode)
	}
}

var handleField = regexp.MustCompile(`name="handle" value="([^"]+)"`)

// browser returns one in which a user has signed in.
func (r *rig) browser(user string) *http.Client {
	r.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	page, err := c.Get(r.cfg.Load().URL + "/signin")
	if err != nil {
		r.t.Fatal(err)
	}
	defer page.Body.Close()
	b, err := io.ReadAll(page.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	handle := handleField.FindSubmatch(b)
	if handle == nil {
		r.t.Fatalf("there is no form: %s", b)
	}
	done, err := c.PostForm(r.cfg.Load().URL+"/signin", url.Values{"handle": {string(handle[1])}, "username": {user}, "password": {"correct horse battery staple"}, "next": {"/"}})
	if err != nil {
		r.t.Fatal(err)
	}
	defer done.Body.Close()
	at, err := url.Parse(r.cfg.Load().URL)
	if err != nil {
		r.t.Fatal(err)
	}
	if !slices.ContainsFunc(jar.Cookies(at), func(c *http.Cookie) bool { return strings.Contains(c.Name, "session") }) {
		r.t.Fatalf("%s is not signed in: %d", user, done.StatusCode)
	}
	return c
}
