package web_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

// agent holds one document, whose title, text and metadata are markup.
type agent struct{ *a2aexec.Executor }

func (agent) Card() *a2a.Card {
	return &a2a.Card{Name: "Library", Skills: []a2a.Skill{{ID: "fetch", Name: "fetch"}}}
}

func newAgent() agent {
	return agent{&a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		if !strings.Contains(turn.Message.Text(), "<one>") {
			return errors.New("no such book")
		}
		turn.Artifact(a2a.Artifact{Parts: []a2a.Part{{Content: a2a.Data(`{
			"title": "<script>alert(1)</script>", "text": "<img src=x onerror=alert(2)>",
			"metadata": {"shelf": "<b>3</b>", "agent": "somebody else", "list": [1, 2]}}`)}}})
		return nil
	}}}
}

func newDocuments(t *testing.T) http.Handler {
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	library := newAgent()
	agents := &directory.Directory{
		Initial: []directory.AgentConfig{{Name: "library"}, {Name: "down"}}, URL: "https://rialto.test", Now: time.Now, Log: log,
		Caller: func(context.Context) directory.Caller { return directory.Caller{User: "alice"} },
		Dialer: dialFunc(func(_ context.Context, a directory.AgentConfig) (directory.Conn, error) {
			if a.Name == "down" {
				return nil, errors.New("connection refused")
			}
			return library, nil
		}),
	}
	b := bridge.New(&runner.Runner{Directory: agents, Ledger: db.Ledger, Lists: db.Ledger, Leases: db.Ledger, Replica: "r", Now: time.Now, Log: log}, &documents.Service{}, nil)
	b.Start()
	t.Cleanup(func() { b.Close(); library.Close(); db.Close() })
	return &web.Documents{Site: web.Site{Product: "Rialto", Bridge: b, Now: time.Now, Log: log}}
}

func TestADocumentIsShownAsText(t *testing.T) {
	w := get(newDocuments(t), "GET", "/documents/doc:library:%3Cone%3E")
	if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("got %d with the policy %q", w.Code, w.Header().Get("Content-Security-Policy"))
	}
	page, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for n := range page.Descendants() {
		switch {
		case n.Type == html.TextNode:
			text.WriteString(n.Data)
		case n.Data == "img" && n.Parent.Data == "pre", n.Data == "b", n.Data == "script" && n.FirstChild != nil:
			t.Errorf("the agent's text became the element %s", n.Data)
		}
	}
	for _, want := range []string{"<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "<b>3</b>", "library"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	for _, not := range []string{"somebody else", "[1"} {
		if strings.Contains(text.String(), not) {
			t.Errorf("the page shows %q", not)
		}
	}
}

func TestADocumentCanBeSaved(t *testing.T) {
	pages, path := newDocuments(t), "/documents/doc:library:%3Cone%3E"
	if page := get(pages, "GET", path).Body.String(); !strings.Contains(page, `<a href="?download" download>`) || !strings.Contains(page, `href="/account/tasks"`) {
		t.Errorf("got %s, want a download and a way back", page)
	}
	w := get(pages, "GET", path+"?download")
	if h := w.Header(); w.Body.String() != "<img src=x onerror=alert(2)>" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("got %q with %v", w.Body, h)
	}
	if w := get(pages, "GET", "/documents/agent:library?download"); w.Header().Get("Content-Disposition") != "" {
		t.Error("the description of an agent is a download")
	}
}

func TestWhatCannotBeShownSaysWhy(t *testing.T) {
	documents := newDocuments(t)
	for name, c := range map[string]struct {
		method, path string
		status       int
		says         string
	}{
		"an id of nothing":                {"GET", "/documents/nonsense", 404, "doesn&#39;t exist, or you may not see it"},
		"a task of another user":          {"GET", "/documents/artifact:1234:a", 404, "doesn&#39;t exist, or you may not see it"},
		"a path that is no text":          {"GET", "/documents/doc:library:%ff%00", 502, "refused it"},
		"an agent that refuses":           {"GET", "/documents/doc:library:two", 502, "refused it"},
		"an agent that cannot be reached": {"GET", "/documents/agent:down", 503, "cannot be reached"},
		"another method":                  {"POST", "/documents/agent:library", 405, "method not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := get(documents, c.method, c.path)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("got %d %s, want %d with %q", w.Code, w.Body, c.status, c.says)
			}
		})
	}
}

func get(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}
