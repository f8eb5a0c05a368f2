package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/bridge/web"
	"rialto/store"
	"rialto/store/storetest"
)

// newShared returns the handlers of tasks and shared documents, with an agent that
// answers with markup, and the path of the page of an ended task.
func newShared(t *testing.T) (pages, shared http.Handler, task string) {
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	maker := agent{&a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{Name: "<b>Name</b>", Parts: []a2a.Part{
			a2a.TextPart("<script>alert(1)</script>"),
			{Content: a2a.Raw("<script>alert(2)</script>"), MediaType: "text/html", Filename: "evil.html"},
			{Content: a2a.Raw("<svg onload=alert(3)>"), MediaType: "image/svg+xml"},
			{Content: a2a.Raw("\x89PNG"), MediaType: "image/png", Filename: "chart.png"},
			{Content: a2a.URL("javascript:alert(4)")},
		}})
		turn.Complete("done")
		return nil
	}}}
	log := slog.New(slog.DiscardHandler)
	b := bridge.New(&runner.Runner{
		Ledger: db.Ledger, Lists: db.Ledger, Leases: db.Ledger, Replica: "r", Now: time.Now, Log: log,
		Directory: &directory.Directory{
			Initial: []directory.AgentConfig{{Name: "maker"}}, URL: "https://rialto.test", Now: time.Now, Log: log,
			Caller: func(context.Context) directory.Caller { return directory.Caller{User: "alice"} },
			Dialer: dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) { return maker, nil }),
		},
	}, &documents.Service{Sharing: &documents.Sharing{Store: db.Ledger.Shares(), TTL: 72 * time.Hour}}, nil)
	b.Start()
	t.Cleanup(func() { b.Close(); maker.Close(); db.Close() })
	event, err := b.Proxy.Agent("maker").Send(t.Context(), &a2a.SendRequest{Message: &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("go")}}})
	if err != nil {
		t.Fatal(err)
	}
	site := web.Site{Product: "Rialto", Bridge: b, Now: time.Now, Log: log}
	return &web.Tasks{Site: site}, &web.Shared{Site: site},
		documents.TaskPath + string(event.(*a2a.Task).ID)
}

func post(h http.Handler, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var linkOnPage = regexp.MustCompile(`https://rialto\.test(/shared/[A-Za-z0-9_-]{43})<`)

func TestAnOwnerSharesADocumentAndEndsIt(t *testing.T) {
	tasks, shared, task := newShared(t)
	if w := get(tasks, "GET", task); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `value="share"`) {
		t.Fatalf("got %d, want a page with a button", w.Code)
	}
	made := post(tasks, task, url.Values{"do": {"share"}})
	found := linkOnPage.FindStringSubmatch(made.Body.String())
	if made.Code != http.StatusOK || found == nil || made.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %s", made.Code, made.Body)
	}
	if w := get(tasks, "GET", task); strings.Contains(w.Body.String(), found[1]) {
		t.Error("the link is shown again")
	}
	if w := get(shared, "GET", found[1]); w.Code != http.StatusOK {
		t.Errorf("got %d", w.Code)
	}
	id := regexp.MustCompile(`name="revoke" value="([^"]+)"`).FindStringSubmatch(made.Body.String())
	if id == nil {
		t.Fatal("it cannot be ended")
	}
	for range 2 { // the second time there is nothing to end, as was wanted
		if w := post(tasks, task, url.Values{"revoke": {id[1]}}); w.Code != http.StatusSeeOther || w.Header().Get("Location") != task+"?done=unshared" {
			t.Errorf("got %d to %q", w.Code, w.Header().Get("Location"))
		}
	}
	ended, never := get(shared, "GET", found[1]), get(shared, "GET", "/shared/nothing")
	if ended.Code != http.StatusNotFound || ended.Body.String() != never.Body.String() {
		t.Errorf("got %d %s, want what is said of a link that never was", ended.Code, ended.Body)
	}
	if w := post(tasks, task, url.Values{"x": {"y"}}); w.Code != http.StatusBadRequest {
		t.Errorf("a form that asks for nothing: got %d", w.Code)
	}
}

func TestWhatIsSharedIsShownAsText(t *testing.T) {
	tasks, shared, task := newShared(t)
	link := linkOnPage.FindStringSubmatch(post(tasks, task, url.Values{"do": {"share"}}).Body.String())[1]
	w := get(shared, "GET", link)
	for name, want := range map[string]string{
		"X-Robots-Tag": "noindex, nofollow, noarchive", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("got the policy %q", policy)
	}
	page, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	robots := false
	for n := range page.Descendants() {
		switch {
		case n.Type == html.TextNode:
			text.WriteString(n.Data)
		case n.Data == "script" && n.FirstChild != nil, n.Data == "svg", n.Data == "b", n.Data == "form":
			t.Errorf("the page has the element %s", n.Data)
		}
		for _, a := range n.Attr {
			robots = robots || n.Data == "meta" && a.Key == "name" && a.Val == "robots"
			if a.Key == "href" && strings.HasPrefix(a.Val, "javascript:") || n.Data == "img" && a.Key == "src" && strings.HasSuffix(a.Val, "/2") {
				t.Errorf("<%s %s=%q> is active", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, want := range []string{"<script>alert(1)</script>", "<b>Name</b>", "evil.html", "chart.png", "done", "Shared from ", "Shared from", "What is Rialto?"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if !robots || strings.Contains(text.String(), "alice") {
		t.Error("it may be indexed, or tells whose it is")
	}
	for number, want := range map[string]string{"0": "<script>alert(1)</script>", "1": "<script>alert(2)</script>", "2": "<svg onload=alert(3)>", "3": "\x89PNG"} {
		w := get(shared, "GET", link+"/"+number)
		h := w.Header()
		if w.Code != http.StatusOK || w.Body.String() != want || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") ||
			h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || h.Get("X-Robots-Tag") == "" {
			t.Errorf("piece %s: got %d %q, %v", number, w.Code, w.Body, h)
		}
	}
	for _, nothing := range []string{link + "/4", link + "/99", link + "/x", link + "/01", link + "/", link + "/1/2", "/shared/", link[:len(link)-1]} {
		if w := get(shared, "GET", nothing); w.Code != http.StatusNotFound || w.Header().Get("X-Robots-Tag") == "" {
			t.Errorf("%s: got %d", nothing, w.Code)
		}
	}
	if w := get(shared, "POST", link); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d", w.Code)
	}
}

// dialFunc is a directory.Dialer.
type dialFunc func(context.Context, directory.AgentConfig) (directory.Conn, error)

// Dial implements directory.Dialer.
func (f dialFunc) Dial(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
	return f(ctx, a)
}
